/**
 * Connections to a server are opened at a pace. A server that gets thousands at once drops some of them, and each
 * of those costs its client a second or more.
 *
 * Every request in flight has a connection of its own, and one that ends leaves its connection, or its slot, to the
 * next. So only growth is paced: a request that exceeds the highest number in flight so far. A run at its full
 * width, or one that never exceeds the burst, is not affected.
 */

/** How fast the number of requests in flight may grow. */
export interface PaceOptions {
  /** New ones per second. */
  readonly perSecond: number;
  /** How many may come at once, after a pause. */
  readonly burst: number;
}

/** The pace of one server. Times in milliseconds, on one clock. */
export class Pace {
  readonly #everyMs: number;
  readonly #burstMs: number;
  #inFlight = 0;
  /** The highest number in flight so far. */
  #reached = 0;
  /** When the growth so far would have happened at an even pace. At most a burst ahead of the clock. */
  #even = -Infinity;

  /** Both numbers at least 1. */
  constructor({ perSecond, burst }: PaceOptions) {
    this.#everyMs = 1000 / perSecond;
    this.#burstMs = (burst - 1) * this.#everyMs;
  }

  /** When one more request may start; a time that has passed, or -Infinity, when it may start now. */
  get opensAt(): number {
    return this.#inFlight < this.#reached ? -Infinity : this.#even - this.#burstMs;
  }

  /** A request starts. */
  starts(now: number): void {
    this.#inFlight++;
    if (this.#inFlight <= this.#reached) return;
    this.#reached = this.#inFlight;
    this.#even = Math.max(this.#even, now) + this.#everyMs;
  }

  /** A request has ended, in whatever way. */
  ends(): void {
    this.#inFlight--;
  }

  /** The server was away, and its connections are gone: growth starts over. */
  restart(): void {
    this.#reached = this.#inFlight;
  }
}
