/** What users met: what a run says of itself. */
import assert from "node:assert/strict";
import { collectSchema } from "../../../src/report/schemas.ts";
import { Gate, Gym, reward, rollcall, Scratch, start } from "../_rollcall.ts";

const GO = ["collect", "-i", "tasks.jsonl", "-o", "r.jsonl"];

Deno.test("a Slurm job's end left five of six rollouts undone, and -q and --json hid that and every warning", async () => {
  const gate = new Gate();
  await using gym = new Gym(async ({ n }) => {
    if (n > 0) await gate.passed;
    return reward(0.25);
  });
  await using scratch = new Scratch();
  scratch.tasks(6);
  scratch.write("c.json", '{"input_glob":"x"}');
  const args = [...GO, ...gym.flag, "-c", "1", "-q", "--json", "--config", "c.json"];
  await using first = start([...args, "--grace", "0.05"], { cwd: scratch.path });
  await first.until(gym.hasSeen(2));
  first.kill("SIGTERM");
  const stopped = await first.ends();
  assert.equal(stopped.code, 75, stopped.err);
  assert.match(stopped.err, /Ignored, since they are not keys of collect:\n {2}.*input_glob/);
  const told = collectSchema.parse(JSON.parse(stopped.out));
  assert.match(told.notes.join(), /input_glob/);
  assert.deepEqual(told.undone, [{ rollouts: 5, why: "signal" }]);

  const { code, out, err } = await rollcall([...args, "--resume", "--disable-aggregation"], {
    cwd: scratch.path,
    env: { SLURM_JOB_ID: "7", SLURM_JOB_END_TIME: "1700000000" },
  });
  assert.equal(code, 0, err);
  assert.match(err, /Slurm job 7 should have ended by now/);
  assert.match(err, /The Slurm job ends too soon: 0 of 5 rollouts done in .*; 5 not run\./);
  const { ending, undone, notes, so_far } = collectSchema.parse(JSON.parse(out));
  assert.deepEqual([ending, undone], ["drained", [{ rollouts: 5, why: "slurm_end" }]]);
  assert.match(notes.join(), /Slurm job 7/);
  // The row of the run before is in the file, so it is in the mean.
  assert.deepEqual(so_far, [{ name: "a", rows: 1, expected: 6, unscored: 0, means: { reward: 0.25 } }]);
});

Deno.test("the mean so far was not that of the rows that were written, and nobody said which had no reward", async () => {
  const answers = [
    '{"reward":1}',
    '{"reward":0,"_ng_no_persist":true}',
    '{"reward":null}',
    '{"reward":1e400}',
  ];
  await using gym = new Gym(({ n }) => ({ body: answers[n]! }));
  await using scratch = new Scratch();
  scratch.tasks(4);
  const { code, out, err } = await rollcall([...GO, ...gym.flag, "--json", "--disable-aggregation"], {
    cwd: scratch.path,
  });
  assert.equal(code, 0, err);
  const { so_far, live, unscored } = collectSchema.parse(JSON.parse(out));
  assert.deepEqual([so_far[0]!.rows, so_far[0]!.means, so_far[0]!.unscored], [3, { reward: 1 }, 2]);
  assert.deepEqual([live[0]!.means, live[0]!.unscored, unscored], [{ reward: 0.5 }, 2, 2]);
  assert.match(err, /unscored {4}2 results whose reward is missing or not a number\n/);
  assert.match(err, /so far {6}group +rows +of +reward\n +a +3 +4 +1\n/);
});

Deno.test("a server that invents a failure class for every row filled the screen, the summary and the JSON", async () => {
  await using gym = new Gym(({ n }) => ({
    body: `{"_ng_failure_class":"class_${n}","_ng_failure_message":"no"}`,
  }));
  await using scratch = new Scratch();
  scratch.tasks(300);
  const { code, out, err } = await rollcall(
    [...GO, ...gym.flag, "-c", "8", "--json", "--route-failures-to-sidecar"],
    { cwd: scratch.path },
  );
  assert.equal(code, 1, err);
  const { failures, other_failures } = collectSchema.parse(JSON.parse(out));
  assert.equal(Object.keys(failures).length, 20);
  assert.deepEqual(other_failures, { classes: 280, count: 280 });
  assert.match(err, /280 of 280 more classes/);
  assert.equal(err.match(/^Rollout \d+-0 failed/gm)!.length, 20);
  assert.ok(err.split("\n").length < 80, err);
  assert.equal(scratch.rows("r_failures.jsonl").length, 300);

  const status = await rollcall(["status", "r.jsonl", "--json"], { cwd: scratch.path });
  const { failed, other_failed } = JSON.parse(status.out);
  assert.deepEqual([Object.keys(failed).length, other_failed], [20, { classes: 280, count: 280 }]);
});

Deno.test("--json into a full disk exited 0", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(2);
  const wrap = ["bash", "-c", '"$@" >/dev/full', "-"];
  for (const args of [[...GO, ...gym.flag, "--json"], ["status", "r.jsonl"]]) {
    const { code, err } = await rollcall(args, { cwd: scratch.path, wrap });
    assert.equal(code, 1, err);
    assert.match(err, /rollcall: Cannot write to standard output: no space left on device\.\n$/i);
  }
  assert.equal(scratch.rows("r.jsonl").length, 2);
});
