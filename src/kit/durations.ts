/**
 * Quantiles of any number of durations: exact, by linear interpolation, up to 100,000 of them; beyond that from a
 * sketch whose values are within half a percent, in constant memory.
 */
import { DDSketch } from "sketches";

const EXACT = 100_000, ACCURACY = 0.005;

/** A growing set of durations of one unit. */
export class Durations {
  /** Sorted. Turned into the sketch when it is full. */
  #sorted = new Float64Array(256);
  #count = 0;
  #sketch: DDSketch | undefined;
  #sum = 0;
  #max = 0;

  /** How many there are. */
  get count(): number {
    return this.#count;
  }

  /** Their sum. */
  get sum(): number {
    return this.#sum;
  }

  /** The longest; 0 when there is none. */
  get max(): number {
    return this.#max;
  }

  /** Adds one; not negative. */
  add(duration: number): void {
    this.#sum += duration;
    this.#max = Math.max(this.#max, duration);
    if (!this.#sketch && this.#count === EXACT) {
      this.#sketch = new DDSketch({ relativeAccuracy: ACCURACY });
      for (const one of this.#sorted.subarray(0, EXACT)) this.#sketch.accept(one);
      this.#sorted = new Float64Array(0);
    }
    if (this.#sketch) this.#sketch.accept(duration);
    else this.#insert(duration);
    this.#count++;
  }

  /** The `q`-quantile (0 to 1), or null when there is none. */
  quantile(q: number): number | null {
    if (this.#count === 0) return null;
    if (this.#sketch) return this.#sketch.getValueAtQuantile(q);
    const place = q * (this.#count - 1), below = Math.floor(place);
    const low = this.#sorted[below]!, high = this.#sorted[Math.min(below + 1, this.#count - 1)]!;
    return low + (high - low) * (place - below);
  }

  #insert(duration: number): void {
    if (this.#count === this.#sorted.length) {
      const grown = new Float64Array(this.#count * 2);
      grown.set(this.#sorted);
      this.#sorted = grown;
    }
    let low = 0, high = this.#count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#sorted[middle]! <= duration) low = middle + 1;
      else high = middle;
    }
    this.#sorted.copyWithin(low + 1, low, this.#count);
    this.#sorted[low] = duration;
  }
}
