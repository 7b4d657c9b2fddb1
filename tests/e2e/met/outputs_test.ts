/** What users met who had several outputs, or the same one again. */
import assert from "node:assert/strict";
import { Gym, rollcall, Scratch } from "../_rollcall.ts";

const DEAD = "--server=a=http://127.0.0.1:1"; // nothing is sent, so nobody has to be there

/** Runs it, and expects that it was refused and touched nothing. */
async function refused(scratch: Scratch, args: readonly string[], message: RegExp, env = {}): Promise<void> {
  const before = scratch.snapshot();
  const { code, err } = await rollcall(args, { cwd: scratch.path, env });
  assert.equal(code, 2, err);
  assert.match(err, message);
  assert.match(err, /Nothing was touched\.\n$/);
  assert.deepEqual(scratch.snapshot(), before);
}

Deno.test("runs/qwen2.5 and runs/qwen2.7 share their files: the second run destroys nothing of the first", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(2);
  const into = (output: string) => ["collect", "-i", "tasks.jsonl", "-o", `runs/${output}`];
  for (const [first, second] of [["qwen2.5", "qwen2.7"], ["r.jsonl", "r.json"]] as const) {
    const ended = await rollcall([...into(first), ...gym.flag, "-q"], { cwd: scratch.path });
    assert.equal(ended.code, 0, ended.err);
    await refused(scratch, [...into(second), DEAD], /belong to .*Name another output, such as /);
    await refused(scratch, [...into(second), DEAD, "--resume"], /belong to /);
  }
  // What Gym left has no manifest.
  Deno.removeSync(scratch.at("runs/r_manifest.json"));
  await refused(scratch, [...into("r.json"), DEAD], /belong to .*r\.jsonl/);
});

Deno.test("two outputs in one folder: neither replaces the other's health reports, nor does an aggregate of both", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(2);
  const at = { cwd: scratch.path };
  const into = (output: string) => ["collect", "-i", "tasks.jsonl", "-o", output, ...gym.flag];
  const report = () => JSON.parse(scratch.snapshot()["runs/quality_summary.json"]!);
  assert.equal((await rollcall(into("runs/a.jsonl"), at)).code, 0);
  const first = report();

  const second = await rollcall(into("runs/b.jsonl"), at);
  assert.match(second.err, /quality_summary\.json .*are those of a\.jsonl; .*b_quality_summary\.json/s);
  const merge = ["aggregate", "--offline", "-i", "runs/*.jsonl", "-o"];
  const merged = await rollcall([...merge, "runs/all.jsonl", "--json"], at);
  assert.equal(merged.code, 0, merged.err);
  assert.match(merged.err, /are those of a\.jsonl; .*all_quality_summary\.json/s);
  assert.deepEqual([JSON.parse(merged.out).shards, JSON.parse(merged.out).rows], [2, 4]);
  const checked = await rollcall(["health", "runs", "--rollouts-file", "b.jsonl"], at);
  assert.match(checked.out, /runs\/b_quality_summary\.json/);
  assert.deepEqual(report(), first);
  for (const stem of ["b", "all"]) {
    for (const name of ["quality_summary.json", "rollout_verdicts.jsonl"]) {
      assert.ok(`runs/${stem}_${name}` in scratch.snapshot(), `${stem}_${name}`);
    }
  }

  // A merge and the reports are no shards: their rows would count twice.
  const again = await rollcall([...merge, "runs/again.jsonl", "--json"], at);
  assert.deepEqual([JSON.parse(again.out).shards, JSON.parse(again.out).rows], [2, 4], again.err);
  assert.match(again.err, /Left out.*runs\/all\.jsonl/s);
});

Deno.test("a requeued job without --resume does not replace what it collected before", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(2);
  const job = { SLURM_JOB_ID: "77", SLURM_ARRAY_JOB_ID: "70", SLURM_ARRAY_TASK_ID: "3" };
  const requeued = { ...job, SLURM_RESTART_COUNT: "1" };
  const args = ["collect", "-i", "tasks.jsonl", "-o", "runs/a.jsonl", ...gym.flag, "--no-slurm-budget"];
  assert.equal((await rollcall(args, { cwd: scratch.path, env: job })).code, 0);
  await refused(scratch, args, /Slurm job 70_3 was requeued .*--resume .*--fresh/s, requeued);
  const resumed = await rollcall([...args, "--resume"], { cwd: scratch.path, env: requeued });
  assert.equal(resumed.code, 0, resumed.err);
  assert.equal(gym.asked.length, 2);
  assert.equal((await rollcall([...args, "--fresh"], { cwd: scratch.path, env: requeued })).code, 0);
  assert.equal(gym.asked.length, 4);
});
