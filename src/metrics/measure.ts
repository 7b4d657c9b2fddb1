/** The numbers of a rollout: what the metrics are computed from. */
import { type JsonObject, MEMBER, readObject } from "../json/object.ts";
import { type FieldNames, isBookkeeping, Layout } from "./fields.ts";
import { numberAt } from "./number.ts";

/** A rollout's numbers. */
export interface Measured {
  /** By the number of the field's name. Those of `response.usage` are among them and win over others of their name. */
  readonly values: ReadonlyMap<number, number>;
  /** Those of the row's own that lost to one of `response.usage`. */
  readonly hidden: ReadonlyMap<number, number>;
  /** Whether its reward is no valid measurement (`mask_sample`), so that it is told of but not averaged. */
  readonly masked: boolean;
}

const UNMEASURED = new Set(["mask_sample", "response"]);

/** Measures rollouts. */
export class Measure {
  readonly #names: FieldNames;
  readonly #row: Layout;
  readonly #usage: Layout;
  readonly #values = new Map<number, number>();
  readonly #hidden = new Map<number, number>();

  /** @param names that the fields' numbers speak of */
  constructor(names: FieldNames) {
    this.#names = names;
    this.#row = new Layout(names);
    this.#usage = new Layout(names);
  }

  /**
   * Every numeric top-level member, booleans as 0 and 1, and of `response.usage` likewise, without the collector's
   * own (`_…`) and without `mask_sample`, which is a flag. So do Gym's servers. Valid until the next call.
   */
  of(row: JsonObject): Measured {
    const values = this.#values, hidden = this.#hidden;
    values.clear();
    hidden.clear();
    this.#gather(row, this.#row);
    const response = row.raw("response");
    if (response?.[0] === 0x7b) {
      const usage = readObject(response).raw("usage");
      if (usage?.[0] === 0x7b) this.#gather(readObject(usage), this.#usage);
    }
    const mask = row.raw("mask_sample");
    return { values, hidden, masked: mask !== undefined && isTrue(mask) };
  }

  #gather(object: JsonObject, layout: Layout): void {
    const { bytes, members } = object;
    for (let at = 0; at < members.length; at += MEMBER) {
      const value = numberAt(bytes, members[at + 2]!, members[at + 3]!);
      if (value === undefined) continue;
      const number = layout.at(object, at);
      if (number < 0) continue;
      const name = this.#names.name(number);
      if (isBookkeeping(name) || UNMEASURED.has(name)) continue;
      const before = layout === this.#usage ? this.#values.get(number) : undefined;
      if (before !== undefined) this.#hidden.set(number, before);
      this.#values.set(number, value);
    }
  }
}

/** Whether a JSON value counts as true in Python. */
export function isTrue(raw: Uint8Array): boolean {
  if (raw[0] === 0x74) return true;
  if (raw[0] === 0x66 || raw[0] === 0x6e) return false;
  const value = JSON.parse(new TextDecoder().decode(raw));
  return typeof value === "object" ? Object.keys(value).length > 0 : Boolean(value);
}
