/** The tasks of a run, and what they reached: a few numbers a task, in columns, to be paired with those of another run. */
import { Moments } from "../statistics/moments.ts";
import { passesOf } from "./passes.ts";
import type { TaskResults } from "./task_results.ts";

/** A task that can be paired with one of another run. */
export interface TaskEntry {
  readonly agent: string;
  readonly task: number;
  /** Its dataset's name for it; null without one. */
  readonly id: string | null;
  /** What distinguishes its input row; null where that is unknown. */
  readonly row: string | null;
  /** How many rewards it has. */
  readonly rewards: number;
  /** How many of them pass; null where that is unknown. */
  readonly passed: number | null;
}

/** The values of one metric, task by task. */
export interface MetricColumn {
  /** Their mean; NaN where a task has none. */
  readonly means: number[];
  /** How many there are. */
  readonly counts: number[];
  /** Their sample variance; 0 for a single one. */
  readonly variances: number[];
}

/** Fold tasks into it; places of tasks are the same in all columns. */
export class TaskTable {
  readonly tasks: TaskEntry[] = [];
  /** By the name of the metric: `reward`, and any other numeric member of the results. */
  readonly columns: Map<string, MetricColumn> = new Map();
  readonly #passAt: number | undefined;

  /** @param passAt from which reward on a rollout passes; without it rewards must be 0 or 1 */
  constructor(passAt: number | undefined) {
    this.#passAt = passAt;
  }

  add({ agent, task, id, row, rewards, metrics }: TaskResults): void {
    const place = this.tasks.length, passes = passesOf(rewards, this.#passAt);
    this.tasks.push({ agent, task, id, row, rewards: rewards.length, passed: passes?.passed ?? null });
    for (const column of this.columns.values()) {
      column.means.push(NaN), column.counts.push(0), column.variances.push(0);
    }
    for (const [name, values] of metrics) {
      if (values.length === 0) continue;
      const column = this.#column(name), moments = new Moments();
      for (const value of values) moments.add(value);
      column.means[place] = moments.mean;
      column.counts[place] = moments.count;
      column.variances[place] = moments.std ** 2;
    }
  }

  #column(name: string): MetricColumn {
    let column = this.columns.get(name);
    if (!column) {
      const none = (value: number) => Array<number>(this.tasks.length).fill(value);
      this.columns.set(name, column = { means: none(NaN), counts: none(0), variances: none(0) });
    }
    return column;
  }
}
