/**
 * What becomes of rows that their server did not accept: they wait for it, fail, run again, or are left. A server that
 * accepts none for the whole window is abandoned.
 */
import type { Lane } from "./lane.ts";
import type { Action, Event, Limits, Reading, Rows } from "./protocol.ts";

/** So many rows in a row that something in front of a server turned away are an outage of it. */
export const OUTAGE_IN_A_ROW = 5;

/** Where rows are, as far as they are not in a lane. */
export class Books {
  readonly inFlight = new Set<number>();
  /** In flight, or not yet written. */
  resident = 0;
  finished = 0;
  /** Not started because the budget was used up. */
  drained = 0;
}

/** What happens at one event. */
export interface Moment extends Reading {
  /** Whether nothing new starts any more. */
  readonly isStopping: boolean;
  /** What to do, in order; more is added. */
  readonly actions: Action[];
}

/** What rows wait with. */
export interface UntakenOptions {
  readonly rows: Rows;
  readonly limits: Limits;
  /** By server. */
  readonly lanes: readonly Lane[];
  readonly books: Books;
}

/** Why a server is abandoned. */
type Why = Omit<Action & { kind: "abandoned" }, "kind" | "route">;

/** How a server did not accept a row. */
interface Refusal {
  readonly reason: string;
  /** How long the server asked to be left alone; undefined when it asked for nothing. */
  readonly floorMs?: number | undefined;
  readonly turnedAway: boolean;
}

export class Untaken {
  readonly #rows: Rows;
  readonly #limits: Limits;
  readonly #lanes: readonly Lane[];
  readonly #books: Books;
  /** When a row was sent for the first time without its server taking it. */
  readonly #since = new Map<number, number>();

  constructor({ rows, limits, lanes, books }: UntakenOptions) {
    this.#rows = rows;
    this.#limits = limits;
    this.#lanes = lanes;
    this.#books = books;
  }

  /** A row's request is over. Returns the lane of its server. */
  ended(row: number): Lane {
    const lane = this.#lanes[this.#rows.route(row)]!;
    if (this.#books.inFlight.delete(row)) lane.ends(row);
    return lane;
  }

  /** Something came back from the row's server: it is reachable. */
  landed(row: number, { now, actions }: Moment): void {
    const lane = this.ended(row);
    this.#since.delete(row);
    lane.heard = true;
    if (lane.abandoned) return;
    const afterMs = lane.answers(row, now);
    if (afterMs !== undefined) actions.push({ kind: "resumed", route: this.#rows.route(row), afterMs });
  }

  /** A row's request broke, whatever becomes of the row. */
  lost(row: number, moment: Moment): Lane {
    const lane = this.#lanes[this.#rows.route(row)]!;
    // A connection of before the outage that breaks only now is no sign that the server is back.
    if (lane.isOlderThanOutage(row)) this.ended(row);
    else this.landed(row, moment);
    this.#since.delete(row);
    return lane;
  }

  unsent({ row, reason, floorMs, hopeless = false }: Event & { kind: "unsent" }, moment: Moment): void {
    const { now, isStopping, actions } = moment;
    const route = this.#rows.route(row), lane = this.ended(row), asked = floorMs !== undefined;
    if (asked) {
      lane.heard = true;
      lane.turnedAway.clear();
    }
    this.#books.resident--;
    if (isStopping) return lane.held.push(row);
    const isHopeless = hopeless && !lane.heard;
    // One row's failure reports the hopeless server; the others are left as if not tried.
    if (lane.abandoned) return isHopeless || asked ? lane.held.push(row) : this.#fail(row, actions);
    if (isHopeless) {
      this.#fail(row, actions);
      return this.#abandon(route, { reason, afterMs: 0 }, moment);
    }
    const windowMs = this.#limits.retryWindowMs, afterMs = now - (lane.outage?.since ?? now);
    if (asked && floorMs > windowMs - afterMs) {
      // In this order, since it says more of why the run ends, where a failed row ends it.
      this.#abandon(route, { reason, afterMs, asked: { forMs: floorMs, windowMs } }, moment);
      return this.#fail(row, actions);
    }
    this.#wait(row, { reason, floorMs, turnedAway: false }, moment);
  }

  turnedAway({ row, reason }: Event & { kind: "turned_away" }, moment: Moment): void {
    const { outage } = this.#limits, { actions, isStopping } = moment;
    if (!outage) {
      this.landed(row, moment);
      return void actions.push({ kind: "fail", row });
    }
    const route = this.#rows.route(row), lane = this.ended(row);
    if (lane.outage && !lane.abandoned) {
      lane.turnedAway.addKnown();
      this.#books.resident--;
      if (isStopping) return lane.held.push(row);
      return this.#wait(row, { reason, turnedAway: true }, moment);
    }
    lane.heard = true;
    lane.forgets(row);
    this.#since.delete(row);
    actions.push({ kind: "fail", row });
    if (lane.abandoned || isStopping || lane.turnedAway.add(row) < outage.inARow) return;
    this.#fails(lane, row, { reason, turnedAway: true }, moment);
    const isOver = this.#limits.retryWindowMs === 0;
    if (!isOver) actions.push({ kind: "paused", route, reason, asked: false });
    for (const row of lane.turnedAway.becomeOutage()) this.#runAgain(row, moment);
    if (isOver) this.#abandon(route, { reason, afterMs: 0 }, moment);
  }

  /** What became of a row is in its file. */
  written(row: number, moment: Moment): void {
    if (this.#lanes[this.#rows.route(row)]!.turnedAway.written(row)) this.#runAgain(row, moment);
  }

  /** A row that was turned away in an outage, and has its failure recorded. */
  #runAgain(row: number, { isStopping, actions }: Moment): void {
    const lane = this.#lanes[this.#rows.route(row)]!;
    if (isStopping || lane.abandoned) return;
    if (this.#rows.attempts(row) >= this.#limits.outage!.maxAttempts) return;
    this.#books.finished--;
    lane.held.push(row);
    lane.turnedAway.runsAgain();
    actions.push({ kind: "again", row });
  }

  /** A row waits for its server, unless it, or the server, has had its window. */
  #wait(row: number, refusal: Refusal, moment: Moment): void {
    const { now, actions } = moment, { reason, floorMs } = refusal;
    const route = this.#rows.route(row), lane = this.#lanes[route]!;
    const windowMs = this.#limits.retryWindowMs, since = this.#since.get(row) ?? now;
    const isNew = lane.outage === undefined;
    this.#fails(lane, row, refusal, moment);
    const afterMs = now - lane.outage!.since, isOver = afterMs >= windowMs;
    if (isNew && !isOver) actions.push({ kind: "paused", route, reason, asked: floorMs !== undefined });
    if (now < since + windowMs) {
      this.#since.set(row, since);
      lane.held.push(row);
    } else this.#fail(row, actions);
    if (isOver) this.#abandon(route, { reason, afterMs }, moment);
  }

  #fails(lane: Lane, row: number, { reason, floorMs = 0, turnedAway }: Refusal, moment: Moment): void {
    const { now, chance } = moment, windowMs = this.#limits.retryWindowMs;
    lane.fails({ row, reason, floorMs, windowMs, turnedAway, now, chance });
  }

  /** Abandons a server. If it had its window, rows that were tried have failed; the others are left undone. */
  #abandon(route: number, why: Why, { now, actions }: Moment): void {
    const lane = this.#lanes[route]!;
    lane.abandon(now);
    actions.push({ kind: "abandoned", route, ...why });
    for (let held = lane.held.shift(); held !== undefined; held = lane.held.shift()) {
      if (!why.asked && this.#since.has(held)) this.#fail(held, actions);
    }
  }

  #fail(row: number, actions: Action[]): void {
    this.#since.delete(row);
    this.#books.resident++;
    actions.push({ kind: "fail", row });
  }
}
