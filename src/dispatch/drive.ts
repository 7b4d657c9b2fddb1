/**
 * Drives the scheduler: carries out its actions with the wire, and tells it what happened. `attempt.ts` makes and
 * judges a request, `settle.ts` puts what became of it where it belongs.
 */
import type { DispatchConfig } from "../config/config.ts";
import type { Route } from "../config/topology.ts";
import type { RunError } from "../events/run_error.ts";
import type { LimitReached, Observer, Over, ServerId } from "../events/run_event.ts";
import { perSecond } from "../kit/per_second.ts";
import { Queue } from "../kit/queue.ts";
import { systemReason } from "../kit/system_error.ts";
import type { Clock, Dice } from "../ports/clock.ts";
import type { Wire } from "../ports/wire.ts";
import type { CaptureReader } from "../trajectory/capture/read_capture.ts";
import { type Action, type Event, type Found, type OutageCost, Scheduler } from "../schedule/scheduler.ts";
import { OUTAGE_IN_A_ROW } from "../schedule/untaken.ts";
import { type Attempted, attemptRow } from "./attempt.ts";
import type { Outcome } from "./judge.ts";
import type { Lines } from "./line_sink.ts";
import type { RowSource } from "./row_source.ts";
import { type Driver, Settler, type SettleRules } from "./settle.ts";

/** Listen backlogs hold 128 connections or more. One of 5 gets by with 16 at a time; a connection that was dropped takes a second. */
const OPENING = { most: 64, mostOnceSlow: 16, slowMs: 500 };

/** What is to be driven. */
export interface DriveRequest {
  /** How rollouts are sent. */
  readonly dispatch: DispatchConfig;
  /** Where they go. */
  readonly routes: readonly Route[];
  /** When a failure is final. */
  readonly rules: SettleRules;
}

/** What driving works with. */
export interface DriveTools {
  readonly rows: RowSource;
  readonly lines: Lines;
  readonly wire: Wire;
  readonly clock: Clock;
  /** For jitter. */
  readonly dice: Dice;
  readonly observer: Observer;
  /** Milliseconds of the budget that must be left for a start, given those that are; see the scheduler. */
  readonly marginMs: (remainingMs: number) => number;
  /** Starts nothing new once it fires; its reason is the name of a signal. */
  readonly drain: AbortSignal;
  /** Abandons what is in flight once it fires. */
  readonly abort: AbortSignal;
  /** Reads captures; undefined with observability off. */
  readonly captures?: CaptureReader | undefined;
}

/** A snapshot of the run. */
export interface DriveState {
  /** Requests on the wire. */
  readonly inFlight: number;
  /** Rows that have not started, or are to start again. */
  readonly waiting: number;
  /** Rows that were not started because the budget was used up. */
  readonly drained: number;
  /** Paused servers; `since` in milliseconds on the clock. */
  readonly outages: readonly (ServerId & { readonly reason: string; readonly since: number })[];
  /** What outages have cost in which something in front of a server turned rows away. */
  readonly costs: readonly (ServerId & OutageCost)[];
  /** How many requests each server takes, where that is found out. */
  readonly widths: readonly (ServerId & Found)[];
  /** Why nothing new starts any more: the name of a signal, or `error`; null while the run goes on. */
  readonly stopping: string | null;
}

/** One per run. */
export class Drive implements Driver {
  readonly #request: DriveRequest;
  readonly #tools: DriveTools;
  readonly #scheduler: Scheduler;
  readonly #settler: Settler;
  /** Fires when requests in flight are to be abandoned. */
  readonly #abandon = new AbortController();
  readonly #events = new Queue<Event>();
  readonly #over = Promise.withResolvers<void>();
  #cancelWake: () => void = () => {};
  #stopping: string | null = null;
  #error: RunError | null = null;

  /** Sends nothing before {@link run}. */
  constructor(request: DriveRequest, tools: DriveTools) {
    const { dispatch, routes, rules } = request, { rows } = tools;
    const isAuto = dispatch.num_samples_in_parallel === "auto";
    const rate = dispatch.rate === null ? undefined : perSecond(dispatch.rate);
    this.#request = request;
    this.#tools = tools;
    this.#settler = new Settler(this, { ...tools, routes, rules });
    this.#scheduler = new Scheduler({
      routes: routes.length,
      route: (row) => rows.route(row),
      attempts: (row) => rows.attempts(row),
    }, {
      inFlight: isAuto ? Infinity : dispatch.num_samples_in_parallel ?? Infinity,
      ...(isAuto ? { auto: true } : {}),
      ...(rate === undefined ? {} : { startsPerSecond: rate }),
      perServer: dispatch.server_concurrency ?? Infinity,
      resident: dispatch.max_resident_rollout_tasks ?? Infinity,
      retryWindowMs: dispatch.retry_window_s * 1000,
      graceMs: dispatch.grace_s * 1000,
      budgetMs: dispatch.dispatch_budget_s === null ? null : dispatch.dispatch_budget_s * 1000,
      marginMs: tools.marginMs,
      opening: OPENING,
      ...(rules.outageRetry ? { outage: { inARow: OUTAGE_IN_A_ROW, maxAttempts: rules.attempts } } : {}),
    });
  }

  /**
   * Runs the rows that are offered meanwhile, until nothing is in flight and nothing will start. Returns the first error
   * that ended the run, or null. Never throws for what servers or disks do.
   */
  async run(): Promise<RunError | null> {
    const { drain, abort } = this.#tools;
    // An error has ended the run like a first signal, so the first one after it is the second.
    const onDrain = () => this.#stop(this.#stopping === null ? "drain" : "abort", String(drain.reason));
    const onAbort = () => this.#stop("abort", String(abort.reason));
    if (drain.aborted) onDrain();
    else drain.addEventListener("abort", onDrain, { once: true });
    if (abort.aborted) onAbort();
    else abort.addEventListener("abort", onAbort, { once: true });
    await this.#over.promise;
    this.#cancelWake();
    drain.removeEventListener("abort", onDrain);
    abort.removeEventListener("abort", onAbort);
    return this.#error;
  }

  /** More rows to run, after all that were offered before. Only while {@link run} does. Arrays are kept and must stay as they are. */
  offer(rows: ArrayLike<number> | Iterable<number>): void {
    this.tell({ kind: "offered", rows });
  }

  /** No more rows will be offered. */
  close(): void {
    this.tell({ kind: "closed" });
  }

  /** A limit is reached: nothing new starts any more, and what is in flight goes on to its end. */
  exhaust(limit: LimitReached): void {
    this.#tools.observer.on({ kind: "limit_met", limit, inFlight: this.#scheduler.inFlight });
    this.tell({ kind: "exhausted" });
  }

  /** How many more rows to offer now, so that none is missing when there is room. Changes when something is settled. */
  get wanted(): number {
    return this.#scheduler.wanted;
  }

  /** How it stands now. */
  state(): DriveState {
    const { inFlight, waiting, drained } = this.#scheduler;
    const outages = this.#scheduler.outages()
      .map(({ route, reason, since }) => ({ ...this.#server(route), reason, since }));
    const costs = this.#scheduler.outageCosts(this.#tools.clock.now())
      .map(({ route, ...cost }) => ({ ...this.#server(route), ...cost }));
    const widths = this.#scheduler.widths().map(({ route, ...found }) => ({
      ...this.#server(route),
      ...found,
    }));
    return { inFlight, waiting, drained, outages, costs, widths, stopping: this.#stopping };
  }

  get stopping(): string | null {
    return this.#stopping;
  }

  /** An event that comes while actions are carried out waits until they are. */
  tell(event: Event): void {
    this.#events.push(event);
    if (this.#events.size > 1) return;
    for (let next = this.#events.peek(); next; next = this.#events.peek()) {
      const reading = { now: this.#tools.clock.now(), chance: this.#tools.dice() };
      for (const action of this.#scheduler.on(next, reading)) this.#carryOut(action);
      this.#events.shift();
    }
  }

  fail(error: RunError, level: "drain" | "abort", ended = 0): void {
    this.#met(error);
    this.#stop(level, "error", ended);
  }

  #met(error: RunError): void {
    this.#error ??= error;
    this.#tools.observer.on({ kind: "error", error });
  }

  #stop(level: "drain" | "abort", why: string, ended = 0): void {
    const inFlight = this.#scheduler.inFlight - ended, graceS = this.#request.dispatch.grace_s;
    if (this.#stopping === null && level === "drain" && inFlight > 0) {
      this.#tools.observer.on({ kind: "stopping", why, waitsFor: { inFlight }, graceS });
    }
    this.#stopping ??= why;
    this.tell({ kind: "stop", level });
  }

  #carryOut(action: Action): void {
    const { clock, observer } = this.#tools;
    switch (action.kind) {
      case "start":
        return this.#start(action.row, action.attempt);
      case "fail":
        return this.#settler.failUnsent(action.row);
      case "again":
        return this.#settler.runsAgain(action.row);
      case "paused": {
        const { route, reason, asked } = action, windowS = this.#request.dispatch.retry_window_s;
        // Without a window there is nothing to wait for: what follows says what happened.
        if (windowS === 0) return;
        return observer.on({ kind: "server_paused", ...this.#server(route), reason, asked, windowS });
      }
      case "resumed": {
        const { route, afterMs } = action;
        return observer.on({ kind: "server_back", ...this.#server(route), afterMs });
      }
      case "abandoned":
        return this.#abandoned(action);
      case "wake": {
        this.#cancelWake();
        const inMs = Math.max(0, action.at - clock.now());
        this.#cancelWake = clock.after(inMs, () => this.tell({ kind: "tick" }));
        return;
      }
      case "abort":
        return this.#abandon.abort();
      case "over":
        return this.#over.resolve();
    }
  }

  #start(row: number, attempt: number): void {
    const { rows, wire, clock, observer, captures } = this.#tools;
    observer.on({ kind: "started", row, at: clock.now(), repeated: this.#settler.isUnsent(row) });
    let attempted: Promise<Attempted>, isOver = false;
    try {
      attempted = attemptRow(rows.read(row), this.#request.routes[rows.route(row)]!, attempt, {
        wire,
        clock,
        signal: this.#abandon.signal,
        timeoutS: this.#request.dispatch.rollout_timeout_s,
        reuse: rows.reuses(row),
        captures,
        onConnected: () => isOver || this.tell({ kind: "connected", row }),
      });
    } catch (error) {
      attempted = Promise.reject(error);
    }
    attempted.then((attempted) => {
      isOver = true;
      const { outcome, bytes, seconds } = attempted;
      observer.on({ kind: "over", row, at: clock.now(), how: HOW[outcome.kind], bytes, seconds });
      this.#settler.landed(row, attempted);
    }, (error) => {
      observer.on({ kind: "over", row, at: clock.now(), how: "unsent", bytes: 0, seconds: 0 });
      // Not a server's doing: the inputs cannot be read any more, or a fault of our own. The row stays owed.
      this.fail({ kind: "cannot_send", id: rows.id(row), why: systemReason(error) }, "drain", 1);
      this.tell({ kind: "aborted", row });
    });
  }

  /** A server is left: where failures do not end the run, rollouts of other servers go on. */
  #abandoned({ route, reason, afterMs, asked }: Action & { kind: "abandoned" }): void {
    const kind = "server_abandoned", server = this.#server(route);
    const error = { kind, ...server, reason, afterMs, ...(asked ? { asked } : {}) } as const;
    if (!this.#request.rules.routeFailures) return this.fail(error, "drain");
    this.#tools.observer.on(error);
    this.#met(error);
  }

  #server(route: number): ServerId {
    const { server, url } = this.#request.routes[route]!;
    return { server, url };
  }
}

const HOW: Readonly<Record<Outcome["kind"], Over["how"]>> = {
  result: "result",
  failure: "failure",
  fatal: "failure",
  turned_away: "failure",
  unsent: "unsent",
  aborted: "abandoned",
};
