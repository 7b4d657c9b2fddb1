/** A run in shards, with the real collector in front of a server that answers a row always alike. */
import assert from "node:assert/strict";
import { run } from "../../src/cli/rollcall.ts";
import { FakeWorld } from "../fakes/fake_world.ts";

const SHARDS = 8;

/** 21 lines: one is there twice, one brings a number of its own. Task 4 and a rollout of task 9 fail. */
const TASKS = [...Array(20).keys(), 2].map((n) =>
  `${
    JSON.stringify({
      n,
      agent_ref: { name: n % 3 === 0 ? "a" : "b" },
      ...(n === 19 ? { _ng_task_index: 30 } : {}),
      responses_create_params: { input: `task ${n}` },
    })
  }\n`
).join("");

interface Row {
  readonly n: number;
  readonly _ng_task_index: number;
  readonly _ng_rollout_index: number;
  readonly responses_create_params: { readonly metadata?: unknown };
}

/** Answers rollouts and metrics as a function of what it is sent. */
function answer({ n, _ng_rollout_index: rollout, responses_create_params }: Row): Response {
  if (n === 4 || (n === 9 && rollout === 1)) return new Response("no", { status: 500 });
  return Response.json({
    reward: (n + rollout) % 3 === 0 ? 1 : 0,
    seen: responses_create_params,
    response: null,
  });
}

/** A folder with the tasks, and a server. */
class Place implements AsyncDisposable {
  readonly fake = new FakeWorld({ files: { "tasks.jsonl": TASKS }, collector: true });
  /** Rows that were sent, by identity and parameters. */
  sent: string[] = [];
  readonly #server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const body = await request.json();
    if (new URL(request.url).pathname === "/aggregate_metrics") {
      return Response.json({ agent_metrics: { rows: body.verify_responses } });
    }
    this.sent.push(
      `${body._ng_task_index}-${body._ng_rollout_index} ${JSON.stringify(body.responses_create_params)}`,
    );
    return answer(body);
  });

  /** Runs rollcall. */
  async rollcall(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const { fake } = this, before = fake.terminal.stderr.length;
    const code = await run({ ...fake.world, args: [...args], env: (name) => env[name] });
    const stdout = fake.terminal.stdout;
    fake.terminal.stdout = "";
    return { code, stderr: fake.terminal.stderr.slice(before), stdout };
  }

  /** The flags that name the servers. */
  get servers(): string[] {
    const { port } = this.#server.addr;
    return ["a", "b"].flatMap((name) => ["--server", `${name}=http://127.0.0.1:${port}`]);
  }

  async collect(output: string, more: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
    const base = ["-i", "tasks.jsonl", "-o", output, "-c", "4", "--add-seed", "--quiet"];
    return await this.rollcall(
      [
        "collect",
        ...base,
        "--route-failures-to-sidecar",
        ...this.servers,
        ...more.includes("-n") ? [] : ["-n", "3"],
        ...more,
      ],
      env,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.fake[Symbol.dispose]();
    await this.#server.shutdown();
  }
}

const sortedLines = (text: string) => text.split("\n").filter((line) => line !== "").sort();
const name = (index: number, ending: string) =>
  `runs/a-shard-${String(index).padStart(4, "0")}-of-0008${ending}`;

Deno.test("shards send what the whole run sends, and aggregate makes the same files of them, byte for byte", async () => {
  await using place = new Place();
  const { fake } = place;
  for (let index = 0; index < SHARDS; index++) {
    const { code, stderr } = await place.collect("runs/a.jsonl", ["--shard", `${index}/${SHARDS}`]);
    assert.equal(code, 0, stderr);
  }
  const bySharding = place.sent.splice(0);
  assert.ok(
    !fake.list().some((path) => /quality_summary|verdicts|aggregate_metrics/.test(path)),
    "not scored",
  );
  assert.equal((await place.collect("whole.jsonl", ["--disable-aggregation"])).code, 0);
  assert.deepEqual(bySharding.sort(), place.sent.sort(), "the same identities and seeds");
  const inputs = [...Array(SHARDS).keys()].map((index) =>
    fake.text(name(index, "_materialized_inputs.jsonl"))
  );
  assert.deepEqual(sortedLines(inputs.join("")), sortedLines(fake.text("whole_materialized_inputs.jsonl")));

  for (const how of [[], ["--count-missing-rollouts-as-zero"], ["--offline"]]) {
    const servers = how[0] === "--offline" ? [] : place.servers;
    for (
      const [from, to] of [["runs/a-shard-*.jsonl", "merged.jsonl"], ["whole.jsonl", "one.jsonl"]] as const
    ) {
      const { code, stderr } = await place.rollcall(["aggregate", "-i", from, "-o", to, ...servers, ...how]);
      assert.equal(code, 0, stderr);
      assert.doesNotMatch(stderr, /no rollouts file here/);
    }
    assert.equal(fake.text("merged.jsonl"), fake.text("one.jsonl"));
    assert.equal(fake.text("merged_aggregate_metrics.json"), fake.text("one_aggregate_metrics.json"));
  }
  assert.equal(sortedLines(fake.text("merged.jsonl")).length, 59);
});

Deno.test("a shard is resumed and extended like a run, and another shard is drift", async () => {
  await using place = new Place();
  const { fake } = place, shard = ["--shard", "1/8"], own = name(1, ".jsonl");
  assert.equal((await place.collect("runs/a.jsonl", [...shard, "--token-budget", "1"])).code, 0);
  const rows = fake.text(own);
  fake.write(own, `${rows.split("\n")[0]}\n`);
  place.sent = [];
  assert.equal((await place.collect("runs/a.jsonl", [...shard, "--resume", "--retry-exhausted"])).code, 0);
  assert.deepEqual(
    sortedLines(fake.text(own)).map((line) => JSON.parse(line)).map((row) => row.seen),
    sortedLines(rows).map((line) => JSON.parse(line)).map((row) => row.seen),
  );
  const drifted = await place.collect(own, ["--resume"]);
  assert.equal(drifted.code, 2);
  assert.match(drifted.stderr, /shard was "1\/8" and is null now/);

  place.sent = [];
  const more = await place.collect("runs/a.jsonl", [...shard, "--resume", "--extend", "-n", "4"]);
  assert.equal(more.code, 0, more.stderr);
  assert.ok(place.sent.length > 0);
  for (const line of place.sent) assert.ok(Number(line.split("-")[0]) % 8 === 1, line);
  assert.equal((await place.collect("runs/a.jsonl", ["--tasks", "1,2,9", "--shard", "0/8"])).code, 0);
  assert.equal(fake.text(name(0, "_materialized_inputs.jsonl")), "", "a shard may be without tasks");
});

Deno.test("--shard auto says in one line which shard it is; a missing shard is named by aggregate", async () => {
  await using place = new Place();
  const array = (id: number) => ({
    SLURM_ARRAY_TASK_ID: String(id),
    SLURM_ARRAY_TASK_MIN: "1",
    SLURM_ARRAY_TASK_MAX: "8",
    SLURM_ARRAY_TASK_STEP: "1",
    SLURM_ARRAY_TASK_COUNT: "8",
  });
  const { code, stderr } = await place.collect("runs/a.jsonl", ["--shard", "auto"], array(3));
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^Shard 2\/8 \(numbered from 0\), from task 3 of the Slurm array 1-8\.$/m);
  assert.ok(place.fake.list().includes(name(2, ".jsonl")));
  assert.equal((await place.collect("runs/a.jsonl", ["--shard", "8/8"])).code, 2);

  const aggregate = ["aggregate", "-i", "runs/a-shard-*.jsonl", "-o", "all.jsonl", "--offline"];
  const some = await place.rollcall(aggregate);
  assert.equal(some.code, 0, some.stderr);
  assert.match(some.stderr, /7 of 8 shards of \S+\/runs\/a\.jsonl have no rollouts file here: 0-1,3-7\./);
  const strict = await place.rollcall([...aggregate, "--require-complete"]);
  assert.equal(strict.code, 2, strict.stderr);
});
