/** A cap on how often requests to one server start: evenly, so that no window of time has more than its share. */

/** Starts that a timer was late for may follow at once, as far as they are no older than this, in milliseconds. */
const LATE_MS = 50;

/** The cap of one server. Times in milliseconds, on one clock. */
export class StartRate {
  readonly #everyMs: number;
  readonly #lateMs: number;
  #next = -Infinity;

  /** @param perSecond above 0 */
  constructor(perSecond: number) {
    this.#everyMs = 1000 / perSecond;
    this.#lateMs = Math.max(0, LATE_MS - this.#everyMs);
  }

  /** When the next request may start; a time that has passed when it may now. */
  get opensAt(): number {
    return this.#next - this.#lateMs;
  }

  /** A request starts. */
  starts(now: number): void {
    this.#next = Math.max(this.#next, now) + this.#everyMs;
  }
}
