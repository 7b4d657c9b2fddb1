/**
 * Connections to a server are opened at a pace. A server that is met by thousands at once drops some of them on the
 * way in, and each of those costs its client a second or more.
 *
 * Every request in flight has a connection of its own, and one that ends leaves its connection, or its slot, to the
 * next. So only growth is paced: a request that is one more than there have been at any time before. A run that
 * has reached its width, and one that never gets beyond the burst, does not notice.
 */

/** How fast the number of requests in flight may grow. */
export interface PaceOptions {
  /** New ones a second. */
  readonly perSecond: number;
  /** So many may come at once, after a while without any. */
  readonly burst: number;
}

/** The pace of one server. Times in milliseconds, on one clock. */
export class Pace {
  readonly #everyMs: number;
  readonly #burstMs: number;
  #inFlight = 0;
  /** The most there have been in flight. */
  #reached = 0;
  /** When growth so far would have come about had it been even. Ahead of the clock by no more than a burst. */
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

  /** The server was away, and the connections with it: what was reached has to be reached again. */
  restart(): void {
    this.#reached = this.#inFlight;
  }
}
