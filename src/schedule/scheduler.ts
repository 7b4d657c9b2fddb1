/**
 * When each rollout starts, starts again, or is left: a state machine over rows that are offered to it, all at once
 * or while it runs. Events go in, actions come out (`protocol.ts`); clock and chance stay outside, so every rule can
 * be tested without waiting, and nothing here knows what a request is.
 *
 * A row that was offered is exactly one of these: in its server's lane (`lane.ts`), due again later, in flight, being
 * written, drained, or finished. A finished one runs again only if it was turned away in an outage.
 */
import { AutoWidth, type Ended, type Found } from "./auto_width.ts";
import { Backlog } from "./backlog.ts";
import { waitMs } from "./backoff.ts";
import { Lane } from "./lane.ts";
import { Opening } from "./opening.ts";
import type { Action, Event, Limits, Reading, Rows } from "./protocol.ts";
import { StartRate } from "./start_rate.ts";
import type { OutageCost } from "./turned_away.ts";
import { Turns } from "./turns.ts";
import { Books, Untaken } from "./untaken.ts";

export type { Action, Event, Found, Limits, OutageCost, Reading, Rows };

/** How many rows to have in reserve beyond those that there is room for. */
const AHEAD = 1000;

/** What the end of a request says of its server. One without an answer may have met a time limit of ours. */
const ENDS: Readonly<Partial<Record<Event["kind"], Ended>>> = {
  answered: "answered",
  unsent: "refused",
  turned_away: "refused",
  lost: "refused",
  unanswered: "unknown",
  aborted: "unknown",
};

export class Scheduler {
  readonly #rows: Rows;
  readonly #limits: Limits;
  readonly #backlog: Backlog;
  /** By server. */
  readonly #lanes: readonly Lane[];
  readonly #turns: Turns;
  readonly #books = new Books();
  readonly #untaken: Untaken;
  #closed = false;
  #exhausted = false;
  #startedAt: number | undefined;
  #stop: "drain" | "abort" | undefined;
  #abortAt = Infinity;
  #wakeAt = Infinity;
  #over = false;

  /** Starts nothing before rows are offered. */
  constructor(rows: Rows, limits: Limits) {
    const { inFlight, resident, perServer: maxInFlight = Infinity, opening, auto, startsPerSecond: rate } =
      limits;
    this.#rows = rows;
    this.#limits = limits;
    this.#backlog = new Backlog(rows.routes, (row) => rows.route(row));
    this.#lanes = this.#backlog.queues.map((queue) =>
      new Lane({
        queue,
        maxInFlight,
        opening: opening && new Opening(opening),
        auto: auto ? new AutoWidth() : undefined,
        rate: rate === undefined ? undefined : new StartRate(rate),
      })
    );
    this.#turns = new Turns(this.#lanes, Math.min(inFlight, resident));
    this.#untaken = new Untaken({ rows, limits, lanes: this.#lanes, books: this.#books });
  }

  /** Requests in flight. */
  get inFlight(): number {
    return this.#books.inFlight.size;
  }

  /** Rows that were not started because the budget was used up, or another limit reached. */
  get drained(): number {
    return this.#books.drained;
  }

  /** Rows that were offered and have not started, or are to start again. */
  get waiting(): number {
    const { finished, resident, drained } = this.#books;
    return this.#backlog.offered - finished - resident - drained;
  }

  /**
   * How many more rows to offer now, so that none is missing when there is room and no more than that wait: as many as
   * may be in flight, and a thousand. What counts are the rows from the first that has not started to the last. It
   * changes with events only. 0 once no more can start.
   */
  get wanted(): number {
    if (this.#closed || this.#exhausted || this.#stop || this.#over) return 0;
    const { inFlight } = this.#limits;
    return Math.max(0, (inFlight < Infinity ? inFlight : 0) + AHEAD - this.#backlog.span);
  }

  /** The servers that are paused, or were when they were abandoned. */
  outages(): { readonly route: number; readonly reason: string; readonly since: number }[] {
    return this.#lanes.flatMap(({ outage }, route) => outage ? [{ route, ...outage }] : []);
  }

  /** What outages have cost in which something in front of a server turned rows away, for each server that had one. */
  outageCosts(now: number): ({ readonly route: number } & OutageCost)[] {
    return this.#lanes.map((lane, route) => ({ route, ...lane.outageCost(now) }))
      .filter(({ turnedAway }) => turnedAway > 0);
  }

  /** Takes an event and returns what to do now, in order. */
  on(event: Event, { now, chance }: Reading): Action[] {
    const actions: Action[] = [], books = this.#books;
    const moment = { now, chance, actions, isStopping: this.#stop !== undefined };
    this.#startedAt ??= now;
    if (this.#limits.auto) this.#learn(event, now);
    switch (event.kind) {
      case "tick":
        this.#wakeAt = Infinity;
        break;
      case "offered":
        this.#backlog.offer(event.rows);
        break;
      case "closed":
        this.#closed = true;
        break;
      case "connected":
        // One comes with each request, and nothing follows from most.
        if (!this.#laneOf(event.row).connected(event.row, now)) return actions;
        break;
      case "answered":
        this.#laneOf(event.row).turnedAway.clear();
        this.#untaken.landed(event.row, moment);
        break;
      case "written":
        books.resident--;
        books.finished++;
        this.#untaken.written(event.row, moment);
        break;
      case "unsent":
        this.#untaken.unsent(event, moment);
        break;
      case "turned_away":
        this.#untaken.turnedAway(event, moment);
        break;
      case "lost": {
        const at = now + waitMs(this.#rows.attempts(event.row) - 1, chance);
        books.resident--;
        this.#untaken.lost(event.row, moment).due.add(event.row, at);
        break;
      }
      case "unanswered":
        this.#untaken.lost(event.row, moment);
        break;
      case "aborted":
        books.resident--;
        this.#untaken.ended(event.row);
        break;
      case "exhausted":
        this.#exhausted = true;
        break;
      case "stop":
        this.#stopAt(event.level, now, actions);
    }
    if (now >= this.#abortAt) this.#stopAt("abort", now, actions);
    this.#startSome(now, actions);
    this.#settle(now, actions);
    return actions;
  }

  /** How many requests each server takes, where the scheduler finds it out. */
  widths(): ({ readonly route: number } & Found)[] {
    return this.#lanes.flatMap(({ auto }, route) => auto ? [{ route, ...auto.found }] : []);
  }

  #learn(event: Event, now: number): void {
    const how = ENDS[event.kind];
    if (how !== undefined && "row" in event) this.#laneOf(event.row).auto!.ends(event.row, now, how);
  }

  #laneOf(row: number): Lane {
    return this.#lanes[this.#rows.route(row)]!;
  }

  #stopAt(level: "drain" | "abort", now: number, actions: Action[]): void {
    if (this.#stop === "abort" || this.#stop === level) return;
    this.#stop = level;
    this.#abortAt = level === "drain" ? now + this.#limits.graceMs : Infinity;
    if (level === "abort" && this.#books.inFlight.size > 0) actions.push({ kind: "abort" });
  }

  #startSome(now: number, actions: Action[]): void {
    while (!this.#stop && this.#hasRoom()) {
      if (this.#isTooLate(now)) return this.#drain();
      const row = this.#turns.take(now);
      if (row === undefined) return;
      this.#laneOf(row).starts(row, now);
      this.#books.inFlight.add(row);
      this.#books.resident++;
      actions.push({ kind: "start", row, attempt: this.#rows.attempts(row) });
    }
  }

  #hasRoom(): boolean {
    return this.#books.inFlight.size < this.#limits.inFlight && this.#books.resident < this.#limits.resident;
  }

  /** Nothing starts any more. Rows of abandoned servers stay as they are. */
  #drain(): void {
    for (const lane of this.#lanes) if (!lane.abandoned) this.#books.drained += lane.clear();
  }

  /** Whether the budget, or what is left of it, does not allow another start. */
  #isTooLate(now: number): boolean {
    const { budgetMs, marginMs } = this.#limits;
    if (this.#exhausted) return true;
    if (budgetMs === null) return false;
    const remaining = budgetMs - (now - this.#startedAt!);
    return remaining <= 0 || remaining < marginMs(remaining);
  }

  /** Adds when to wake, or that the run is over. */
  #settle(now: number, actions: Action[]): void {
    if (this.#books.resident === 0 && (this.#stop || !this.#hasMore())) {
      if (!this.#over) actions.push({ kind: "over" });
      this.#over = true;
      return;
    }
    const at = this.#nextTime(now);
    if (at === this.#wakeAt) return;
    this.#wakeAt = at;
    if (at < Infinity) actions.push({ kind: "wake", at });
  }

  #hasMore(): boolean {
    for (const lane of this.#lanes) if (this.#closed ? lane.hasLeft : !lane.abandoned) return true;
    return false;
  }

  /** The next time that may change something. What could start by now and did not waits for an event, not for time. */
  #nextTime(now: number): number {
    if (this.#stop) return this.#abortAt;
    let at = this.#drainsAt(now);
    for (const lane of this.#lanes) at = Math.min(at, lane.opensAt(now), lane.due.nextAfter(now));
    return at;
  }

  /** When the budget is used up, if rows that cannot start before then wait for nothing else. */
  #drainsAt(now: number): number {
    const { budgetMs } = this.#limits;
    if (budgetMs === null || !this.#hasRoom() || !this.#lanes.some((lane) => lane.hasLeft)) return Infinity;
    const at = this.#startedAt! + budgetMs;
    return at > now ? at : Infinity;
  }
}
