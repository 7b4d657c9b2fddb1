/** Rows that are to start again, each not before its time. A few at most, so a sorted list will do. */
export class DueRows {
  readonly #rows: { readonly row: number; readonly at: number }[] = [];

  /** How many wait. */
  get size(): number {
    return this.#rows.length;
  }

  /** When the first of them is due; Infinity when none waits. */
  get nextAt(): number {
    return this.#rows[0]?.at ?? Infinity;
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
