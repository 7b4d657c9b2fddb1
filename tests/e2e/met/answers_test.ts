/** What users met in the answers of servers (issues 12 and 13), and how messages name a row. */
import assert from "node:assert/strict";
import { Gym, reward, rollcall, Scratch } from "../_rollcall.ts";

Deno.test("an answer that Gym's own tools cannot read is a failure row, and messages name the task by its own id", async () => {
  const deep = (levels: number) =>
    `{"reward":1,"response":{},"deep":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  await using gym = new Gym(({ n }) =>
    n === 0 ? { body: deep(1024) } : n === 1 ? { body: deep(1023) } : reward(1)
  );
  await using scratch = new Scratch();
  const task = (n: number) =>
    JSON.stringify({
      n,
      instance_id: `django__django-${n}`,
      agent_ref: { name: "a" },
      responses_create_params: {},
    });
  scratch.write("tasks.jsonl", [0, 1, 2].map((n) => `${task(n)}\n`).join(""));
  const ended = await rollcall([
    "collect",
    ...["-i", "tasks.jsonl", "-o", "r.jsonl", "--json", "--route-failures-to-sidecar"],
    ...gym.flag,
  ], { cwd: scratch.path });
  assert.equal(ended.code, 0, ended.err);
  const summary = JSON.parse(ended.out);
  assert.deepEqual([summary.done, summary.failures], [2, { agent_run_error: 1 }]);
  const [failure] = scratch.rows("r_failures.jsonl");
  assert.deepEqual(
    ["_ng_task_index", "_ng_failure_type", "_ng_failure_kind", "_ng_failure_http_status"].map((key) =>
      failure![key]
    ),
    [0, "JSONDecodeError", undefined, 200],
  );
  assert.match(
    ended.err,
    /Rollout 0-0 \(django__django-0\) failed: agent_run_error: The answer of \S+ is nested deeper than 1024 levels/,
  );
});

Deno.test("an episode's answer for another task is a failure row, and stored as nobody's result", async () => {
  await using gym = new Gym(({ row }) => {
    const { task_id } = row.task as { task_id: { taskset: string; task_id: string } };
    const answered = task_id.task_id === "m-1" ? { ...task_id, task_id: "m-2" } : task_id;
    return { body: JSON.stringify({ episode_id: row.episode_id, task_id: answered, result: { reward: 1 } }) };
  });
  await using scratch = new Scratch();
  const task = (id: string) =>
    JSON.stringify({ task_id: { taskset: "maze", task_id: id }, task_input: { seed: 1 } });
  scratch.write("tasks.jsonl", ["m-1", "m-2"].map((id) => `${task(id)}\n`).join(""));
  const ended = await rollcall([
    "collect",
    ...[
      "-i",
      "tasks.jsonl",
      "-o",
      "r.jsonl",
      "--json",
      "--disable-aggregation",
      "--route-failures-to-sidecar",
    ],
    ...["--server", `maze_env=${gym.url}`, "+environment_server_routes={maze:maze_env}"],
  ], { cwd: scratch.path });
  assert.equal(ended.code, 0, ended.err);
  assert.deepEqual(scratch.rows("r.jsonl").map((row) => row._ng_task_index), [1]);
  const [failure] = scratch.rows("r_failures.jsonl");
  assert.deepEqual([failure!._ng_failure_class, failure!._ng_failure_kind], [
    "agent_run_error",
    "other_task",
  ]);
  assert.match(ended.err, /Rollout 0-0 \(maze\/m-1\) failed: .* is about task .*m-2.*, not .*m-1/);
});
