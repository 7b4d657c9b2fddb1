/**
 * The rows that were offered and have not started, as one queue for each server. Each queue is a cursor over what
 * was offered, so that a server whose rows have to wait costs the same however many there are, and rows of other
 * servers behind them are found. What all cursors have passed is freed.
 *
 * Each row is looked at once per server that still has rows: some nanoseconds.
 */

/** Rows that were offered together. */
interface Offer {
  readonly rows: ArrayLike<number>;
  /** The position of its first row among all rows ever offered. */
  readonly position: number;
  next?: Offer;
}

/** The rows of one server that have not started, in the order in which they were offered. */
export class RouteQueue {
  size = 0;
  /** The position of the first among all rows ever offered; Infinity when there is none. */
  position = Infinity;
  /** Where the first one is. */
  #offer: Offer | undefined;
  #closed = false;
  readonly #own: number;
  readonly #route: (row: number) => number;

  /**
   * @param own the server
   * @param route the server of a row
   */
  constructor(own: number, route: (row: number) => number) {
    this.#own = own;
    this.#route = route;
  }

  /** A row at this position belongs here. */
  push(position: number, offer: Offer): void {
    if (this.#closed || this.size++ > 0) return;
    this.position = position;
    this.#offer = offer;
  }

  /** Takes the first row. */
  shift(): number | undefined {
    if (this.size === 0) return undefined;
    const { rows, position } = this.#offer!, row = rows[this.position - position];
    if (--this.size > 0) this.#advance();
    else this.clear();
    return row;
  }

  /** Drops all rows. */
  clear(): void {
    this.size = 0;
    this.position = Infinity;
    this.#offer = undefined;
  }

  /** Drops all rows, and those still to be offered. */
  close(): void {
    this.#closed = true;
    this.clear();
  }

  #advance(): void {
    const route = this.#route, own = this.#own;
    let offer = this.#offer!, k = this.position - offer.position + 1;
    for (;; offer = offer.next!, k = 0) {
      const { rows } = offer;
      while (k < rows.length && route(rows[k]!) !== own) k++;
      if (k < rows.length) break;
    }
    this.#offer = offer;
    this.position = offer.position + k;
  }
}

export class Backlog {
  /** The rows of each server. */
  readonly queues: readonly RouteQueue[];
  readonly #route: (row: number) => number;
  #offered = 0;
  #last: Offer | undefined;

  /**
   * @param routes how many servers there are
   * @param route the server of a row
   */
  constructor(routes: number, route: (row: number) => number) {
    this.#route = route;
    this.queues = Array.from({ length: routes }, (_, own) => new RouteQueue(own, route));
  }

  /** Rows offered so far. */
  get offered(): number {
    return this.#offered;
  }

  /** How many rows there are from the first that has not started to the last one offered. */
  get span(): number {
    let first = this.#offered;
    for (const { position } of this.queues) if (position < first) first = position;
    return this.#offered - first;
  }

  /** Adds rows after all others. Arrays are kept, not copied, and must not change; other iterables are copied. */
  offer(rows: ArrayLike<number> | Iterable<number>): void {
    const offer: Offer = { rows: "length" in rows ? rows : Uint32Array.from(rows), position: this.#offered };
    if (this.#last) this.#last.next = offer;
    this.#last = offer;
    for (let k = 0; k < offer.rows.length; k++) {
      this.queues[this.#route(offer.rows[k]!)]!.push(this.#offered++, offer);
    }
  }
}
