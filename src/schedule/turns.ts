/**
 * Whose turn it is. Rows start in the order in which they were offered, with one exception: where a server already
 * holds its share of the concurrency, later rows of servers that do not go first, so that a hanging one cannot
 * take everything. A share that no other server can use now is lent.
 */
import type { Lane } from "./lane.ts";

export class Turns {
  readonly #lanes: readonly Lane[];
  readonly #concurrency: number;

  /** @param concurrency how many rows may be in flight at all; Infinity for no limit */
  constructor(lanes: readonly Lane[], concurrency: number) {
    this.#lanes = lanes;
    this.#concurrency = concurrency;
  }

  /** Takes the next row that may start now. Looks twice at each server, and at no row that it does not take. */
  take(now: number): number | undefined {
    const share = this.#share();
    let first: Lane | undefined, position = Infinity, lent = true;
    for (const lane of this.#lanes) {
      const at = lane.position(now);
      if (at === Infinity) continue;
      const isOverShare = lane.inFlight >= share;
      const isBetter = isOverShare === lent ? at < position : lent;
      if (!isBetter || !lane.isOpen(now)) continue;
      first = lane;
      position = at;
      lent = isOverShare;
    }
    return first?.take(now);
  }

  /** How many rows each server may have in flight before those of others go first. */
  #share(): number {
    if (this.#concurrency === Infinity) return Infinity;
    let servers = 0;
    for (const lane of this.#lanes) if (lane.hasLeft) servers++;
    return servers < 2 ? Infinity : Math.ceil(this.#concurrency / servers);
  }
}
