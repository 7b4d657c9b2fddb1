/**
 * Quantiles of any number of values of either sign, in bounded memory. They are exact while there are few values, or
 * few distinct ones (rewards, counts); beyond that they come from a DDSketch, within half a percent.
 *
 * Exact ones interpolate linearly between the two nearest ranks, as `numpy.quantile` does.
 */
import { DDSketch } from "sketches";

const ACCURACY = 0.005;
/** A counted value takes about this many times the memory of a listed one. */
const COUNTED = 8;
const FIRST_CAPACITY = 16;

export class Quantiles {
  /** All values while they are few: the first {@link #inOrder} are sorted, the others came later. */
  #list: Float64Array | undefined = new Float64Array(FIRST_CAPACITY);
  #inOrder = 0;
  /** How often each value occurs, while few are distinct; and those values sorted, until a new one comes. */
  #counts: Map<number, number> | undefined;
  #different: Float64Array | undefined;
  #sketch: DDSketch | undefined;
  #count = 0;
  #min = Infinity;
  #max = -Infinity;
  readonly #limit: number;

  /** @param limit how many values are listed; an eighth as many distinct ones are counted */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether the answers are exact. */
  get isExact(): boolean {
    return this.#sketch === undefined;
  }

  get count(): number {
    return this.#count;
  }

  /** Infinity when there are no values. */
  get min(): number {
    return this.#min;
  }

  /** -Infinity when there are no values. */
  get max(): number {
    return this.#max;
  }

  /** Adds a finite value. */
  add(given: number): void {
    const value = given + 0; // a zero is a zero, whatever its sign
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
    if (this.#list && this.#count === this.#limit) this.#countInstead(this.#list.subarray(0, this.#count));
    if (this.#list) {
      if (this.#count === this.#list.length) this.#list = longer(this.#list);
      this.#list[this.#count] = value;
    } else if (this.#counts) this.#countOne(value);
    else this.#sketch!.accept(value);
    this.#count++;
  }

  /** The `q`-quantile (0 to 1); NaN when there are no values. */
  at(q: number): number {
    if (this.#count === 0) return NaN;
    if (this.#sketch) {
      if (q <= 0) return this.#min;
      if (q >= 1) return this.#max;
      // A sketch returns the middle of a bucket, which may lie outside the values.
      return Math.min(this.#max, Math.max(this.#min, this.#sketch.getValueAtQuantile(q)));
    }
    const rank = q * (this.#count - 1), below = Math.floor(rank);
    const low = this.#ranked(below), high = this.#ranked(Math.min(below + 1, this.#count - 1));
    return low + (high - low) * (rank - below);
  }

  /** The value of this rank, from 0. */
  #ranked(rank: number): number {
    if (this.#list) {
      if (this.#inOrder < this.#count) this.#sort(this.#list);
      return this.#list[rank]!;
    }
    const counts = this.#counts!;
    this.#different ??= Float64Array.from(counts.keys()).sort();
    let end = 0;
    for (const value of this.#different) {
      end += counts.get(value)!;
      if (rank < end) return value;
    }
    return this.#max;
  }

  /** Sorts the new values and merges them in from the end, so that frequent queries do not sort everything each time. */
  #sort(list: Float64Array): void {
    const added = list.slice(this.#inOrder, this.#count).sort();
    let old = this.#inOrder - 1, to = this.#count - 1;
    for (let k = added.length - 1; k >= 0; to--) {
      list[to] = old >= 0 && list[old]! > added[k]! ? list[old--]! : added[k--]!;
    }
    this.#inOrder = this.#count;
  }

  #countInstead(list: Float64Array): void {
    this.#list = undefined;
    this.#counts = new Map();
    for (const value of list) {
      if (this.#counts) this.#countOne(value);
      else this.#sketch!.accept(value);
    }
  }

  #countOne(value: number): void {
    const counts = this.#counts!, before = counts.get(value);
    counts.set(value, (before ?? 0) + 1);
    if (before !== undefined) return;
    this.#different = undefined;
    if (counts.size * COUNTED > this.#limit) this.#sketchInstead(counts);
  }

  #sketchInstead(counts: ReadonlyMap<number, number>): void {
    const sketch = new DDSketch({ relativeAccuracy: ACCURACY });
    for (const [value, count] of counts) {
      for (let k = 0; k < count; k++) sketch.accept(value);
    }
    this.#counts = undefined;
    this.#sketch = sketch;
  }
}

function longer(list: Float64Array): Float64Array {
  const more = new Float64Array(list.length * 2);
  more.set(list);
  return more;
}
