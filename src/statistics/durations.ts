/**
 * Quantiles of any number of durations: exact, by linear interpolation, up to 100,000 of them; beyond that from a
 * sketch whose values are within half a percent, in constant memory.
 */
import { DDSketch } from "sketches";

const EXACT = 100_000, ACCURACY = 0.005;

/** A growing set of durations of one unit. Adding is cheap; asking sorts what has come since the last time. */
export class Durations {
  /** The first {@link #inOrder} are sorted; the others, up to {@link #count}, came since. Empty once there is a sketch. */
  #exact = new Float64Array(256);
  #inOrder = 0;
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
    if (duration > this.#max) this.#max = duration;
    if (!this.#sketch && this.#count === EXACT) {
      this.#sketch = new DDSketch({ relativeAccuracy: ACCURACY });
      for (const one of this.#exact.subarray(0, EXACT)) this.#sketch.accept(one);
      this.#exact = new Float64Array(0);
    }
    if (this.#sketch) {
      this.#sketch.accept(duration);
    } else {
      if (this.#count === this.#exact.length) this.#exact = copy(this.#exact, this.#count * 2);
      this.#exact[this.#count] = duration;
    }
    this.#count++;
  }

  /** The `q`-quantile (0 to 1), or null when there is none. */
  quantile(q: number): number | null {
    if (this.#count === 0) return null;
    if (this.#sketch) return this.#sketch.getValueAtQuantile(q);
    if (this.#inOrder < this.#count) this.#sort();
    const place = q * (this.#count - 1), below = Math.floor(place);
    const low = this.#exact[below]!, high = this.#exact[Math.min(below + 1, this.#count - 1)]!;
    return low + (high - low) * (place - below);
  }

  /** Sorts the new ones and merges them, from the end, so that asking often costs a pass and no sort of everything. */
  #sort(): void {
    const exact = this.#exact, added = exact.slice(this.#inOrder, this.#count).sort();
    let old = this.#inOrder - 1, to = this.#count - 1;
    for (let k = added.length - 1; k >= 0; to--) {
      exact[to] = old >= 0 && exact[old]! > added[k]! ? exact[old--]! : added[k--]!;
    }
    this.#inOrder = this.#count;
  }
}

function copy(from: Float64Array, capacity: number): Float64Array<ArrayBuffer> {
  const to = new Float64Array(capacity);
  to.set(from);
  return to;
}
