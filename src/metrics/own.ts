/**
 * The metrics of a group as Gym's servers compute them by default, for servers that cannot be asked. Names, formulas
 * and scales are Gym's; a server's own metrics, such as those of its benchmark, are not among them.
 *
 * Rollouts come in order of task, then rollout, and are folded one by one: what stays is one task's numbers, and a
 * bounded amount for each field and repeat. Medians are exact up to a hundred thousand values, beyond that within
 * half a percent.
 */
import type { JsonObject } from "../json/object.ts";
import { Column } from "./column.ts";
import { FieldNames } from "./fields.ts";
import { Measure, type Measured } from "./measure.ts";
import { PassRates } from "./pass.ts";
import { interval, Repeats } from "./repeats.ts";

/** A rollout of the group: its row, or that it is missing. */
export interface OwnInput {
  /** `_ng_task_index`. */
  readonly task: number;
  /** `_ng_rollout_index`. */
  readonly rollout: number;
  /** What is scored; only looked at before the next one is asked for. */
  readonly row?: JsonObject;
}

/** What stands at the head of a group's metrics. */
export interface OwnMetrics {
  /** All metrics of the group. */
  readonly agent_metrics: Record<string, number>;
  /** Those that matter most. */
  readonly key_metrics: Record<string, number>;
  /** See {@link Repeats.entries}. */
  readonly repeat_level_metrics: readonly Record<string, number>[];
}

/** Values of one field that are kept for an exact median. */
const EXACT = 100_000;

/**
 * Computes a group's metrics.
 *
 * @param task told the metrics of each task, as JSON, in order. Tasks none of whose rollouts was scored are among them,
 * with `num_rollouts` 0
 */
export function ownMetrics(rollouts: Iterable<OwnInput>, task: (json: string) => void): OwnMetrics {
  const fold = new Fold();
  for (const rollout of rollouts) {
    const done = fold.add(rollout);
    if (done !== undefined) task(done);
  }
  const last = fold.closeTask();
  if (last !== undefined) task(last);
  return fold.metrics();
}

class Fold {
  readonly #names = new FieldNames();
  readonly #measure = new Measure(this.#names);
  readonly #columns: Column[] = [];
  readonly #clusters: Cluster[] = [];
  readonly #repeats = new Repeats(this.#names);
  readonly #passes = new PassRates();
  /** Whether all rewards so far were 0 or 1. */
  #binary = true;
  readonly #reward = this.#names.number("reward");
  readonly #rolloutIndexes = new Set<number>();
  readonly #counts = { measured: 0, masked: 0, tasks: 0, maskedTasks: 0 };
  #task: Task | undefined;

  /** Takes a rollout; returns the metrics of the task before it when that is over. */
  add({ task, rollout, row }: OwnInput): string | undefined {
    const done = this.#task && this.#task.index !== task ? this.closeTask() : undefined;
    this.#task ??= new Task(task, this.#names);
    this.#task.expected++;
    if (!row) return done;
    this.#rolloutIndexes.add(rollout);
    const measured = this.#measure.of(row);
    if (measured.masked) {
      this.#counts.masked++;
      this.#task.masked++;
      return done;
    }
    this.#counts.measured++;
    this.#task.add(rollout, row, measured);
    for (const [number, value] of measured.values) {
      (this.#columns[number] ??= new Column(EXACT)).add(value);
    }
    this.#repeats.add(rollout, measured.values);
    return done;
  }

  /** The metrics of the current task, which is over. */
  closeTask(): string | undefined {
    const task = this.#task;
    if (!task) return undefined;
    this.#task = undefined;
    if (task.rollouts > 0) this.#counts.tasks++;
    else if (task.masked > 0) this.#counts.maskedTasks++;
    task.columns.forEach((column, number) => (this.#clusters[number] ??= new Cluster()).add(column));
    const reward = task.columns[this.#reward];
    if (reward) {
      this.#binary &&= task.allBinary;
      if (this.#binary) this.#passes.add(reward.count, Math.round(reward.mean * reward.count));
    }
    return task.json();
  }

  metrics(): OwnMetrics {
    const { measured, masked, tasks, maskedTasks } = this.#counts;
    const agent: Record<string, number> = describe(this.#columns, this.#names, measured);
    this.#clusters.forEach((cluster, number) => {
      const column = this.#columns[number]!, name = this.#names.name(number);
      const error = cluster.error(column);
      if (error === undefined) return;
      agent[`sem/${name}`] = error;
      [agent[`ci_low_95/${name}`], agent[`ci_high_95/${name}`]] = interval(
        column.mean,
        error,
        cluster.tasks - 1,
      );
    });
    Object.assign(agent, this.#repeats.across());
    if (this.#binary) Object.assign(agent, this.#passes.metrics());
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

/** What is known of the task whose rollouts are coming by. */
class Task {
  readonly columns: Column[] = [];
  expected = 0;
  masked = 0;
  rollouts = 0;
  /** Whether every reward was 0 or 1. */
  allBinary = true;
  readonly #infos: string[] = [];
  readonly #names: FieldNames;
  readonly #reward: number;

  constructor(readonly index: number, names: FieldNames) {
    this.#names = names;
    this.#reward = names.number("reward");
  }

  add(rollout: number, row: JsonObject, { values }: Measured): void {
    this.rollouts++;
    for (const [number, value] of values) (this.columns[number] ??= new Column(Infinity)).add(value);
    const reward = values.get(this.#reward);
    if (reward !== undefined && reward !== 0 && reward !== 1) this.allBinary = false;
    this.#infos.push(this.#info(rollout, row, values));
  }

  json(): string {
    // A masked rollout was never missing: it has a result, only none that measures anything.
    const expected = this.expected - this.masked;
    const head = JSON.stringify({
      _ng_task_index: this.index,
      ...describe(this.columns, this.#names, this.rollouts),
      num_rollouts: this.rollouts,
      expected_num_rollouts: expected,
      missing_num_rollouts: expected - this.rollouts,
      reward_profile_completion_pct: expected === 0 ? 100 : 100 * this.rollouts / expected,
    });
    return `${head.slice(0, -1)},"rollout_infos":[${this.#infos.join(",")}]}`;
  }

  /** One rollout's numbers. */
  #info(rollout: number, row: JsonObject, values: ReadonlyMap<number, number>): string {
    let json =
      `{"rollout_id":"${this.index}:${rollout}","_ng_task_index":${this.index},"_ng_rollout_index":${rollout}`;
    const reward = values.get(this.#reward) ?? row.value("reward");
    if (reward !== undefined) json += `,"reward":${JSON.stringify(reward)}`;
    for (const [number, value] of values) {
      if (number !== this.#reward) json += `,${this.#names.quoted(number)}:${value}`;
    }
    return `${json}}`;
  }
}

/**
 * The standard error of a mean whose values come in clusters: rollouts of one task are not independent of one another.
 * With one rollout a task it is the usual one.
 */
class Cluster {
  tasks = 0;
  /** Over tasks: sums of s², n·s and n², where s is the task's sum and n its number of values, both taken from `#zero`. */
  #squares = 0;
  #products = 0;
  #sizes = 0;
  /** Near the mean, so that the squares do not swallow the differences. */
  #zero: number | undefined;

  add({ count, mean }: Column): void {
    this.#zero ??= mean;
    const sum = (mean - this.#zero) * count;
    this.tasks++;
    this.#squares += sum * sum;
    this.#products += count * sum;
    this.#sizes += count * count;
  }

  /** `undefined` where there are fewer than two tasks. */
  error({ count, mean }: Column): number | undefined {
    if (this.tasks < 2) return undefined;
    const away = mean - this.#zero!;
    const residual = this.#squares - 2 * away * this.#products + away * away * this.#sizes;
    return Math.sqrt(Math.max(0, residual) * this.tasks / (this.tasks - 1)) / count;
  }
}

/** Mean, max, min, median and sample standard deviation of each field. */
function describe(columns: readonly Column[], names: FieldNames, rows: number): Record<string, number> {
  const metrics: Record<string, number> = {};
  const put = (stat: string, of: (column: Column) => number, least = 1) =>
    columns.forEach((column, number) => {
      if (column.count >= least) metrics[`${stat}/${names.name(number)}`] = of(column);
    });
  put("mean", (column) => column.mean);
  put("max", (column) => column.max);
  put("min", (column) => column.min);
  put("median", (column) => column.median);
  // One value has no spread; of a single row 0 is said, which reads better than nothing.
  put("std", (column) => column.std, rows === 1 ? 1 : 2);
  return metrics;
}
