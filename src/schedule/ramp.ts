/**
 * How a server that was away is loaded again: one row first, twice as many with each response, until there are as many
 * as before. Otherwise everything that waited would hit it at once.
 */

/**
 * A row that was not refused for this long has most likely been accepted, and its response may be an hour away: it
 * counts as a response, since otherwise a short outage would leave a server with slow rollouts at one row at a time.
 */
const SILENCE_MS = 5000;

/** One return to the earlier width. Times in milliseconds, on one clock. */
export class Ramp {
  /** How many rows were in flight before. */
  readonly width: number;
  #allowed = 1;
  #grewAt = 0;
  readonly #rows = new Set<number>();

  constructor(width: number) {
    this.width = width;
  }

  /** Whether none of its rows is in flight. */
  get isIdle(): boolean {
    return this.#rows.size === 0;
  }

  /** Whether it has reached the earlier width. */
  get isOver(): boolean {
    return this.#allowed >= this.width;
  }

  /** Whether the row was sent since it began. */
  has(row: number): boolean {
    return this.#rows.has(row);
  }

  /** Whether one more row may start now. */
  isOpen(now: number): boolean {
    return this.#rows.size < this.#allowedAt(now);
  }

  /** When one more row may start if no answer comes; -Infinity when it may start now. */
  opensAt(now: number): number {
    if (this.isOpen(now)) return -Infinity;
    return this.#grewAt + SILENCE_MS * (Math.floor(Math.log2(this.#rows.size / this.#allowed)) + 1);
  }

  /** A row starts. */
  starts(row: number, now: number): void {
    if (this.isIdle) this.#grewAt = now;
    this.#rows.add(row);
  }

  /** A row has ended, in whatever way. */
  ends(row: number): void {
    this.#rows.delete(row);
  }

  /** The server has answered. */
  answers(now: number): void {
    this.#allowed = 2 * this.#allowedAt(now);
    this.#grewAt = now;
  }

  #allowedAt(now: number): number {
    if (this.isIdle) return this.#allowed;
    return this.#allowed * 2 ** Math.floor((now - this.#grewAt) / SILENCE_MS);
  }
}
