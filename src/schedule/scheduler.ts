/**
 * When each rollout starts, starts again, or is left: a state machine over rows that are offered to it, all at once
 * or while it runs. Events go in, actions come out; the clock and the dice stay outside (each event brings a reading
 * of both), so every rule can be tested without waiting, and nothing here knows what a request is.
 *
 * A row that was offered is exactly one of these: in its server's lane (see `lane.ts`), due again later, in flight,
 * being written, drained, or finished.
 */
import { Backlog } from "./backlog.ts";
import { waitMs } from "./backoff.ts";
import { DueRows } from "./due_rows.ts";
import { Lane } from "./lane.ts";
import { Pace, type PaceOptions } from "./pace.ts";

/** What the scheduler has to know of the rows. Rows are numbers, and so are the servers they go to. */
export interface Rows {
  /** How many servers there are. */
  readonly routes: number;
  /** The server of a row. */
  route(row: number): number;
  /** Failures recorded of a row so far. */
  attempts(row: number): number;
}

/** The limits of a run. Times in milliseconds. */
export interface Limits {
  /** Requests in flight at most; Infinity for no limit. */
  readonly inFlight: number;
  /** Rollouts in flight or not yet written at most; Infinity for no limit. */
  readonly resident: number;
  /** How long requests that could not be sent are repeated. */
  readonly retryWindowMs: number;
  /** How long what is in flight may go on after the run was told to stop. */
  readonly graceMs: number;
  /** Starts nothing after so long; null for no budget. */
  readonly budgetMs: number | null;
  /**
   * Time that must be left for a start. Asked before each, since it may depend on how long rollouts took, with the time
   * that is left: where that is enough, any smaller number will do for an answer.
   */
  readonly marginMs: (remainingMs: number) => number;
  /** The pace at which connections to one server are opened. Default: all at once. */
  readonly pace?: PaceOptions;
}

/** What happened. */
export type Event =
  /** Time has passed, as asked for by a `wake`. */
  | { readonly kind: "tick" }
  /**
   * Rows to run after all that were offered before, in the order in which they start. They are not copied: they are
   * read once now, and again while they start, once for each of their servers, so they must stay as they are. An
   * iterable that can be read only once is copied.
   */
  | { readonly kind: "offered"; readonly rows: Iterable<number> }
  /** No more rows will be offered. */
  | { readonly kind: "closed" }
  /** A row's answer came, good or bad; what it settles is being written. */
  | { readonly kind: "answered"; readonly row: number }
  /** What became of a row that was answered or given up is in its file, or nothing was to be written. */
  | { readonly kind: "written"; readonly row: number }
  /**
   * A row's request could not be sent, or its server asked to come again, not before `floorMs`. What is `hopeless`
   * (a name that nobody knows, a certificate nobody trusts) does not get better by waiting, unless the server has
   * answered before.
   */
  | {
    readonly kind: "unsent";
    readonly row: number;
    readonly reason: string;
    readonly floorMs?: number;
    readonly hopeless?: boolean;
  }
  /** A row's request may have been delivered and no answer came; the attempt is recorded and another one due. */
  | { readonly kind: "lost"; readonly row: number }
  /** A row's request was given up because of an `abort`. */
  | { readonly kind: "aborted"; readonly row: number }
  /** Start nothing new (`drain`), or give up what is in flight as well (`abort`). */
  | { readonly kind: "stop"; readonly level: "drain" | "abort" };

/** What to do. */
export type Action =
  /** Send a row, as the attempt after so many recorded failures. */
  | { readonly kind: "start"; readonly row: number; readonly attempt: number }
  /** A row could not be sent for the whole window: it has failed. A `written` is expected for it. */
  | { readonly kind: "give_up"; readonly row: number }
  /** A server is out of reach, or `asked` for time; said once an outage. */
  | { readonly kind: "paused"; readonly route: number; readonly reason: string; readonly asked: boolean }
  /** A server that was out of reach answers again. */
  | { readonly kind: "resumed"; readonly route: number; readonly afterMs: number }
  /** A server was out of reach for the whole window, or there was no hope; its rows are left undone. */
  | { readonly kind: "abandoned"; readonly route: number; readonly reason: string; readonly afterMs: number }
  /** Come with a `tick` at this time; replaces an earlier wish. */
  | { readonly kind: "wake"; readonly at: number }
  /** Give up every request in flight. */
  | { readonly kind: "abort" }
  /**
   * Nothing is in flight and nothing will start: no more rows will be offered and all are over, or the run was
   * stopped, or no server is left that rows could go to. Said once.
   */
  | { readonly kind: "over" };

/** Readings that come with an event. */
export interface Reading {
  /** Milliseconds on a clock that never jumps. */
  readonly now: number;
  /** A number from 0 to 1, for jitter. */
  readonly chance: number;
}

/** So many rows are wanted in advance of those that there is room for. */
const AHEAD = 1000;

export class Scheduler {
  readonly #rows: Rows;
  readonly #limits: Limits;
  readonly #backlog: Backlog;
  /** By server. */
  readonly #lanes: readonly Lane[];
  #closed = false;
  readonly #due = new DueRows();
  /** When the request of a row could not be sent for the first time. */
  readonly #unsentSince = new Map<number, number>();
  readonly #inFlight = new Set<number>();
  #resident = 0;
  #finished = 0;
  #drained = 0;
  #startedAt: number | undefined;
  #stop: "drain" | "abort" | undefined;
  #abortAt = Infinity;
  #wakeAt = Infinity;
  #over = false;

  /** Starts nothing before rows are offered. */
  constructor(rows: Rows, limits: Limits) {
    const { pace } = limits;
    this.#rows = rows;
    this.#limits = limits;
    this.#backlog = new Backlog(rows.routes, (row) => rows.route(row));
    this.#lanes = this.#backlog.queues.map((queue) => new Lane(queue, pace && new Pace(pace)));
  }

  /** Requests in flight. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Rows that were not started because the budget was used up. */
  get drained(): number {
    return this.#drained;
  }

  /** Rows that were offered and have not started, or are to start again. */
  get waiting(): number {
    return this.#backlog.offered - this.#finished - this.#resident - this.#drained;
  }

  /**
   * How many more rows to offer now, so that none is missing when there is room and no more than that wait: as many as
   * may be in flight, and a thousand. What counts are the rows from the first that has not started to the last. It
   * changes with events only. 0 once no more can start.
   */
  get wanted(): number {
    if (this.#closed || this.#stop || this.#over) return 0;
    const { inFlight } = this.#limits;
    return Math.max(0, (inFlight < Infinity ? inFlight : 0) + AHEAD - this.#backlog.span);
  }

  /** The servers that are out of reach. */
  outages(): { readonly route: number; readonly reason: string; readonly since: number }[] {
    return this.#lanes.flatMap(({ outage }, route) => outage ? [{ route, ...outage }] : []);
  }

  /** Takes an event and says what to do now, in order. */
  on(event: Event, { now, chance }: Reading): Action[] {
    const actions: Action[] = [];
    this.#startedAt ??= now;
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
      case "answered":
        this.#landed(event.row, now, actions);
        break;
      case "written":
        this.#resident--;
        this.#finished++;
        break;
      case "unsent":
        this.#unsent(event, now, chance, actions);
        break;
      case "lost":
        // A connection of before the outage that breaks only now is no sign that the server is back.
        if (this.#isOld(event.row)) this.#ended(event.row);
        else this.#landed(event.row, now, actions);
        this.#unsentSince.delete(event.row);
        this.#resident--;
        this.#due.add(event.row, now + waitMs(this.#rows.attempts(event.row) - 1, chance));
        break;
      case "aborted":
        this.#ended(event.row);
        this.#resident--;
        break;
      case "stop":
        this.#stopAt(event.level, now, actions);
    }
    if (now >= this.#abortAt) this.#stopAt("abort", now, actions);
    this.#startSome(now, actions);
    this.#settle(now, actions);
    return actions;
  }

  #laneOf(row: number): Lane {
    return this.#lanes[this.#rows.route(row)]!;
  }

  /** A row's request is over. Returns the lane of its server. */
  #ended(row: number): Lane {
    const lane = this.#laneOf(row);
    if (this.#inFlight.delete(row)) lane.ends();
    return lane;
  }

  /** Something came back from the row's server: it is there. */
  #landed(row: number, now: number, actions: Action[]): void {
    const lane = this.#ended(row);
    this.#unsentSince.delete(row);
    lane.heard = true;
    if (lane.abandoned) return;
    const afterMs = lane.answers(row, now);
    if (afterMs !== undefined) actions.push({ kind: "resumed", route: this.#rows.route(row), afterMs });
  }

  /** Whether a row was sent before the outage that its server has now. */
  #isOld(row: number): boolean {
    const outage = this.#laneOf(row).outage;
    return outage !== undefined && !outage.probes.has(row);
  }

  #unsent(event: Event & { kind: "unsent" }, now: number, chance: number, actions: Action[]): void {
    const { row, reason, floorMs, hopeless = false } = event;
    const route = this.#rows.route(row), lane = this.#ended(row);
    this.#resident--;
    if (this.#stop) return lane.held.push(row);
    if (hopeless && !lane.heard) {
      // One row tells of it; the others were not even tried.
      if (lane.abandoned) return lane.held.push(row);
      this.#giveUp(row, actions);
      return this.#abandon(route, reason, 0, actions);
    }
    if (lane.abandoned) return this.#giveUp(row, actions);
    if (!lane.outage) actions.push({ kind: "paused", route, reason, asked: floorMs !== undefined });
    const windowMs = this.#limits.retryWindowMs;
    lane.fails({ row, reason, floorMs: floorMs ?? 0, windowMs, now, chance });
    const since = this.#unsentSince.get(row) ?? now;
    // A server that asks for more time than the window has is not waited for.
    const asksTooMuch = now + (floorMs ?? 0) > lane.outage!.since + windowMs;
    if (!asksTooMuch && now < since + windowMs) {
      this.#unsentSince.set(row, since);
      lane.held.push(row);
    } else {
      this.#giveUp(row, actions);
    }
    const outageMs = now - lane.outage!.since;
    if (asksTooMuch || outageMs >= windowMs) this.#abandon(route, reason, outageMs, actions);
  }

  /** Leaves a server. Its rows that were tried have failed; those that were not are left undone. */
  #abandon(route: number, reason: string, afterMs: number, actions: Action[]): void {
    const lane = this.#lanes[route]!;
    lane.abandoned = true;
    lane.queue.close();
    actions.push({ kind: "abandoned", route, reason, afterMs });
    for (let held = lane.held.shift(); held !== undefined; held = lane.held.shift()) {
      this.#giveUp(held, actions);
    }
  }

  #giveUp(row: number, actions: Action[]): void {
    this.#unsentSince.delete(row);
    this.#resident++;
    actions.push({ kind: "give_up", row });
  }

  #stopAt(level: "drain" | "abort", now: number, actions: Action[]): void {
    if (this.#stop === "abort" || this.#stop === level) return;
    this.#stop = level;
    this.#abortAt = level === "drain" ? now + this.#limits.graceMs : Infinity;
    if (level === "abort" && this.#inFlight.size > 0) actions.push({ kind: "abort" });
  }

  #startSome(now: number, actions: Action[]): void {
    while (!this.#stop && this.#hasRoom()) {
      if (this.#isTooLate(now)) return this.#drain();
      const row = this.#next(now);
      if (row === undefined) return;
      this.#laneOf(row).starts(row, now);
      this.#inFlight.add(row);
      this.#resident++;
      actions.push({ kind: "start", row, attempt: this.#rows.attempts(row) });
    }
  }

  #hasRoom(): boolean {
    return this.#inFlight.size < this.#limits.inFlight && this.#resident < this.#limits.resident;
  }

  /** Nothing starts any more, wherever it waits. Rows of servers that were given up are left as they are. */
  #drain(): void {
    while (this.#due.take(Infinity, (row) => !this.#laneOf(row).abandoned) !== undefined) this.#drained++;
    for (const lane of this.#lanes) if (!lane.abandoned) this.#drained += lane.clear();
  }

  /** Whether the budget, or what is left of it, does not allow another start. */
  #isTooLate(now: number): boolean {
    const { budgetMs, marginMs } = this.#limits;
    if (budgetMs === null) return false;
    const remaining = budgetMs - (now - this.#startedAt!);
    return remaining <= 0 || remaining < marginMs(remaining);
  }

  /** The next row that may start now: attempts that are due, then rows that waited for a server, then the order. */
  #next(now: number): number | undefined {
    const due = this.#due.take(now, (row) => this.#laneOf(row).isOpen(now));
    if (due !== undefined) return due;
    let next: Lane | undefined, position = Infinity;
    for (const lane of this.#lanes) {
      if (lane.position >= position || !lane.isOpen(now)) continue;
      next = lane;
      position = lane.position;
    }
    return next?.take();
  }

  /** Says when to come back, or that the run is over. */
  #settle(now: number, actions: Action[]): void {
    if (this.#resident === 0 && (this.#stop || !this.#hasMore())) {
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
    return this.#hasWaiting() || (!this.#closed && this.#lanes.some((lane) => !lane.abandoned));
  }

  /** Whether a row waits that can still start. */
  #hasWaiting(): boolean {
    return this.#lanes.some((lane) => !lane.abandoned && lane.waiting > 0) ||
      this.#due.some((row) => !this.#laneOf(row).abandoned);
  }

  /** The next time that may change something. What could start by now and did not waits for an event, not for time. */
  #nextTime(now: number): number {
    if (this.#stop) return this.#abortAt;
    let at = Math.min(this.#due.nextAfter(now), this.#drainsAt(now));
    for (const lane of this.#lanes) at = Math.min(at, lane.opensAt(now));
    return at;
  }

  /** When the budget is used up, if that is all that rows wait for which could not start until then. */
  #drainsAt(now: number): number {
    const { budgetMs } = this.#limits;
    if (budgetMs === null || !this.#hasRoom() || !this.#hasWaiting()) return Infinity;
    const at = this.#startedAt! + budgetMs;
    return at > now ? at : Infinity;
  }
}
