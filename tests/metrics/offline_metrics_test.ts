import assert from "node:assert/strict";
import fc from "fast-check";
import { readObject } from "../../src/json/object.ts";
import { type OwnInput, type OwnMetrics, ownMetrics } from "../../src/metrics/offline_metrics.ts";
import gym from "./gym_metrics.json" with { type: "json" };
import type { Row } from "./_shards.ts";

function inputs(rows: readonly Row[]): OwnInput[] {
  return rows.map((row) => ({
    task: Number(row._ng_task_index),
    rollout: Number(row._ng_rollout_index),
    ...(row.gone ? {} : { row: readObject(new TextEncoder().encode(JSON.stringify(row))) }),
  }));
}

function computed(rows: readonly Row[]): OwnMetrics & { readonly group_level_metrics: Row[] } {
  const tasks: Row[] = [];
  return { ...ownMetrics(inputs(rows), (json) => tasks.push(JSON.parse(json))), group_level_metrics: tasks };
}

/** Fails unless everything of `expected` is in `actual`, numbers to ten digits. */
function includes(actual: unknown, expected: unknown, path: string): void {
  if (typeof expected === "number") {
    assert.equal(typeof actual, "number", path);
    const away = Math.abs(actual as number - expected);
    assert.ok(away <= 1e-10 * Math.max(1, Math.abs(expected)), `${path}: ${actual}, not ${expected}`);
  } else if (typeof expected === "object" && expected !== null) {
    for (const [key, value] of Object.entries(expected)) {
      includes((actual as Row)?.[key], value, `${path}/${key}`);
    }
  } else assert.equal(actual, expected, path);
}

// gym_metrics.json: rows, and what compute_aggregate_metrics of NeMo Gym 0.7.0 with compute_pass_majority_metrics
// made of them; the constant "sample" of each task is taken out.
Deno.test("ownMetrics() has all that Gym's servers compute, with the same numbers", () => {
  includes(computed(gym.rows), gym.metrics, "");
});

Deno.test("ownMetrics() has besides Gym's metrics only intervals over tasks, and pass^k", () => {
  const { agent_metrics, key_metrics, group_level_metrics, repeat_level_metrics } = computed(gym.rows);
  const more = Object.keys(agent_metrics).filter((name) => !(name in gym.metrics.agent_metrics));
  for (const name of more) assert.match(name, /^(sem|ci_low_95|ci_high_95)\/|^pass\^\d+\/accuracy$/);
  assert.deepEqual(Object.keys(key_metrics).sort(), Object.keys(gym.metrics.key_metrics).sort());
  assert.deepEqual(
    group_level_metrics.map((task) => Object.keys(task).sort()),
    gym.metrics.group_level_metrics.map((task) => Object.keys(task).sort()),
  );
  assert.deepEqual(
    repeat_level_metrics.map((repeat) => Object.keys(repeat).sort()),
    gym.metrics.repeat_level_metrics.map((repeat) => Object.keys(repeat).sort()),
  );
});

Deno.test("ownMetrics() keeps a task none of whose rollouts was scored, with no rollouts", () => {
  const { group_level_metrics, agent_metrics } = computed([
    { _ng_task_index: 0, _ng_rollout_index: 0, reward: 1 },
    { _ng_task_index: 0, _ng_rollout_index: 1, reward: 0 },
    { _ng_task_index: 1, _ng_rollout_index: 0, gone: true },
    { _ng_task_index: 1, _ng_rollout_index: 1, gone: true },
    { _ng_task_index: 2, _ng_rollout_index: 0, reward: 1 },
    { _ng_task_index: 2, _ng_rollout_index: 1, gone: true },
  ]);
  assert.deepEqual(
    group_level_metrics.map((task) => [
      task._ng_task_index,
      task.num_rollouts,
      task.expected_num_rollouts,
      task.missing_num_rollouts,
      task["mean/reward"],
    ]),
    [[0, 2, 2, 0, 0.5], [1, 0, 2, 2, undefined], [2, 1, 2, 1, 1]],
  );
  assert.equal(agent_metrics["mean/reward"], 2 / 3);
  assert.deepEqual([agent_metrics["pass@1/accuracy"], agent_metrics["pass@2/accuracy"]], [75, 100]);
  assert.deepEqual([agent_metrics["pass^1/accuracy"], agent_metrics["pass^2/accuracy"]], [75, 0]);
});

Deno.test("ownMetrics() has no pass@k where a reward is neither 0 nor 1", () => {
  const rewards = (...all: unknown[]) =>
    computed(all.map((reward, k) => ({ _ng_task_index: k, _ng_rollout_index: 0, reward })));
  assert.equal(rewards(1, true, 0, null).agent_metrics["pass@1/accuracy"], 200 / 3);
  assert.equal(rewards(1, 0.5, 0).agent_metrics["pass@1/accuracy"], undefined);
});

Deno.test("ownMetrics() of one repeat has the interval over its tasks", () => {
  const rows = [1, 0, 1, 1].map((reward, task) => ({ _ng_task_index: task, _ng_rollout_index: 0, reward }));
  const { agent_metrics, repeat_level_metrics } = computed(rows);
  assert.deepEqual(repeat_level_metrics, []);
  assert.equal(agent_metrics["sem/reward"], 0.25);
  const reach = 3.182446305283708 * 0.25;
  includes(agent_metrics, { "ci_low_95/reward": 0.75 - reach, "ci_high_95/reward": 0.75 + reach }, "");
});

Deno.test("ownMetrics() of rollouts that are all masked says so, and invents no zero", () => {
  const rows = [0, 1].map((task) => ({
    _ng_task_index: task,
    _ng_rollout_index: 0,
    reward: 1,
    mask_sample: true,
  }));
  assert.deepEqual(computed(rows).agent_metrics, {
    "coverage/measured_rollouts": 0,
    "coverage/masked_rollouts": 2,
    "coverage/measured_tasks": 0,
    "coverage/fully_masked_tasks": 2,
  });
});

Deno.test("ownMetrics() is no different for rows that do not look alike", () => {
  const field = fc.constantFrom("reward", "a", "b", "mask", "ü", '"');
  const row = fc.dictionary(
    field,
    fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.string()),
  );
  fc.assert(fc.property(fc.array(row, { minLength: 1, maxLength: 12 }), (rows) => {
    const { agent_metrics } = computed(
      rows.map((row, k) => ({ ...row, _ng_task_index: k >> 1, _ng_rollout_index: k & 1 })),
    );
    for (const name of ["reward", "a", "b", "mask", "ü", '"']) {
      const values = rows.flatMap((row) =>
        typeof row[name] === "string" || row[name] === undefined ? [] : [Number(row[name]) + 0]
      );
      assert.equal(agent_metrics[`max/${name}`], values.length === 0 ? undefined : Math.max(...values));
    }
  }));
});
