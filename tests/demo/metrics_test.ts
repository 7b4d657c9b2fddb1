import assert from "node:assert/strict";
import { aggregateMetrics } from "../../src/demo/metrics.ts";

/** One task a list: the rewards of its rollouts. */
const rows = (...tasks: number[][]) =>
  tasks.flatMap((rewards, task) => rewards.map((reward, rollout) => ({ task, rollout, reward })));

Deno.test("aggregateMetrics() has mean, count and pass@k over all, per task and per repeat", () => {
  assert.deepEqual(aggregateMetrics(rows([1, 0], [0, 0])), {
    agent_metrics: { "mean/reward": 0.25, count: 4, "pass@1": 0.25, "pass@2": 0.5 },
    key_metrics: { "mean/reward": 0.25, "pass@1": 0.25, "pass@2": 0.5 },
    group_level_metrics: [
      { _ng_task_index: 0, "mean/reward": 0.5, count: 2, "pass@1": 0.5, "pass@2": 1 },
      { _ng_task_index: 1, "mean/reward": 0, count: 2, "pass@1": 0, "pass@2": 0 },
    ],
    repeat_level_metrics: [
      { _ng_rollout_index: 0, "mean/reward": 0.5, count: 2 },
      { _ng_rollout_index: 1, "mean/reward": 0, count: 2 },
    ],
  });
});

Deno.test("aggregateMetrics() draws pass@k without replacement", () => {
  // One of four right: two drawn of four hold it with chance 1/2.
  const { agent_metrics } = aggregateMetrics(rows([0, 0, 1, 0]));
  assert.equal(agent_metrics["pass@2"], 0.5);
  assert.equal(agent_metrics["pass@4"], 1);
});

Deno.test("aggregateMetrics() averages pass@k over the tasks that have that many rollouts", () => {
  const { agent_metrics, key_metrics } = aggregateMetrics(rows([1, 1, 1], [0]));
  assert.equal(agent_metrics["pass@1"], 0.5);
  assert.equal(agent_metrics["pass@3"], 1);
  assert.deepEqual(Object.keys(key_metrics), ["mean/reward", "pass@1", "pass@3"]);
});

Deno.test("aggregateMetrics() counts only the reward 1 as passed", () => {
  assert.deepEqual(aggregateMetrics(rows([0.5])).key_metrics, { "mean/reward": 0.5, "pass@1": 0 });
});

Deno.test("aggregateMetrics() of nothing is empty", () => {
  assert.deepEqual(aggregateMetrics([]), {
    agent_metrics: {},
    key_metrics: {},
    group_level_metrics: [],
    repeat_level_metrics: [],
  });
});
