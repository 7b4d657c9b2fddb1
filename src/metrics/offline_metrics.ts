/**
 * The metrics of a group as Gym's servers compute them by default, for servers that cannot be asked. Names, formulas
 * and scales are Gym's; a server's own metrics, such as those of its benchmark, are not among them.
 *
 * Rollouts come in order of task, then rollout, and are folded one by one: memory holds one task's numbers, and a
 * bounded amount per field and repeat. Medians are exact up to a hundred thousand values, and within half a percent
 * beyond that.
 */
import type { JsonObject } from "../json/object.ts";
import { ClusterError } from "../statistics/cluster.ts";
import { Column } from "../statistics/column.ts";
import { FieldNames } from "../json/field_names.ts";
import { Measure } from "./measure.ts";
import { interval95 } from "../statistics/interval.ts";
import { PassRates } from "../statistics/pass_rates.ts";
import { Repeats } from "./repeats.ts";
import { TaskMetrics } from "./task_metrics.ts";

/** A rollout of the group: its row, or that it is missing. */
export interface OwnInput {
  /** `_ng_task_index`. */
  readonly task: number;
  /** `_ng_rollout_index`. */
  readonly rollout: number;
  /** What is scored; read before the next one is requested. */
  readonly row?: JsonObject;
}

/** The group-level metrics. */
export interface OwnMetrics {
  /** All metrics of the group. */
  readonly agent_metrics: Record<string, number>;
  /** The key metrics. */
  readonly key_metrics: Record<string, number>;
  readonly repeat_level_metrics: readonly Record<string, number>[];
}

/** Values of one field that are kept for an exact median. */
const EXACT = 100_000;

/**
 * Computes a group's metrics.
 *
 * @param task called with the metrics of each task, as JSON, in order, including tasks without a scored rollout
 * (`num_rollouts` 0)
 */
export function ownMetrics(rollouts: Iterable<OwnInput>, task: (json: string) => void): OwnMetrics {
  const steps = ownMetricsInSteps(rollouts, task);
  for (let step = steps.next();; step = steps.next()) if (step.done) return step.value;
}

/** Rollouts between two steps of {@link ownMetricsInSteps}. */
const STEP = 4096;

/** The same as {@link ownMetrics}, pausing now and then so that other work gets a turn. */
export function* ownMetricsInSteps(
  rollouts: Iterable<OwnInput>,
  task: (json: string) => void,
): Generator<void, OwnMetrics> {
  const fold = new Fold();
  let seen = 0;
  for (const rollout of rollouts) {
    const done = fold.add(rollout);
    if (done !== undefined) task(done);
    if (++seen % STEP === 0) yield;
  }
  const last = fold.closeTask();
  if (last !== undefined) task(last);
  return fold.metrics();
}

class Fold {
  readonly #names = new FieldNames();
  readonly #measure = new Measure(this.#names);
  readonly #columns: Column[] = [];
  readonly #clusters: ClusterError[] = [];
  readonly #repeats = new Repeats(this.#names);
  readonly #passes = new PassRates();
  /** Whether all rewards so far were 0 or 1. */
  #binary = true;
  readonly #rolloutIndexes = new Set<number>();
  readonly #counts = { measured: 0, masked: 0, tasks: 0, maskedTasks: 0 };
  readonly #task = new TaskMetrics(this.#names);

  /** Takes a rollout; returns the metrics of the previous task if that ended. */
  add({ task, rollout, row }: OwnInput): string | undefined {
    const done = this.#task.index === task ? undefined : this.closeTask();
    if (this.#task.index !== task) this.#task.begin(task);
    this.#task.expected++;
    if (!row) return done;
    this.#rolloutIndexes.add(rollout);
    const measure = this.#measure;
    measure.take(row);
    if (measure.masked) {
      this.#counts.masked++;
      this.#task.masked++;
      return done;
    }
    this.#counts.measured++;
    this.#task.add(rollout, measure);
    for (const field of measure.fields) {
      (this.#columns[field] ??= new Column(EXACT)).add(measure.value(field)!);
    }
    this.#repeats.add(rollout, measure);
    return done;
  }

  /** The metrics of the current task, which has ended. */
  closeTask(): string | undefined {
    const task = this.#task;
    if (task.expected === 0) return undefined;
    if (task.measured > 0) this.#counts.tasks++;
    else if (task.masked > 0) this.#counts.maskedTasks++;
    task.values.forEach((values, number) => {
      if (values.length > 0) (this.#clusters[number] ??= new ClusterError()).add(values);
    });
    this.#binary &&= task.isBinary;
    if (this.#binary) this.#passes.add(task.rewards.count, task.rewards.sum);
    return task.json();
  }

  metrics(): OwnMetrics {
    const { measured, masked, tasks, maskedTasks } = this.#counts;
    const agent: Record<string, number> = {};
    this.#columns.forEach((column, number) => {
      const name = this.#names.name(number);
      agent[`mean/${name}`] = column.mean;
      agent[`max/${name}`] = column.max;
      agent[`min/${name}`] = column.min;
      agent[`median/${name}`] = column.median;
      if (column.count > 1 || measured === 1) agent[`std/${name}`] = column.std;
      const cluster = this.#clusters[number]!, error = cluster.of(column.mean, column.count);
      if (error === undefined) return;
      agent[`sem/${name}`] = error;
      [agent[`ci_low_95/${name}`], agent[`ci_high_95/${name}`]] = interval95(
        column.mean,
        error,
        cluster.clusters - 1,
      );
    });
    Object.assign(agent, this.#repeats.across());
    if (this.#binary) {
      const rates = [...this.#passes.rates()];
      for (const { k, any } of rates) agent[`pass@${k}/accuracy`] = any;
      for (const { k, all } of rates) agent[`pass^${k}/accuracy`] = all;
    }
    const coverage = masked === 0 ? {} : {
      "coverage/measured_rollouts": measured,
      "coverage/masked_rollouts": masked,
      "coverage/measured_tasks": tasks,
      "coverage/fully_masked_tasks": maskedTasks,
    };
    Object.assign(agent, coverage);
    if (measured > 0) agent["num_repeats"] = this.#rolloutIndexes.size;
    const means = Object.entries(agent).filter(([name]) => name.startsWith("mean/"));
    return {
      agent_metrics: agent,
      key_metrics: { ...Object.fromEntries(means), ...coverage },
      repeat_level_metrics: [...this.#repeats.entries(tasks)],
    };
  }
}
