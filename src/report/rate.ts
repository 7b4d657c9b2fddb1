/** How fast a run goes just now, from readings of how much it has done. */

/** Settings of {@link Rate}. */
export interface RateOptions {
  /** Milliseconds to look back. Default 20000. */
  readonly windowMs?: number;
  /** Look back further until so many events are seen, so that slow runs have a rate too. Default 10. */
  readonly atLeast?: number;
}

interface Reading {
  readonly ms: number;
  readonly count: number;
}

/**
 * A sliding-window rate. Holds no clock: each reading brings its time. Keeps some two hundred readings at most,
 * however often it is fed.
 */
export class Rate {
  readonly #windowMs: number;
  readonly #atLeast: number;
  /** Readings at which the count had grown, oldest first; the first is the edge of the window. */
  readonly #readings: Reading[] = [];
  #last: Reading = { ms: 0, count: 0 };

  constructor({ windowMs = 20_000, atLeast = 10 }: RateOptions = {}) {
    this.#windowMs = windowMs;
    this.#atLeast = atLeast;
  }

  /** Takes a reading: `count` events in all, at `nowMs`. Neither may fall; a reading where one does is ignored. */
  add(nowMs: number, count: number): void {
    const newest = this.#readings.at(-1);
    if (newest && (nowMs < this.#last.ms || count < this.#last.count)) return;
    this.#last = { ms: nowMs, count };
    // Readings closer together than this say nothing new, and would only have to be kept.
    const apart = this.#windowMs / 100;
    if (!newest || (count > newest.count && nowMs - newest.ms >= apart)) this.#readings.push(this.#last);
    this.#forget();
  }

  /** Events per second up to the last reading; 0 before there are two. */
  perSecond(): number {
    const first = this.#readings[0];
    const ms = first ? this.#last.ms - first.ms : 0;
    return ms > 0 ? (this.#last.count - first!.count) * 1000 / ms : 0;
  }

  #forget(): void {
    for (let second = this.#readings[1]; second; second = this.#readings[1]) {
      const old = this.#last.ms - second.ms >= this.#windowMs;
      if (!old || this.#last.count - second.count < this.#atLeast) return;
      this.#readings.shift();
    }
  }
}
