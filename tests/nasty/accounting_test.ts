/** Cases from the field: whether numbers add up, and whether the same files give the same metrics. */
import assert from "node:assert/strict";
import { Gym, reward, rollcall, Scratch } from "../e2e/_rollcall.ts";

const COLLECT = ["collect", "-i", "tasks.jsonl", "-o", "r.jsonl", "--json"];

Deno.test("R(1), R(1), R(0) and a 500: mean 0.667 over 3 of 4, or 0.5 when failures count; aggregate gives the same bytes", async () => {
  await using gym = new Gym(({ n }) => n === 3 ? { status: 500, body: "no" } : reward(n === 2 ? 0 : 1));
  gym.aggregate = () => ({ status: 404 }); // rollcall's own metrics
  const files: string[] = [];
  for (
    const [counting, mean] of [[[], 2 / 3], [
      ["--count-failure-classes-as-zero=agent_run_error"],
      0.5,
    ]] as const
  ) {
    await using scratch = new Scratch();
    scratch.tasks(4);
    const args = [...COLLECT, ...gym.flag, "-c", "1", "--route-failures-to-sidecar", ...counting];
    const { code, out, err } = await rollcall(args, { cwd: scratch.path });
    assert.equal(code, 0, err);
    const { metrics, coverage } = JSON.parse(out);
    assert.ok(Math.abs(metrics[0].key_metrics["mean/reward"] - mean) < 1e-3, JSON.stringify(metrics));
    assert.equal(coverage.expected, 4);
    assert.equal(coverage.scored - coverage.counted, 3);
    const timeless = (text: string) =>
      text.replaceAll(/127\.0\.0\.1:\d+|"_ng_\w*(?:seconds|time)\w*":[^,}]*/g, "");
    files.push(timeless(Deno.readTextFileSync(scratch.at("r.jsonl"))));

    const first = Deno.readTextFileSync(scratch.at("r_aggregate_metrics.json"));
    const again = ["aggregate", "--offline", "--input-glob", "r.jsonl", "-o", "all/r.jsonl", ...counting];
    const aggregated = await rollcall(again, { cwd: scratch.path });
    assert.equal(aggregated.code, 0, aggregated.err);
    assert.equal(Deno.readTextFileSync(scratch.at("all/r_aggregate_metrics.json")), first);
  }
  assert.equal(files[0], files[1]);
});

Deno.test("a task all of whose rollouts failed stays visible, with no rollouts and two missing", async () => {
  await using gym = new Gym(({ n }) => n === 1 ? { status: 500 } : reward(1));
  gym.aggregate = () => ({ status: 404 });
  await using scratch = new Scratch();
  scratch.tasks(3);
  const args = [...COLLECT, ...gym.flag, "-n", "2", "--route-failures-to-sidecar"];
  const { code, out, err } = await rollcall(args, { cwd: scratch.path });
  assert.equal(code, 0, err);
  assert.deepEqual(JSON.parse(out).coverage.unscored_tasks.listed, [{ task: 1, group: "a", missing: 2 }]);
  assert.match(err, /1 task without a scored rollout: 1/);
});

Deno.test("a server that dies after three of ten: expected is done, failed and unresolved together, exit code 1", async () => {
  let answered = 0;
  await using gym = new Gym(() => answered++ < 3 ? reward(1) : "hang up");
  await using scratch = new Scratch();
  scratch.tasks(10);
  const args = [...COLLECT, ...gym.flag, "-c", "1", "--retry-window=1"];
  const { code, out, err } = await rollcall(args, { cwd: scratch.path });
  assert.equal(code, 1, err);
  const { materialized, done, failed, left, drained, not_persisted, to_run } = JSON.parse(out);
  assert.equal(done, 3);
  assert.equal(done + failed + left + drained + not_persisted, materialized);
  assert.equal(materialized, 10);
  assert.match(err, new RegExp(`3 of 10 rollouts done.*${failed} failed`));
  assert.equal(to_run, left + failed);
  assert.match(err, new RegExp(`--resume to run the ${left} that are left and\\s+retry ${failed} failed`));
});

Deno.test("a fresh run over a sidecar with three attempts dispatches everything, and keeps the sidecar as .old", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(2);
  const row = '{"_ng_task_index":0,"_ng_rollout_index":0,"_ng_failure_class":"agent_run_error"}\n';
  scratch.write("r_failures.jsonl", row.repeat(3));
  const { code, out, err } = await rollcall([...COLLECT, ...gym.flag], { cwd: scratch.path });
  assert.equal(code, 0, err);
  assert.equal(JSON.parse(out).done, 2);
  assert.deepEqual(gym.asked.sort(), [0, 1]);
  assert.equal(Deno.readTextFileSync(scratch.at("r_failures.jsonl.old")), row.repeat(3));
});

Deno.test("one rollout twice in an earlier output is counted once, the first, and reported; broken metrics are replaced whole", async () => {
  await using gym = new Gym(({ n }) => reward(n));
  await using scratch = new Scratch();
  scratch.tasks(2);
  assert.equal((await rollcall([...COLLECT, ...gym.flag], { cwd: scratch.path })).code, 0);
  const whole = Deno.readTextFileSync(scratch.at("r.jsonl"));
  const second = whole.split("\n").find((line) => line.includes('"_ng_task_index":0'))!.replace(
    /"reward":0/,
    '"reward":9',
  );
  Deno.writeTextFileSync(scratch.at("r.jsonl"), `${whole}${second}\n`);
  for (const broken of ["", "{"]) {
    Deno.writeTextFileSync(scratch.at("r_aggregate_metrics.json"), broken);
    const { code, out, err } = await rollcall([...COLLECT, ...gym.flag, "--resume"], { cwd: scratch.path });
    assert.equal(code, 0, err);
    assert.equal(JSON.parse(out).done_before, 2);
    assert.equal(JSON.parse(out).scored, 2);
    assert.match(err, /1 .*(twice|identity|earlier|repeat)/);
    JSON.parse(Deno.readTextFileSync(scratch.at("r_aggregate_metrics.json")));
  }
});
