/**
 * Quantiles of any number of values of either sign: exact, by linear interpolation, up to a limit; beyond that from a
 * sketch whose values are within half a percent, in constant memory.
 */
import { DDSketch } from "sketches";

const ACCURACY = 0.005;

/** See the module's comment. */
export class Quantiles {
  /** All values, until there is a sketch. */
  #exact: number[] = [];
  #count = 0;
  #sketch: DDSketch | undefined;
  #min = Infinity;
  #max = -Infinity;
  readonly #limit: number;

  /** @param limit how many values are kept exactly */
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
    if (this.#sketch) return this.#sketch.accept(value);
    this.#exact.push(value);
    if (this.#count <= this.#limit) return;
    this.#sketch = new DDSketch({ relativeAccuracy: ACCURACY });
    for (const one of this.#exact) this.#sketch.accept(one);
    this.#exact = [];
  }

  /** The quantiles of these orders (0 to 1), each NaN when there is no value. */
  at(...orders: number[]): number[] {
    if (this.#count === 0) return orders.map(() => NaN);
    const sketch = this.#sketch;
    if (sketch) {
      // It answers with the middle of a range, which may lie outside of what there is.
      return orders.map((q) => Math.min(this.#max, Math.max(this.#min, sketch.getValueAtQuantile(q))));
    }
    const values = Float64Array.from(this.#exact).sort();
    return orders.map((q) => {
      const place = q * (values.length - 1), below = Math.floor(place);
      const low = values[below]!, high = values[Math.min(below + 1, values.length - 1)]!;
      return low + (high - low) * (place - below);
    });
  }
}
