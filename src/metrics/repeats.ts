/** Metrics of each repeat (all tasks' first rollouts, all second ones, …), and how they differ between repeats. */
import { Column } from "../statistics/column.ts";
import type { FieldNames } from "../json/field_names.ts";
import type { Measure } from "./measure.ts";
import { interval95 } from "../statistics/interval.ts";

/** Values of one field in one repeat that are kept for exact quantiles. */
const EXACT = 4096;

interface Repeat {
  /** Tasks that have a rollout in it. */
  tasks: number;
  readonly columns: Column[];
}

/** Names and formulas are Gym's. */
export class Repeats {
  readonly #names: FieldNames;
  readonly #repeats = new Map<number, Repeat>();

  /** @param names the names behind the fields' numbers */
  constructor(names: FieldNames) {
    this.#names = names;
  }

  /** A task's rollout of a repeat. */
  add(rollout: number, measured: Measure): void {
    let repeat = this.#repeats.get(rollout);
    if (!repeat) this.#repeats.set(rollout, repeat = { tasks: 0, columns: [] });
    repeat.tasks++;
    for (const field of measured.fields) {
      (repeat.columns[field] ??= new Column(EXACT)).add(measured.value(field)!);
    }
  }

  /**
   * One entry per repeat; none if there is only one repeat, since there is nothing to compare.
   *
   * @param tasks the number of all tasks
   */
  *entries(tasks: number): Generator<Record<string, number>> {
    if (this.#repeats.size < 2) return;
    for (const [rollout, repeat] of this.#inOrder()) {
      const entry: Record<string, number> = {
        _ng_rollout_index: rollout,
        sample_count: repeat.tasks,
        missing_count: tasks - repeat.tasks,
      };
      repeat.columns.forEach((column, number) => {
        const name = this.#names.name(number), error = column.std / Math.sqrt(column.count);
        entry[`mean/${name}`] = column.mean;
        for (const [of, q] of [["p25", 0.25], ["median", 0.5], ["p75", 0.75]] as const) {
          entry[`${of}/${name}`] = column.quantile(q);
        }
        entry[`std/${name}`] = column.std;
        entry[`sem/${name}`] = error;
        entry[`min/${name}`] = column.min;
        entry[`max/${name}`] = column.max;
        if (column.count > 1) {
          [entry[`ci_low_95/${name}`], entry[`ci_high_95/${name}`]] = interval95(
            column.mean,
            error,
            column.count - 1,
          );
        }
      });
      yield entry;
    }
  }

  /** How the means of each field differ between repeats; empty if there is only one repeat. */
  across(): Record<string, number> {
    const metrics: Record<string, number> = {};
    if (this.#repeats.size < 2) return metrics;
    const means: Column[] = [];
    for (const [, { columns }] of this.#inOrder()) {
      columns.forEach((column, number) => (means[number] ??= new Column(EXACT)).add(column.mean));
    }
    means.forEach((column, number) => {
      const of = `across_repeats/mean/${this.#names.name(number)}`;
      const error = column.std / Math.sqrt(column.count);
      metrics[`mean_${of}`] = column.mean;
      metrics[`median_${of}`] = column.median;
      metrics[`std_${of}`] = column.std;
      metrics[`min_${of}`] = column.min;
      metrics[`max_${of}`] = column.max;
      metrics[`se_${of}`] = error;
      if (column.count > 1) {
        [metrics[`ci_low_95_${of}`], metrics[`ci_high_95_${of}`]] = interval95(
          column.mean,
          error,
          column.count - 1,
        );
      }
    });
    return metrics;
  }

  #inOrder(): [number, Repeat][] {
    return [...this.#repeats].sort(([a], [b]) => a - b);
  }
}
