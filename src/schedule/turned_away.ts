/**
 * Responses with which something in front of one server turned rows away: the current streak, and what they cost once
 * they became an outage.
 */

/** The cost of outages in which something in front of a server turned rows away. */
export interface OutageCost {
  /** Answers that turned a row away: those by which an outage became known, and those while it was. */
  readonly turnedAway: number;
  /** Of the rows of these, those that have a failure recorded for it and ran again, or are to. */
  readonly ranAgain: number;
  /** How long the server was paused, in milliseconds. */
  readonly ms: number;
}

/** The account of one server. */
export class TurnedAway {
  /** The rows that were turned away since the last other answer, each with whether its failure is in its file. */
  readonly #inARow = new Map<number, boolean>();
  /** Those that are to run again once their failure is in its file. */
  readonly #pending = new Set<number>();
  #turnedAway = 0;
  #ranAgain = 0;
  #ms = 0;

  /** The cost of past outages. */
  get cost(): OutageCost {
    return { turnedAway: this.#turnedAway, ranAgain: this.#ranAgain, ms: this.#ms };
  }

  /** One more. Returns how many in a row there are now. */
  add(row: number): number {
    this.#inARow.set(row, false);
    return this.#inARow.size;
  }

  /** One more while the outage is known. */
  addKnown(): void {
    this.#turnedAway++;
  }

  /** A row of an outage runs again, having a failure recorded. */
  runsAgain(): void {
    this.#ranAgain++;
  }

  /** An outage ended after this long. */
  addMs(ms: number): void {
    this.#ms += ms;
  }

  /** Another answer came. */
  clear(): void {
    // Clearing an empty map would cost more than everything else here.
    if (this.#inARow.size > 0) this.#inARow.clear();
  }

  /** Those in a row are an outage. Returns the rows that can run again at once; {@link written} returns the others. */
  becomeOutage(): number[] {
    this.#turnedAway += this.#inARow.size;
    const rows: number[] = [];
    for (const [row, isWritten] of this.#inARow) {
      if (isWritten) rows.push(row);
      else this.#pending.add(row);
    }
    this.#inARow.clear();
    return rows;
  }

  /** What became of a row is in its file. Returns whether it is to run again. */
  written(row: number): boolean {
    if (this.#inARow.size > 0 && this.#inARow.has(row)) this.#inARow.set(row, true);
    return this.#pending.size > 0 && this.#pending.delete(row);
  }
}
