/** What users met: how far is a run, and how long will it take? */
import assert from "node:assert/strict";
import { statusSchema } from "../../../src/report/schemas.ts";
import { Gate, Gym, reward, rollcall, Scratch, start } from "../_rollcall.ts";

Deno.test("a run that hangs showed a time left that was fiction, and status had neither rate nor reward", async () => {
  const gate = new Gate();
  await using gym = new Gym(async ({ n }) => {
    if (n > 2) await gate.passed;
    return reward(n === 0 ? 1 : 0.5);
  });
  await using scratch = new Scratch();
  scratch.tasks(8);
  await using process = start(
    ["collect", "-i", "tasks.jsonl", "-o", "r.jsonl", "-c", "2", ...gym.flag],
    { cwd: scratch.path },
  );
  await process.says(/^\[.*, stalled \d+ s, oldest [34]-0$/m);
  assert.doesNotMatch(process.err, /\d+s left/);
  // With the next heartbeat everybody can read it.
  while (!/"stalled_s":\d/.test(Deno.readTextFileSync(scratch.at("r.lock")))) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { code, out, err } = await rollcall(["status", "r.jsonl", "--json"], { cwd: scratch.path });
  assert.equal(code, 0, err);
  const { running, done, left, reward: mean, per_minute, seconds_left, stalled_s } = statusSchema.parse(
    JSON.parse(out),
  );
  assert.deepEqual([running, done, left, mean, seconds_left], [true, 3, 5, 2 / 3, null]);
  // How many a minute lately: none, once it has hung for long enough.
  assert.ok(per_minute !== null && stalled_s! >= 3, out);
  gate.open();
  assert.equal((await process.ends()).code, 0);
});

Deno.test("the shards of a job array had to be asked for one by one", async () => {
  await using scratch = new Scratch();
  const row = (task: number, more = "") => `{"_ng_task_index":${task},"_ng_rollout_index":0${more}}\n`;
  for (const shard of ["a", "b"]) {
    scratch.write(`${shard}_materialized_inputs.jsonl`, row(0, ',"agent_ref":{"name":"a"}') + row(1));
    scratch.write(`${shard}.jsonl`, row(0, ',"reward":true'));
  }
  const shards = ["a.jsonl", "missing.jsonl", "b.jsonl"];
  const json = await rollcall(["status", ...shards, "--json"], { cwd: scratch.path });
  assert.equal(json.code, 2);
  assert.match(json.err, /^rollcall: There is no run at missing\.jsonl/);
  const told = json.out.trim().split("\n").map((line) => statusSchema.parse(JSON.parse(line)));
  assert.deepEqual(told.map(({ output, done, left, reward }) => [output, done, left, reward]), [
    [scratch.at("a.jsonl"), 1, 1, 1],
    [scratch.at("b.jsonl"), 1, 1, 1],
  ]);
  const { code, out } = await rollcall(["status", "a.jsonl", "b.jsonl"], { cwd: scratch.path });
  assert.equal(code, 0);
  assert.match(out, /\nreward {6}mean 1 of 1 row\n/);
  assert.match(out, /\n2 runs, 0 running: 2 of 4 rollouts done, 2 left\n$/);
});
