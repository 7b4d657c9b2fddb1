/** Notices a stall: requests are in flight, and for a long time none has started or ended. */
export class StallWatch {
  readonly #quietMs: number;
  /** When each row in flight started; the oldest first. */
  readonly #started = new Map<number, number>();
  #movedAt = 0;
  #hasMoved = false;
  #reported = false;

  /**
   * @param quietMs how long without progress counts as a stall, in milliseconds
   */
  constructor(quietMs: number) {
    this.#quietMs = quietMs;
  }

  /** A row's request was sent; `moves` is false where it only asks whether a server is back. */
  starts(row: number, now: number, moves = true): void {
    this.#started.set(row, now);
    if (moves) this.#moves(now);
  }

  /** A row's request is over, in whatever way; `moves` is false where no server has seen it. */
  ends(row: number, now: number, moves = true): void {
    this.#started.delete(row);
    if (moves) this.#moves(now);
  }

  /** For how long nothing has moved, in milliseconds, and the row in flight longest. Undefined before the first start. */
  quiet(now: number): { readonly forMs: number; readonly oldest: number | undefined } | undefined {
    if (!this.#hasMoved) return undefined;
    return { forMs: now - this.#movedAt, oldest: this.#started.keys().next().value };
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
    this.#hasMoved = true;
    this.#reported = false;
  }
}
