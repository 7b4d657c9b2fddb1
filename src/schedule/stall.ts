/** Notices a stall: requests are in flight, and for a long time none has started or ended. */
export class StallWatch {
  readonly #quietMs: number;
  /** When each row in flight started; the oldest first. */
  readonly #started = new Map<number, number>();
  #movedAt = 0;
  #reported = false;

  /**
   * @param quietMs how long without progress counts as a stall, in milliseconds
   */
  constructor(quietMs: number) {
    this.#quietMs = quietMs;
  }

  /** A row's request was sent. */
  starts(row: number, now: number): void {
    this.#started.set(row, now);
    this.#moves(now);
  }

  /** A row's request is over, in whatever way. */
  ends(row: number, now: number): void {
    this.#started.delete(row);
    this.#moves(now);
  }

  /**
   * On a stall, the rows that have been in flight longest, each with its time; otherwise, and if this stall was reported
   * already, undefined.
   */
  stalled(now: number, max: number): { readonly row: number; readonly forMs: number }[] | undefined {
    if (this.#reported || this.#started.size === 0 || now < this.#movedAt + this.#quietMs) return undefined;
    this.#reported = true;
    return [...this.#started.entries().take(max)].map(([row, since]) => ({ row, forMs: now - since }));
  }

  /** When to ask {@link stalled} next. */
  looksAt(now: number): number {
    const at = this.#movedAt + this.#quietMs;
    return at > now ? at : now + this.#quietMs;
  }

  #moves(now: number): void {
    this.#movedAt = now;
    this.#reported = false;
  }
}
