/**
 * The rows that were offered and have not started, as one queue for each server. Rows are not copied: each queue is a
 * cursor of its own over what was offered, so that a server whose rows have to wait costs the same however many
 * they are. What cursors have passed is let go.
 *
 * Each cursor reads past the rows of other servers, so a row is looked at once for each server that still has rows.
 */

/** Rows that were offered together. */
interface Offer {
  /** Can be read any number of times. */
  readonly rows: Iterable<number>;
  /** The position of its first row among all rows ever offered. */
  readonly position: number;
  next?: Offer;
}

/** The rows of one server that have not started, in the order in which they were offered. */
export class RouteQueue {
  /** How many. */
  size = 0;
  /** The position of the first among all rows ever offered; Infinity when there is none. */
  position = Infinity;
  #first = -1;
  #closed = false;
  #offer: Offer | undefined;
  #rows: Iterator<number> | undefined;
  /** The position of what {@link #rows} yields next. */
  #ahead = 0;
  readonly #isOurs: (row: number) => boolean;

  /** Nothing is offered yet. */
  constructor(isOurs: (row: number) => boolean) {
    this.#isOurs = isOurs;
  }

  /** One of the rows of an offer belongs here; `row` is the first of these when the queue is empty. */
  push(row: number, position: number, offer: Offer): void {
    if (this.#closed || this.size++ > 0) return;
    this.#first = row;
    this.position = position;
    // Read from its beginning once a second row is needed: most iterables cannot be entered in the middle.
    this.#offer = offer;
    this.#rows = undefined;
  }

  /** Takes the first row. */
  shift(): number | undefined {
    if (this.size === 0) return undefined;
    const row = this.#first;
    if (--this.size > 0) this.#advance();
    else this.clear();
    return row;
  }

  /** Lets go of all rows. */
  clear(): void {
    this.size = 0;
    this.position = Infinity;
    this.#offer = this.#rows = undefined;
  }

  /** Lets go of all rows, and of those that will be offered. */
  close(): void {
    this.#closed = true;
    this.clear();
  }

  #advance(): void {
    const { position } = this;
    for (;;) {
      if (!this.#rows) {
        this.#rows = this.#offer!.rows[Symbol.iterator]();
        this.#ahead = this.#offer!.position;
      }
      for (let next = this.#rows.next(); !next.done; next = this.#rows.next()) {
        const at = this.#ahead++;
        if (at <= position || !this.#isOurs(next.value)) continue;
        this.#first = next.value;
        this.position = at;
        return;
      }
      this.#offer = this.#offer!.next;
      if (!this.#offer) throw new Error("Rows that were offered yield fewer when they are read again.");
      this.#rows = undefined;
    }
  }
}

/** See the module's comment. */
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
    this.queues = Array.from({ length: routes }, (_, k) => new RouteQueue((row) => route(row) === k));
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

  /**
   * Adds rows after all others. They are counted at once, and read again as servers get to them. An iterable that
   * can be read only once, such as a generator, is copied.
   */
  offer(rows: Iterable<number>): void {
    const isReadOnce = (rows[Symbol.iterator]() as unknown) === rows;
    const offer: Offer = { rows: isReadOnce ? Uint32Array.from(rows) : rows, position: this.#offered };
    if (this.#last) this.#last.next = offer;
    this.#last = offer;
    for (const row of offer.rows) this.queues[this.#route(row)]!.push(row, this.#offered++, offer);
  }
}
