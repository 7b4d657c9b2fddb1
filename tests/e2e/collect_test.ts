import assert from "node:assert/strict";
import { deadPort } from "../edge/_tcp_server.ts";
import { Gate, Gym, reward, rollcall, Scratch, start } from "./_rollcall.ts";

const OUT = ["--output", "out/r.jsonl"];

Deno.test("rollcall collect runs tasks at a server named by hand and writes all its files", async () => {
  await using gym = new Gym(({ n }) => ({ body: `{"n": ${n}, "reward": 1.0, "big": 12345678901234567890}` }));
  await using scratch = new Scratch();
  scratch.tasks(5);
  const { code, out, err } = await rollcall(
    ["collect", "-i", "tasks.jsonl", ...OUT, "-c", "1", "-n", "2", ...gym.flag],
    { cwd: scratch.path },
  );
  assert.equal(code, 0, err);
  assert.equal(out, "");
  assert.match(err, /Complete: 10 rollouts done/);
  assert.deepEqual(gym.asked, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
  assert.equal(
    Deno.readTextFileSync(scratch.at("out/r.jsonl")).split("\n")[2],
    '{"n": 1, "reward": 1.0, "big": 12345678901234567890,"_ng_task_index":1,"_ng_rollout_index":0,"agent_ref":{"name":"a"}}',
  );
  const names = Object.keys(scratch.snapshot());
  for (
    const name of ["r.jsonl", "r_failures.jsonl", "r_materialized_inputs.jsonl", "r_aggregate_metrics.json"]
  ) {
    assert.ok(names.includes(`out/${name}`), `${name} is missing`);
  }
  assert.ok(!names.some((name) => /\.(lock|new|old|index)$/.test(name)), `left behind: ${names}`);
  assert.deepEqual(scratch.rows("out/r_failures.jsonl"), []);
  assert.equal(scratch.rows("out/r_materialized_inputs.jsonl").length, 10);
  const [metrics] = JSON.parse(Deno.readTextFileSync(scratch.at("out/r_aggregate_metrics.json")));
  assert.equal(metrics.key_metrics["mean/reward"], 1);
});

Deno.test("rollcall collect learns its servers from a head server", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(3);
  const { code, err } = await rollcall(
    ["collect", "-i", "tasks.jsonl", ...OUT, "--head", `127.0.0.1:${gym.port}`],
    { cwd: scratch.path },
  );
  assert.equal(code, 0, err);
  assert.equal(scratch.rows("out/r.jsonl").length, 3);
});

Deno.test("rollcall collect takes Gym's overrides", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(3);
  const { code, err } = await rollcall([
    "collect",
    "+agent_name=a",
    "+input_jsonl_fpath=tasks.jsonl",
    "++output_jsonl_fpath=out/r.jsonl",
    "+num_repeats=2",
    "+limit=2",
    "+num_samples_in_parallel=4",
    "+responses_create_params={temperature: 0.5}",
    `+head_server.port=${gym.port}`,
  ], { cwd: scratch.path });
  assert.equal(code, 0, err);
  assert.equal(scratch.rows("out/r.jsonl").length, 4);
  const sent = gym.seen.filter(({ path }) => path === "/run").map(({ body }) => JSON.parse(body));
  const row = sent.find(({ n }) => n === 0);
  assert.deepEqual(row.responses_create_params, { input: "task 0", temperature: 0.5 });
});

for (
  const [name, text] of [
    ["run.jsonc", (url: string) =>
      `{
      // what to run
      "input_jsonl_fpath": "tasks.jsonl",
      "output_jsonl_fpath": "out/r.jsonl",
      "num_repeats": 2,
      "servers": { "a": "${url}" }, // trailing commas are fine
    }`],
    ["run.yaml", (url: string) => `
# what to run
input_jsonl_fpath: tasks.jsonl
output_jsonl_fpath: out/r.jsonl
num_repeats: 2
servers:
  a: ${url}
`],
  ] as const
) {
  Deno.test(`rollcall collect takes its keys from ${name}; flags win`, async () => {
    await using gym = new Gym();
    await using scratch = new Scratch();
    scratch.tasks(2);
    scratch.write(name, text(gym.url));
    const { code, err } = await rollcall(["collect", "--config", name, "-n", "3"], { cwd: scratch.path });
    assert.equal(code, 0, err);
    assert.equal(scratch.rows("out/r.jsonl").length, 6);
  });
}

Deno.test("rollcall collect reads tasks from standard input", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  const { code, err } = await rollcall(["collect", "-i", "-", ...OUT, ...gym.flag], {
    cwd: scratch.path,
    wrap: [
      "bash",
      "-c",
      `printf '%s\\n' '{"n":0,"agent_ref":{"name":"a"},"responses_create_params":{}}' | "$@"`,
      "-",
    ],
  });
  assert.equal(code, 0, err);
  assert.equal(scratch.rows("out/r.jsonl").length, 1);
});

Deno.test("rollcall collect --json puts one JSON object on standard output and nothing else", async () => {
  await using gym = new Gym(({ n }) => n === 1 ? { status: 500 } : reward(1));
  await using scratch = new Scratch();
  scratch.tasks(4);
  const { code, out, err } = await rollcall(
    ["collect", "-i", "tasks.jsonl", ...OUT, ...gym.flag, "--json", "--route-failures-to-sidecar"],
    { cwd: scratch.path },
  );
  assert.equal(code, 0, err);
  assert.ok(out.endsWith("}\n") && out.indexOf("\n") === out.length - 1, "one line");
  const { ending, owed, done, failed, left, failures, files } = JSON.parse(out);
  assert.deepEqual({ ending, owed, done, failed, left, failures }, {
    ending: "complete",
    owed: 4,
    done: 3,
    failed: 1,
    left: 0,
    failures: { agent_run_error: 1 },
  });
  assert.equal(files.rollouts, scratch.at("out/r.jsonl"));
});

Deno.test("rollcall collect --quiet says nothing while all goes well but the summary", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(2);
  const { err } = await rollcall(["collect", "-i", "tasks.jsonl", ...OUT, ...gym.flag, "-q"], {
    cwd: scratch.path,
  });
  assert.match(err, /^Complete/);
});

Deno.test("rollcall collect ends with 1 when a rollout fails, and keeps the others", async () => {
  await using gym = new Gym(({ n }) => n === 3 ? { status: 500, body: "oops" } : reward(1));
  await using scratch = new Scratch();
  scratch.tasks(10);
  const { code, out, err } = await rollcall(
    ["collect", "-i", "tasks.jsonl", ...OUT, ...gym.flag, "-c", "1", "--json"],
    { cwd: scratch.path },
  );
  assert.equal(code, 1);
  assert.match(err, /answered 500: oops/);
  assert.deepEqual(gym.asked, [0, 1, 2, 3]);
  assert.equal(scratch.rows("out/r.jsonl").length, 3);
  const { ending, done, failed, left, owed } = JSON.parse(out);
  assert.deepEqual([ending, done, failed, left, owed], ["failed", 3, 1, 6, 10]);
});

Deno.test("rollcall collect ends with 1 under --require-complete when a rollout is missing", async () => {
  await using gym = new Gym(({ n }) => n === 1 ? { status: 500 } : reward(1));
  await using scratch = new Scratch();
  scratch.tasks(3);
  const { code, err } = await rollcall(
    [
      "collect",
      "-i",
      "tasks.jsonl",
      ...OUT,
      ...gym.flag,
      "--route-failures-to-sidecar",
      "--require-complete",
    ],
    { cwd: scratch.path },
  );
  assert.equal(code, 1);
  assert.match(err, /1 of 3 rollouts is missing/);
  assert.equal(scratch.rows("out/r.jsonl").length, 2);
  assert.equal(scratch.rows("out/r_failures.jsonl").length, 1);
});

Deno.test("rollcall collect ends with --drain-exit-code when the budget leaves rollouts", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(5);
  // A budget that no answer is quicker than.
  const budget = ["--dispatch-budget", "0.000001", "--drain-exit-code", "75"];
  const { code, err } = await rollcall(
    ["collect", "-i", "tasks.jsonl", ...OUT, ...gym.flag, "-c", "1", ...budget],
    { cwd: scratch.path },
  );
  assert.equal(code, 75, err);
  assert.match(err, /budget is used up/);
  assert.deepEqual(gym.asked, [0]);
  assert.equal(scratch.rows("out/r.jsonl").length, 1);
});

Deno.test("rollcall collect keeps the last run's rollouts and sidecar as ….old", async () => {
  await using gym = new Gym(({ n, row }) =>
    row.second || n !== 0 ? reward(row.second ? 2 : 1) : { status: 500 }
  );
  await using scratch = new Scratch();
  const again = (extra: string[] = []) =>
    rollcall(["collect", "-i", "tasks.jsonl", ...OUT, ...gym.flag, "--route-failures-to-sidecar", ...extra], {
      cwd: scratch.path,
    });
  scratch.tasks(2);
  assert.equal((await again()).code, 0);
  const first = scratch.snapshot();
  scratch.write("tasks.jsonl", first["tasks.jsonl"]!.replaceAll('"n":', '"second":true,"n":'));
  assert.equal((await again()).code, 0);
  const second = scratch.snapshot();
  assert.equal(second["out/r.jsonl.old"], first["out/r.jsonl"]);
  assert.equal(second["out/r_failures.jsonl.old"], first["out/r_failures.jsonl"]);
  assert.equal(scratch.rows("out/r.jsonl").length, 2);
  assert.ok(scratch.rows("out/r.jsonl").every((row) => row.reward === 2));
});

Deno.test("rollcall demo works in a fresh folder", async () => {
  await using scratch = new Scratch();
  const { code, out, err } = await rollcall(["demo", "--count", "20", "--json"], { cwd: scratch.path });
  assert.equal(code, 0, err);
  const { ending, done, failed, owed } = JSON.parse(out);
  assert.equal(ending, "complete");
  assert.equal(done + failed, owed);
  assert.equal(scratch.rows("rollcall-demo/rollouts.jsonl").length, done);
  assert.deepEqual(Object.keys(scratch.snapshot()).filter((name) => !name.startsWith("rollcall-demo")), []);
});

/** In a shell that may open few files. */
const few = (count: number) => ["bash", "-c", `ulimit -n ${count}; exec "$@"`, "-"];

Deno.test("rollcall collect works with few file descriptors", async () => {
  const gate = new Gate();
  await using gym = new Gym(async ({ n }) => {
    if (n < 30) await gate.passed; // all that may be in flight at a time are
    return reward(1);
  });
  await using scratch = new Scratch();
  scratch.tasks(200);
  await using process = start(["collect", "-i", "tasks.jsonl", ...OUT, ...gym.flag, "-c", "30"], {
    cwd: scratch.path,
    wrap: few(128),
  });
  await process.until(gym.hasSeen(30));
  gate.open();
  const { code, err } = await process.ends();
  assert.equal(code, 0, err);
  const tasks = scratch.rows("out/r.jsonl").map((row) => row._ng_task_index);
  assert.equal(new Set(tasks).size, 200);
  assert.deepEqual(scratch.rows("out/r_failures.jsonl"), []);
  assert.equal(gym.asked.length, 200);
});

Deno.test("rollcall collect says before it sends anything that there are too few file descriptors", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(300);
  const { code, err } = await rollcall(["collect", "-i", "tasks.jsonl", ...OUT, ...gym.flag, "-c", "200"], {
    cwd: scratch.path,
    wrap: few(128),
  });
  assert.equal(code, 2, err);
  assert.match(err, /ulimit -n/);
  assert.deepEqual(gym.seen, []);
  assert.deepEqual(Object.keys(scratch.snapshot()), ["tasks.jsonl"]);
  const fits = /--concurrency (\d+)/.exec(err)![1]!;
  const again = await rollcall(["collect", "-i", "tasks.jsonl", ...OUT, ...gym.flag, "-c", fits], {
    cwd: scratch.path,
    wrap: few(128),
  });
  assert.equal(again.code, 0, again.err);
  assert.equal(scratch.rows("out/r.jsonl").length, 300);
});

Deno.test("rollcall collect waits for a server that is not up yet, says so, and goes on when it is", async () => {
  await using scratch = new Scratch();
  scratch.tasks(3);
  const port = deadPort();
  await using process = start(
    ["collect", "-i", "tasks.jsonl", ...OUT, "--server", `a=http://127.0.0.1:${port}`],
    { cwd: scratch.path },
  );
  await process.says(new RegExp(`127\\.0\\.0\\.1:${port}.*unreachable.*connection refused`));
  await using _late = new Gym(() => reward(1), port);
  const { code, err } = await process.ends();
  assert.equal(code, 0, err);
  assert.match(err, /is back after/);
  assert.equal(scratch.rows("out/r.jsonl").length, 3);
});

Deno.test("rollcall collect records an attempt that broke off, and runs the rollout again", async () => {
  await using gym = new Gym(({ row }) => row._ng_attempt_index === 1 ? reward(1) : "hang up");
  await using scratch = new Scratch();
  scratch.tasks(1);
  const { code, err } = await rollcall(["collect", "-i", "tasks.jsonl", ...OUT, ...gym.flag], {
    cwd: scratch.path,
  });
  assert.equal(code, 0, err);
  assert.deepEqual(gym.asked, [0, 0]);
  assert.equal(scratch.rows("out/r.jsonl")[0]!._ng_attempt_index, 1);
  assert.equal(scratch.rows("out/r_failures.jsonl")[0]!._ng_failure_delivery, "possibly_delivered");
});

Deno.test("rollcall collect keeps whole lines and stops when the disk is full", async () => {
  const padding = "x".repeat(3000);
  await using gym = new Gym(() => ({ body: JSON.stringify({ reward: 1, padding }) }));
  await using scratch = new Scratch();
  scratch.tasks(20);
  // From sources, the runtime writes into files of its own before rollcall is there to take the signal.
  const spared = Deno.env.get("ROLLCALL_BIN") ? "" : "trap '' XFSZ; ";
  const { code, err } = await rollcall([
    "collect",
    "-i",
    "tasks.jsonl",
    "-o",
    "r.jsonl",
    ...gym.flag,
    "-c",
    "1",
  ], {
    cwd: scratch.path,
    wrap: ["bash", "-c", `${spared}ulimit -f 8; exec "$@"`, "-"], // 8 KiB a file
  });
  assert.equal(code, 1, err);
  assert.match(err, /Cannot write to .*r\.jsonl/);
  assert.equal(scratch.rows("r.jsonl").length, 2);
  assert.ok(gym.asked.length <= 4, `${gym.asked.length} were asked for`);
});

Deno.test("rollcall collect does not mind what folders, files and servers are called", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  const folder = "a, b #1 %20 ä*?";
  scratch.tasks(2, "agent, one: ä", `${folder}/tasks [1].jsonl`);
  Deno.mkdirSync(scratch.at("real folder"));
  Deno.symlinkSync("real folder", scratch.at("link"));
  const { code, err } = await rollcall([
    "collect",
    "-i",
    `${folder}/tasks [1].jsonl`,
    "-o",
    `link/${folder}/r 1.jsonl`,
    "--server",
    `agent, one: ä=http://localhost:${gym.port}/base/`,
  ], { cwd: scratch.path });
  assert.match(err, /\/base\/run answered 404/);
  assert.equal(code, 1);
  assert.ok(`real folder/${folder}/r 1_materialized_inputs.jsonl` in scratch.snapshot());
});

Deno.test("rollcall collect writes where a link to nothing leads to, and leaves the link", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(2);
  Deno.symlinkSync("big disk/runs/r.jsonl", scratch.at("r.jsonl"));
  const args = ["collect", "-i", "tasks.jsonl", "-o", "r.jsonl", ...gym.flag];
  for (let runs = 0; runs < 2; runs++) {
    const { code, err } = await rollcall(args, { cwd: scratch.path });
    assert.equal(code, 0, err);
  }
  assert.equal(scratch.snapshot()["r.jsonl"], "-> big disk/runs/r.jsonl");
  assert.equal(scratch.rows("big disk/runs/r.jsonl").length, 2);
  assert.equal(scratch.rows("big disk/runs/r.jsonl.old").length, 2);
  assert.deepEqual(Object.keys(scratch.snapshot()).filter((path) => !path.startsWith("big disk")), [
    "r.jsonl",
    "tasks.jsonl",
  ]);
});
