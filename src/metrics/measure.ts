/** The numbers of a rollout: what the metrics are computed from. */
import { KEYS } from "../record/keys.ts";
import { rewardOf } from "../record/reward.ts";
import { type JsonObject, MEMBER, readObject } from "../json/object.ts";
import { type FieldNames, isBookkeeping, Layout } from "../json/field_names.ts";
import { isTrue } from "../json/truth.ts";
import { isObject } from "../json/kind.ts";
import { numberAt } from "../json/number.ts";

const UNMEASURED = new Set([KEYS.mask, "response"]);

/**
 * Measures rollouts one after another; it holds the last one's values. Its lists are reused, since a map per rollout
 * would take most of the time.
 */
export class Measure {
  /** The numbers of the fields that the rollout has, each once. */
  readonly fields: number[] = [];
  /** Whether the rollout's reward is not a valid measurement (`mask_sample`): it is counted but not averaged. */
  masked = false;
  readonly #names: FieldNames;
  readonly #row: Layout;
  readonly #usage: Layout;
  readonly #reward: number;
  #rollout = 0;
  /** By field: the last rollout that had it, the value that counts, and the value in the row itself. */
  readonly #seen: number[] = [];
  readonly #values: number[] = [];
  readonly #own: number[] = [];

  /** @param names the names behind the fields' numbers */
  constructor(names: FieldNames) {
    this.#names = names;
    this.#row = new Layout(names);
    this.#usage = new Layout(names);
    this.#reward = names.number(KEYS.reward);
  }

  /**
   * Measures every numeric top-level member, booleans as 0 and 1, and those of `response.usage`, which win over others
   * of the same name; except the collector's own (`_…`) and `mask_sample`, which is a flag. Gym's servers do the same.
   */
  take(row: JsonObject): void {
    this.fields.length = 0;
    this.#rollout++;
    this.#gather(row, this.#row);
    // If a row has several rewards the last one counts, as elsewhere, even if it is not a number.
    if (this.value(this.#reward) !== undefined && rewardOf(row) === undefined) this.#forget(this.#reward);
    const response = row.raw("response");
    if (isObject(response)) {
      const usage = readObject(response).raw("usage");
      if (isObject(usage)) this.#gather(readObject(usage), this.#usage);
    }
    const mask = row.raw(KEYS.mask);
    this.masked = mask !== undefined && isTrue(mask);
  }

  /** The value of a field; `undefined` when the rollout does not have it. */
  value(field: number): number | undefined {
    return this.#seen[field] === this.#rollout ? this.#values[field] : undefined;
  }

  /** The same, but for a field in both the row and `response.usage`, the row's. */
  own(field: number): number | undefined {
    return this.#seen[field] === this.#rollout ? this.#own[field] : undefined;
  }

  #forget(field: number): void {
    this.#seen[field] = 0;
    this.fields.splice(this.fields.indexOf(field), 1);
  }

  #gather(object: JsonObject, layout: Layout): void {
    const { bytes, members } = object;
    for (let at = 0; at < members.length; at += MEMBER) {
      const value = numberAt(bytes, members[at + 2]!, members[at + 3]!);
      if (value === undefined) continue;
      const field = layout.at(object, at);
      if (field < 0) continue;
      const name = this.#names.name(field);
      if (isBookkeeping(name) || UNMEASURED.has(name)) continue;
      this.#values[field] = value;
      const isNew = this.#seen[field] !== this.#rollout;
      // Of a duplicate name the last counts, as for JSON readers.
      if (isNew || layout === this.#row) this.#own[field] = value;
      if (!isNew) continue;
      this.#seen[field] = this.#rollout;
      this.fields.push(field);
    }
  }
}
