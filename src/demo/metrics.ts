/** What the demo's server answers to `/aggregate_metrics`. */

/** A scored row, as far as the metrics need it. */
export interface Scored {
  /** Its `_ng_task_index`. */
  readonly task: number;
  /** Its `_ng_rollout_index`. */
  readonly rollout: number;
  /** Its reward. */
  readonly reward: number;
}

/** Numbers by metric name. */
export type Metrics = Record<string, number>;

/** The answer's body. */
export interface AggregateMetrics {
  /** Over all rows: `mean/reward`, `count`, and `pass@k` for k from 1 to the largest number of rollouts of a task. */
  readonly agent_metrics: Metrics;
  /** The key ones: `mean/reward`, and `pass@k` for k = 1 and the largest k. */
  readonly key_metrics: Metrics;
  /** The same per task, by `_ng_task_index`. */
  readonly group_level_metrics: readonly Metrics[];
  /** Mean and count over the n-th rollouts of all tasks, by `_ng_rollout_index`. */
  readonly repeat_level_metrics: readonly Metrics[];
}

/** The metrics of some rows; of none, empty ones. */
export function aggregateMetrics(rows: readonly Scored[]): AggregateMetrics {
  const byTask = grouped(rows, (row) => row.task);
  const byRollout = grouped(rows, (row) => row.rollout);
  const agent = { ...meanOf(rows), ...passes([...byTask.values()]) };
  const names = Object.keys(agent).filter((name) => name.startsWith("pass@"));
  const key = ["mean/reward", names[0], names.at(-1)].filter((name) => name !== undefined && name in agent);
  return {
    agent_metrics: agent,
    key_metrics: Object.fromEntries(key.map((name) => [name, agent[name!]!])),
    group_level_metrics: [...byTask].map(([task, of]) => ({
      _ng_task_index: task,
      ...meanOf(of),
      ...passes([of]),
    })),
    repeat_level_metrics: [...byRollout].map(([rollout, of]) => ({
      _ng_rollout_index: rollout,
      ...meanOf(of),
    })),
  };
}

/**
 * `pass@k`: the chance that among k rollouts of a task, drawn without replacement, at least one got the reward 1.
 * Each k is averaged over the tasks that have that many rollouts.
 */
function passes(tasks: readonly (readonly Scored[])[]): Metrics {
  const max = tasks.reduce((max, rows) => Math.max(max, rows.length), 0);
  return Object.fromEntries(
    Array.from({ length: max }, (_, i) => i + 1).map((k) => {
      const chances = tasks.filter((rows) => rows.length >= k).map((rows) =>
        1 - noneOf(k, rows.length, rows.filter(({ reward }) => reward === 1).length)
      );
      return [`pass@${k}`, mean(chances)];
    }),
  );
}

/** The chance that k drawn of n hold none of the c right ones: C(n-c, k) / C(n, k), without large factorials. */
function noneOf(k: number, n: number, c: number): number {
  let chance = 1;
  for (let i = 0; i < k; i++) chance *= Math.max(0, n - c - i) / (n - i);
  return chance;
}

function meanOf(rows: readonly Scored[]): Metrics {
  return rows.length === 0 ? {} : { "mean/reward": mean(rows.map((row) => row.reward)), count: rows.length };
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, n) => sum + n, 0) / numbers.length;
}

function grouped(rows: readonly Scored[], by: (row: Scored) => number): Map<number, Scored[]> {
  const sorted = rows.toSorted((a, b) => by(a) - by(b));
  return Map.groupBy(sorted, by);
}
