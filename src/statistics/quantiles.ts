/**
 * Quantiles of any number of values of either sign, by linear interpolation, in bounded memory: exact as long as there
 * are few values, or few different ones (rewards, counts); beyond that from a sketch whose values are within half a
 * percent.
 */
import { DDSketch } from "sketches";

const ACCURACY = 0.005;
/** A counted value takes about this many times the memory of a listed one. */
const COUNTED = 8;

/** See the module's comment. */
export class Quantiles {
  /** All values, as long as they are few. */
  #list: number[] | undefined = [];
  /** How often each value is there, as long as few are different. */
  #counts: Map<number, number> | undefined;
  #sketch: DDSketch | undefined;
  #count = 0;
  #min = Infinity;
  #max = -Infinity;
  readonly #limit: number;

  /**
   * Starts empty.
   *
   * @param limit how many values are listed; an eighth as many different ones are counted
   */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether the answers are exact. */
  get isExact(): boolean {
    return this.#sketch === undefined;
  }

  /** The least value; Infinity when there is none. */
  get min(): number {
    return this.#min;
  }

  /** The greatest value; -Infinity when there is none. */
  get max(): number {
    return this.#max;
  }

  /** Adds a finite value. */
  add(value: number): void {
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
    this.#count++;
    if (this.#list) {
      this.#list.push(value);
      if (this.#count > this.#limit) this.#countInstead(this.#list);
    } else if (this.#counts) {
      this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
      if (this.#counts.size * COUNTED > this.#limit) this.#sketchInstead(this.#counts);
    } else this.#sketch!.accept(value);
  }

  /** The quantiles of these orders (0 to 1), each NaN when there is no value. */
  at(...orders: number[]): number[] {
    if (this.#count === 0) return orders.map(() => NaN);
    const sketch = this.#sketch;
    if (sketch) {
      // It answers with the middle of a range, which may lie outside of what there is.
      return orders.map((q) =>
        q <= 0 ? this.#min : q >= 1 ? this.#max : Math.min(
          this.#max,
          Math.max(this.#min, sketch.getValueAtQuantile(q)),
        )
      );
    }
    const inOrder = this.#inOrder();
    return orders.map((q) => {
      const place = q * (this.#count - 1), below = Math.floor(place);
      const low = inOrder(below), high = inOrder(Math.min(below + 1, this.#count - 1));
      return low + (high - low) * (place - below);
    });
  }

  /** What stands at a place when all values are in order. */
  #inOrder(): (place: number) => number {
    if (this.#list) {
      const values = Float64Array.from(this.#list).sort();
      return (place) => values[place]!;
    }
    const values = Float64Array.from(this.#counts!.keys()).sort();
    const ends: number[] = [];
    for (const value of values) ends.push((ends.at(-1) ?? 0) + this.#counts!.get(value)!);
    return (place) => values[ends.findIndex((end) => place < end)]!;
  }

  #countInstead(list: readonly number[]): void {
    const counts = new Map<number, number>();
    for (const value of list) counts.set(value, (counts.get(value) ?? 0) + 1);
    this.#list = undefined;
    this.#counts = counts;
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
