/** The metrics of one task, whose rollouts are added one by one. Reused for the next task. */
import { KEYS } from "../record/keys.ts";
import type { FieldNames } from "../json/field_names.ts";
import type { Measure } from "./measure.ts";

/** Names and formulas are Gym's. */
export class TaskMetrics {
  /** `_ng_task_index`. */
  index: number = NaN;
  /** Planned rollouts, as far as known. */
  expected = 0;
  /** Of these, with a result that is masked. */
  masked = 0;
  /** Of these, measured. */
  measured = 0;
  /** By the number of the field's name: the values of the measured rollouts. */
  readonly values: number[][] = [];
  readonly #names: FieldNames;
  readonly #reward: number;
  #infos = "";

  /** @param names the names behind the fields' numbers */
  constructor(names: FieldNames) {
    this.#names = names;
    this.#reward = names.number(KEYS.reward);
  }

  /** Starts another task. */
  begin(index: number): void {
    this.index = index;
    this.expected = this.masked = this.measured = 0;
    for (const values of this.values) if (values) values.length = 0;
    this.#infos = "";
  }

  /**
   * Adds a measured rollout.
   *
   * @param written its reward as JSON, where it is to be told as it was written, whatever it is
   */
  add(rollout: number, measured: Measure, written?: string): void {
    for (const field of measured.fields) (this.values[field] ??= []).push(measured.value(field)!);
    if (this.measured++ > 0) this.#infos += ",";
    this.#infos += `{"rollout_id":"${this.index}:${rollout}","_ng_task_index":${this.index},` +
      `"_ng_rollout_index":${rollout}`;
    const reward = written ?? JSON.stringify(measured.own(this.#reward));
    if (reward !== undefined) this.#infos += `,"reward":${reward}`;
    for (const field of measured.fields) {
      if (field !== this.#reward) this.#infos += `,${this.#names.quoted(field)}:${measured.own(field)}`;
    }
    this.#infos += "}";
  }

  /** Whether every reward was 0 or 1. */
  get isBinary(): boolean {
    return (this.values[this.#reward] ?? []).every((reward) => reward === 0 || reward === 1);
  }

  /** How many rollouts have a reward, and what the rewards add up to. */
  get rewards(): { readonly count: number; readonly sum: number } {
    const rewards = this.values[this.#reward] ?? [];
    return { count: rewards.length, sum: rewards.reduce((sum, reward) => sum + reward, 0) };
  }

  /**
   * The task's entry of `group_level_metrics`.
   *
   * @param more further members behind the statistics, as JSON, each with a comma before it
   */
  json(more = ""): string {
    // A masked rollout is not missing: it has a result, just not a valid measurement.
    const expected = this.expected - this.masked;
    let json = `{"_ng_task_index":${this.index}`;
    this.values.forEach((values, number) => {
      if (values.length > 0) json += stats(values, this.#names.quoted(number).slice(1), this.measured);
    });
    const share = expected === 0 ? 100 : 100 * this.measured / expected;
    return `${json}${more},"num_rollouts":${this.measured},"expected_num_rollouts":${expected},` +
      `"missing_num_rollouts":${expected - this.measured},"reward_profile_completion_pct":${share},` +
      `"rollout_infos":[${this.#infos}]}`;
  }
}

/** `of` is the field's name as JSON without its opening quote. Sorts the values. */
function stats(values: number[], of: string, rollouts: number): string {
  const count = values.length;
  values.sort((a, b) => a - b);
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const median = (values[(count - 1) >> 1]! + values[count >> 1]!) / 2;
  // One value has no spread; for a single rollout it is shown as 0, which reads better than nothing.
  const std = count > 1 ? Math.sqrt(squares / (count - 1)) : rollouts === 1 ? 0 : NaN;
  return stat("mean", of, mean) + stat("max", of, values[count - 1]!) + stat("min", of, values[0]!) +
    stat("median", of, median) + stat("std", of, std);
}

/** Nothing where JSON has no number, such as the spread of values near the largest double. */
function stat(name: string, of: string, value: number): string {
  return Number.isFinite(value) ? `,"${name}/${of}:${value}` : "";
}
