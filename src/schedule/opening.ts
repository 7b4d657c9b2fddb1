/**
 * How many connections to one server may be under way. A server that gets thousands at once drops some of them, and each
 * of those costs its client a second or more; one whose queue is short drops them from a few on. Nothing tells before: a
 * connection takes its usual time until the queue is full, and a second then, which is the first repeat of what was dropped.
 * So a few come first, and more when the first of them is there in time.
 *
 * Each request that has started counts until its wire says that it has a connection, a kept one or a new one; what waits
 * longer than the server to be connected are the rows, not their requests.
 */

/** How many may be under way. */
export interface OpeningOptions {
  /** At most, once one was not slow. */
  readonly most: number;
  /** At most until then, and for good once one was. */
  readonly mostOnceSlow: number;
  /** Longer than this, in milliseconds, is slow. */
  readonly slowMs: number;
}

/** The connections to one server. Times in milliseconds, on one clock. */
export class Opening {
  readonly #options: OpeningOptions;
  /** When each row that has no connection yet was started. */
  readonly #since = new Map<number, number>();
  #most: number;
  #wasSlow = false;

  /** All numbers at least 1. */
  constructor(options: OpeningOptions) {
    this.#options = options;
    this.#most = options.mostOnceSlow;
  }

  /** Whether no other one may begin. */
  get isFull(): boolean {
    return this.#since.size >= this.#most;
  }

  /** A row's request starts. */
  starts(row: number, now: number): void {
    this.#since.set(row, now);
  }

  /** A row's request has its connection. */
  connected(row: number, now: number): void {
    const since = this.#since.get(row), { most, mostOnceSlow, slowMs } = this.#options;
    if (since === undefined) return;
    this.#since.delete(row);
    if (now - since > slowMs) this.#wasSlow = true;
    this.#most = this.#wasSlow ? mostOnceSlow : most;
  }

  /** A row's request is over, whether it had a connection or not. */
  ends(row: number): void {
    this.#since.delete(row);
  }

  /** The server was away, and may have become another one. */
  restart(): void {
    this.#wasSlow = false;
    this.#most = this.#options.mostOnceSlow;
  }
}
