/**
 * What users met when servers, or what stands in front of them, were away, busy or hung (issue 12). Everything is
 * counted, nothing is timed: servers hold their answers until they have seen what they wait for.
 */
import assert from "node:assert/strict";
import type { Reply } from "../../edge/_tcp_server.ts";
import { type Ended, Gate, Gym, reward, rollcall, type Run, Scratch, start } from "../_rollcall.ts";

const ROUTED = ["--json", "--disable-aggregation", "--route-failures-to-sidecar"];

/** The counts of a run that ended with this code. */
function told(ended: Ended, code: number) {
  assert.equal(ended.code, code, ended.err);
  return JSON.parse(ended.out);
}

/** The words for a run of `tasks.jsonl`. */
const collect = (gym: Gym, ...more: string[]) => [
  "collect",
  ...["-i", "tasks.jsonl", "-o", "r.jsonl"],
  ...gym.flag,
  ...more,
];

/**
 * A gateway that turns away everything from a moment at which `wide` requests are in flight, until it has done so
 * `away` times and `comesBack`. What it lets through is answered by the server behind it.
 */
class Gateway extends Gym {
  comesBack = true;
  /** How often it turned a row away. */
  turnedAway = 0;
  /** The tasks that the server behind it has run, in order. */
  readonly ran: number[] = [];
  #held = 0;
  readonly #down = new Gate();

  constructor(up: number, wide: number, away: number) {
    super(async ({ n }: Run): Promise<Reply> => {
      if (n >= up && (this.turnedAway < away || !this.comesBack)) {
        if (++this.#held === wide) this.#down.open();
        await this.#down.passed;
        this.turnedAway++;
        return { status: 502, body: "Bad Gateway" };
      }
      this.ran.push(n);
      return reward(1);
    });
  }
}

/** The numbers from 0. */
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

Deno.test("a gateway that restarts burns no rows of the queue: five have a line, all run, and the summary says what it cost", async () => {
  await using gym = new Gateway(40, 20, 21);
  await using scratch = new Scratch();
  scratch.tasks(120);
  const ended = await rollcall(collect(gym, ...ROUTED, "-c", "20"), { cwd: scratch.path });
  const summary = told(ended, 0);
  assert.deepEqual([summary.ending, summary.done, summary.failed], ["complete", 120, 0]);
  assert.equal(gym.asked.length, 120 + gym.turnedAway, "a row was sent without need");
  assert.deepEqual(gym.ran.toSorted((a, b) => a - b), upTo(120), "a row ran twice, or never");
  const failures = scratch.rows("r_failures.jsonl");
  assert.equal(failures.length, 5, "whoever is turned away after the outage is known has no line");
  assert.ok(failures.every((row) => row._ng_failure_http_status === 502 && !("_ng_attempt_index" in row)));
  const again = scratch.rows("r.jsonl").filter((row) => row._ng_attempt_index === 1);
  assert.deepEqual(
    again.map((row) => row._ng_task_index).sort(),
    failures.map((row) => row._ng_task_index).sort(),
    "a row with a line runs again as the next attempt, another one as the same",
  );
  const [{ paused_s, ...outage }, ...others] = summary.outages;
  assert.deepEqual([outage, others], [{ server: "a", turned_away: gym.turnedAway, ran_again: 5 }, []]);
  assert.ok(paused_s > 0);
  assert.match(ended.err, /Server a \(\S+\) is turning rows away: HTTP 502\. Waiting up to 600 s/);
  assert.match(ended.err, /Server a \(\S+\) is back after/);
});

Deno.test("a run that is killed in such an outage loses nothing, and its resume runs nothing twice", async () => {
  await using gym = new Gateway(40, 20, 0);
  gym.comesBack = false;
  await using scratch = new Scratch();
  scratch.tasks(120);
  const words = collect(gym, ...ROUTED, "-c", "20");
  await using killed = start(words, { cwd: scratch.path });
  await killed.says(/is turning rows away/);
  await killed.until((async () => {
    const lines = () => Deno.readTextFileSync(scratch.at("r.jsonl")).split("\n").length - 1;
    for (let looks = 0; lines() < 40; looks++) {
      assert.ok(looks < 3000, "what was answered is not written");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })());
  killed.kill("SIGKILL");
  await killed.ends();
  const recorded = scratch.rows("r_failures.jsonl").map((row) => row._ng_task_index);
  assert.ok(recorded.length <= 5);

  gym.comesBack = true;
  const summary = told(await rollcall([...words, "--resume"], { cwd: scratch.path }), 0);
  assert.deepEqual([summary.done_before, summary.done, summary.failed], [40, 80, 0]);
  assert.deepEqual(gym.ran.toSorted((a, b) => a - b), upTo(120), "a row ran twice, or never");
  const rows = scratch.rows("r.jsonl");
  assert.equal(new Set(rows.map((row) => row._ng_task_index)).size, 120);
  assert.equal(rows.length, 120);
  const again = rows.filter((row) => row._ng_attempt_index !== undefined).map((row) => row._ng_task_index);
  assert.deepEqual(again.sort(), recorded.sort());
});

Deno.test("rows that are turned away are failures as in Gym with --no-outage-retry, and the first ends a run without a sidecar", async () => {
  await using gym = new Gym(({ n }) => n < 7 ? { status: 503 } : reward(1));
  await using scratch = new Scratch();
  scratch.tasks(8);
  const routed = await rollcall(collect(gym, ...ROUTED, "-c", "1", "--no-outage-retry"), {
    cwd: scratch.path,
  });
  const summary = told(routed, 0);
  assert.deepEqual([summary.done, summary.failed, summary.outages, gym.asked], [1, 7, [], upTo(8)]);
  assert.equal(scratch.rows("r_failures.jsonl").length, 7);

  gym.seen.length = 0;
  const ended = await rollcall(collect(gym, "-c", "1", "--disable-aggregation"), { cwd: scratch.path });
  assert.equal(ended.code, 1);
  assert.deepEqual(gym.asked, [0]);
  assert.match(ended.err, /Rollout 0-0 failed: \S+ answered 503/);
});

Deno.test("a server that was busy is not met by the whole herd: forty rows that it refused come back one, two, four, …", async () => {
  const rows = 40, all = new Gate();
  let refused = 0, arrived = 0, answered = 0, since = 0;
  const tooMany: string[] = [];
  await using gym = new Gym(async () => {
    if (refused < rows) {
      if (++refused === rows) all.open();
      await all.passed;
      since = performance.now();
      return { status: 429, headers: { "retry-after": "0.2" } };
    }
    const inFlight = ++arrived - answered;
    // Each answer doubles what may be in flight; so do five seconds in which none came, on a machine that is that slow.
    const silences = Math.floor((performance.now() - since) / 5000);
    if (inFlight > 2 ** (answered + silences)) {
      tooMany.push(`${inFlight} in flight after ${answered} answers`);
    }
    await new Promise((resolve) => setTimeout(resolve, 30));
    answered++;
    return reward(1);
  });
  await using scratch = new Scratch();
  scratch.tasks(rows);
  const summary = told(await rollcall(collect(gym, ...ROUTED, "-c", "40"), { cwd: scratch.path }), 0);
  assert.deepEqual(tooMany, []);
  assert.equal(gym.asked.length, 2 * rows, "a row was sent more often than it was refused, and once");
  assert.deepEqual([summary.done, summary.failed, summary.repeats], [rows, 0, rows]);
  assert.deepEqual(scratch.rows("r_failures.jsonl"), []);
});

Deno.test("a server that hangs does not take all slots: the other one's rows behind it run, and --server-concurrency is kept", async () => {
  const through = new Gate();
  let inFlight = 0, most = 0;
  await using hangs = new Gym(async () => {
    most = Math.max(most, ++inFlight);
    await through.passed;
    inFlight--;
    return reward(1);
  });
  await using works = new Gym(() => {
    if (works.asked.length === 20) through.open();
    return reward(1);
  });
  await using scratch = new Scratch();
  const task = (n: number) =>
    JSON.stringify({ n, agent_ref: { name: n < 20 ? "a" : "b" }, responses_create_params: {} });
  scratch.write("tasks.jsonl", upTo(40).map((n) => `${task(n)}\n`).join(""));
  const words = collect(hangs, "--server", `b=${works.url}`, ...ROUTED);

  // With 4 slots each of two servers has 2: it would wait for ever if the first one took all of them.
  const shared = told(await rollcall([...words, "-c", "4"], { cwd: scratch.path }), 0);
  assert.deepEqual([shared.done, hangs.asked.length, works.asked.length], [40, 20, 20]);
  assert.equal(hangs.asked[0], 0, "rows start in the order given");

  most = 0;
  const limited = told(
    await rollcall([...words, "-c", "12", "--server-concurrency", "1"], { cwd: scratch.path }),
    0,
  );
  assert.deepEqual([limited.done, most], [40, 1]);
});

Deno.test("a Retry-After longer than the retry window is no promise to wait: the run ends at once and says which", async () => {
  await using gym = new Gym(() => ({ status: 429, headers: { "retry-after": "7200" } }));
  await using scratch = new Scratch();
  scratch.tasks(3);
  const ended = await rollcall(collect(gym, ...ROUTED, "-c", "1"), { cwd: scratch.path });
  const summary = told(ended, 1);
  assert.equal(gym.asked.length, 1);
  assert.match(
    summary.error,
    /^Server a \(\S+\) asked us to wait 7200 s, longer than the retry window of 600 s has left\./,
  );
  assert.doesNotMatch(ended.err, /nothing is lost/);
  assert.deepEqual([summary.failed, summary.left], [1, 2]);
});
