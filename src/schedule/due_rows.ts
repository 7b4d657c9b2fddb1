/** Rows that are to start again, each not before its time. A few at most, so a sorted list will do. */
export class DueRows {
  readonly #rows: { readonly row: number; readonly at: number }[] = [];

  /** When the next one is due, of those that are not due yet; Infinity when there is none. */
  nextAfter(now: number): number {
    return this.#rows.find(({ at }) => at > now)?.at ?? Infinity;
  }

  /** Whether one of them `may` start, now or later. */
  some(may: (row: number) => boolean): boolean {
    return this.#rows.some(({ row }) => may(row));
  }

  /** Adds a row that is due at `at`. */
  add(row: number, at: number): void {
    let k = this.#rows.length;
    while (k > 0 && this.#rows[k - 1]!.at > at) k--;
    this.#rows.splice(k, 0, { row, at });
  }

  /** Takes the first row that is due at `now` and that `may` start. */
  take(now: number, may: (row: number) => boolean): number | undefined {
    for (let k = 0; k < this.#rows.length && this.#rows[k]!.at <= now; k++) {
      if (may(this.#rows[k]!.row)) return this.#rows.splice(k, 1)[0]!.row;
    }
    return undefined;
  }
}
