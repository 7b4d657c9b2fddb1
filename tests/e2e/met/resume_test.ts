/** What users met who resumed. */
import assert from "node:assert/strict";
import { Gym, reward, rollcall, Scratch } from "../_rollcall.ts";

const ARGS = ["collect", "-o", "runs/a.jsonl"], INPUT = ["-i", "tasks.jsonl"];
const DEAD = "--server=a=http://127.0.0.1:1"; // nothing is sent, so nobody has to be there

Deno.test("the same thing said otherwise is no drift, another thing is, and so are inputs edited by hand", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  const at = { cwd: scratch.path }, inputs = scratch.at("runs/a_materialized_inputs.jsonl");
  scratch.tasks(2);
  const args = [...ARGS, ...gym.flag, "--json"];
  const first = await rollcall([...args, ...INPUT, "--agent", "a", "+limit=null"], at);
  assert.equal(first.code, 0, first.err);

  Deno.writeTextFileSync(scratch.at("tasks.jsonl"), "\n  \n", { append: true });
  const same = [
    "-i",
    `${scratch.path}/./tasks.jsonl`,
    "+agent_map={_default: a}",
    "+fan_out={}",
    "--limit",
    "0",
  ];
  const resumed = await rollcall([...args, ...same, "+num_repeats={_default: 1}", "--resume"], at);
  assert.equal(resumed.code, 0, resumed.err);
  assert.deepEqual([JSON.parse(resumed.out).done_before, gym.asked.length], [2, 2]);

  Deno.writeTextFileSync(inputs, Deno.readTextFileSync(inputs).replace("task 0", "task 7"));
  const before = scratch.snapshot();
  const other = await rollcall([...ARGS, ...INPUT, DEAD, "-n", "2", "--resume"], at);
  assert.equal(other.code, 2, other.err);
  assert.match(other.err, /num_repeats was 1 and is 2 now/);
  assert.match(other.err, /agent_name was "a" and is null now/);
  assert.match(other.err, /the materialized inputs were edited since the run wrote them/);
  assert.deepEqual(scratch.snapshot(), before);
});

Deno.test("every rollout at the attempt limit: a resume is no success, and says how to try them again", async () => {
  await using gym = new Gym(() => ({ status: 500, body: "boom" }));
  await using scratch = new Scratch();
  scratch.tasks(2);
  const at = { cwd: scratch.path, env: { NEMO_GYM_MAX_ROLLOUT_ATTEMPTS: "1" } };
  const args = [...ARGS, ...INPUT, ...gym.flag, "--route-failures-to-sidecar"];
  await rollcall(args, at);
  const asked = gym.asked.length;
  const { code, err } = await rollcall([...args, "--resume"], at);
  assert.equal(code, 1, err);
  assert.match(err, /--retry-exhausted/);
  assert.match(err, /NEMO_GYM_MAX_ROLLOUT_ATTEMPTS/);
  assert.equal(gym.asked.length, asked);
});

/** What stood in the rollouts file in place of the rows of the tasks from 1 on. */
const ODD: readonly (string | Uint8Array)[] = [
  "{}",
  '{"_ng_task_index":"2","_ng_rollout_index":0,"reward":1}',
  '{"_ng_task_index":3,"_ng_rollout_index":0,"reward":1-2}',
  '{"_ng_task_index":4,"_ng_rollout_index":0,"reward":nul}',
  '{"_ng_task_index":5,"_ng_rollout_index":0,}',
  '{"_ng_task_index":6,"_ng_rollout_index":0,"x":[{]}}',
  new Uint8Array([
    ...new TextEncoder().encode('{"_ng_task_index":7,"_ng_rollout_index":0,"x":"'),
    0xff,
    0x22,
    0x7d,
  ]),
  '[{"_ng_task_index":8,"_ng_rollout_index":0}]',
];

Deno.test("odd lines that an old version or a crash left are set aside once and run again; the metrics come", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(11);
  const at = { cwd: scratch.path, env: { NEMO_GYM_MAX_ROLLOUT_ATTEMPTS: "2" } };
  const args = [...ARGS, ...INPUT, ...gym.flag, "--json"];
  assert.equal((await rollcall(args, at)).code, 0);
  const path = scratch.at("runs/a.jsonl"), rows = scratch.rows("runs/a.jsonl");
  const row = (task: number) => JSON.stringify(rows.find(({ _ng_task_index }) => _ng_task_index === task));
  const encoder = new TextEncoder();
  const lines = [row(0), ...ODD].map((line) => typeof line === "string" ? encoder.encode(line) : line);
  // The last line is whole but for its line break.
  Deno.writeFileSync(path, new Uint8Array(lines.flatMap((line) => [...line, 0x0a])));
  Deno.writeTextFileSync(path, row(9), { append: true });
  const failed = (task: number, failure: string) =>
    `{"_ng_task_index":${task},"_ng_rollout_index":0,"_ng_failure_class":${failure}}\n`;
  const sidecar = failed(10, `${"[".repeat(6000)}${"]".repeat(6000)}`) + failed(10, '{"class":"x"}') + "{}\n";
  // Half a record at the end goes.
  Deno.writeTextFileSync(scratch.at("runs/a_failures.jsonl"), `${sidecar}{"_ng_task_index":10,"_ng_ro`);

  const status = await rollcall(["status", "runs/a.jsonl"], at);
  assert.doesNotMatch(status.err + status.out, /\n\s+at |RangeError/);

  const resumed = await rollcall([...args, "--resume"], at);
  assert.equal(resumed.code, 0, resumed.err);
  const { done_before, at_cap, done } = JSON.parse(resumed.out);
  assert.deepEqual({ done_before, at_cap, done }, { done_before: 2, at_cap: 1, done: 8 });
  assert.match(resumed.err, /8 lines of .*a\.jsonl .*a_quarantine\.jsonl/);
  assert.equal(Deno.readTextFileSync(scratch.at("runs/a_failures.jsonl")), sidecar);
  const tasks = scratch.rows("runs/a.jsonl").map(({ _ng_task_index }) => Number(_ng_task_index));
  assert.deepEqual(tasks.sort((a, b) => a - b), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.ok("runs/a_aggregate_metrics.json" in scratch.snapshot());

  const quarantine = scratch.snapshot()["runs/a_quarantine.jsonl"];
  assert.equal(quarantine!.split("\n").length - 1, 8);
  const again = await rollcall([...args, "--resume"], at);
  assert.equal(again.code, 0, again.err);
  assert.doesNotMatch(again.err, /quarantine/);
  assert.equal(scratch.snapshot()["runs/a_quarantine.jsonl"], quarantine);
});

/** What was a reward in the eyes of a server, and its number. */
const REWARDS = ["true", "false", "1e400", '"1"', "null", "[1]", "0.5"];

Deno.test("boolean rewards are 1 and 0 everywhere, and what is not a finite number is unscored everywhere", async () => {
  await using gym = new Gym(({ n }) => ({ body: `{"reward":${REWARDS[n]},"response":{}}` }));
  await using scratch = new Scratch();
  scratch.tasks(REWARDS.length);
  const collected = await rollcall([...ARGS, ...INPUT, ...gym.flag, "--json"], { cwd: scratch.path });
  assert.equal(collected.code, 0, collected.err);
  const summary = JSON.parse(collected.out);
  assert.equal(summary.unscored, 4);
  assert.match(collected.err, /unscored +4 results/);
  assert.equal(summary.live[0].means.reward, 0.5);
  const merge = ["aggregate", "--offline", "-i", "runs/a.jsonl", "-o", "all.jsonl", "--json"];
  const merged = await rollcall(merge, { cwd: scratch.path });
  assert.equal(merged.code, 0, merged.err);
  assert.equal(JSON.parse(merged.out).metrics[0].key_metrics["mean/reward"], 0.5);
  assert.match(merged.err, /unscored +4 rows whose reward is missing or not a number/);
});

Deno.test("a half-written record at the end is dropped, and a whole one that lacks its newline is kept", async () => {
  await using gym = new Gym(({ n }) => reward(n));
  await using scratch = new Scratch();
  scratch.tasks(2);
  const args = [...ARGS, ...INPUT, ...gym.flag, "--json", "-c", "1"];
  assert.equal((await rollcall(args, { cwd: scratch.path })).code, 0);
  const path = scratch.at("runs/a.jsonl"), text = Deno.readTextFileSync(path);
  Deno.writeTextFileSync(path, text.slice(0, -10));
  const { code, out, err } = await rollcall([...args, "--resume"], { cwd: scratch.path });
  assert.equal(code, 0, err);
  assert.deepEqual([JSON.parse(out).done_before, JSON.parse(out).done], [1, 1]);
  assert.equal(Deno.readTextFileSync(path), text);
});
