/** From a run to the numbers that it is judged by, and to the tasks of the next one, on the program itself. */
import assert from "node:assert/strict";
import { Gym, reward, rollcall, Scratch } from "./_rollcall.ts";

Deno.test("a run is profiled and filtered, and Gym's words write Gym's files", async () => {
  // Task 0 never passes, task 1 in its first rollout, task 2 always.
  await using gym = new Gym(({ row }) =>
    reward(Number(row.n === 2 || (row.n === 1 && row._ng_rollout_index === 0)))
  );
  await using scratch = new Scratch();
  scratch.tasks(3);
  const { path: cwd } = scratch;
  const succeeds = async (...args: readonly string[]) => {
    const { code, out, err } = await rollcall(args, { cwd });
    assert.equal(code, 0, err);
    return out;
  };
  await succeeds("collect", "-i", "tasks.jsonl", "-o", "runs/a.jsonl", ...gym.flag, "-n", "2", "--quiet");
  const { agents, tasks } = JSON.parse(await succeeds("profile", "runs/a.jsonl", "--by", "n", "--json"));
  assert.equal(agents[0].reward.mean, 0.5);
  assert.equal(agents[0].reward.method, "wilson");
  const { always, sometimes, never } = agents[0].solved;
  assert.deepEqual([always, sometimes, never], [1, 1, 1]);
  assert.deepEqual(tasks.map(({ by, pass_rate }: Record<string, unknown>) => [by, pass_rate]), [
    ["0", 0],
    ["1", 0.5],
    ["2", 1],
  ]);
  await succeeds(
    "filter",
    "runs/a.jsonl",
    "--where",
    "pass_rate > 0.1 and pass_rate < 0.9",
    "-o",
    "next.jsonl",
  );
  assert.deepEqual(scratch.rows("next.jsonl"), [scratch.rows("tasks.jsonl")[1]]);

  const inputs = "runs/a_materialized_inputs.jsonl";
  await succeeds("eval", "profile", "--inputs", inputs, "--rollouts", "runs/a.jsonl");
  assert.deepEqual(
    scratch.rows("runs/a_reward_profiling.jsonl").map((task) => task["mean/reward"]),
    [0, 0.5, 1],
  );
  // None of what is there now is taken for rollouts.
  assert.equal(JSON.parse(await succeeds("profile", "runs/*", "--json")).files.length, 1);
});
