/** Rows that are to start again, each not before its time. There are few, so a sorted list will do. */
export class DueRows {
  readonly #rows: { readonly row: number; readonly at: number }[] = [];

  get size(): number {
    return this.#rows.length;
  }

  /** Whether one is due. */
  isDue(now: number): boolean {
    return this.#rows.length > 0 && this.#rows[0]!.at <= now;
  }

  /** When the next one is due, of those that are not due yet; Infinity when there is none. */
  nextAfter(now: number): number {
    if (this.#rows.length === 0) return Infinity;
    return this.#rows.find(({ at }) => at > now)?.at ?? Infinity;
  }

  /** Adds a row that is due at `at`. */
  add(row: number, at: number): void {
    let k = this.#rows.length;
    while (k > 0 && this.#rows[k - 1]!.at > at) k--;
    this.#rows.splice(k, 0, { row, at });
  }

  /** Takes the one that has been due longest. */
  take(now: number): number | undefined {
    return this.isDue(now) ? this.#rows.shift()!.row : undefined;
  }
}
