/**
 * Drives the scheduler: carries out its actions with the wire and the files, and tells it what happened. This is
 * where a row's outcome meets the file it belongs to.
 */
import { KEYS } from "../record/keys.ts";
import { isTrue } from "../json/truth.ts";
import type { Attempted } from "./attempt.ts";
import { attemptRow } from "./attempt.ts";
import { Counters } from "../collect/counters.ts";
import { Notes } from "../collect/notes.ts";
import type { RowReader } from "./row_reader.ts";
import type { Tally } from "../collect/tally.ts";
import { Queue } from "../kit/queue.ts";
import { labelsOf } from "../metrics/labels.ts";
import { Live } from "../collect/live_means.ts";
import type { RunPlan } from "../plan/run_plan.ts";
import { type RowIndex, State } from "../plan/row_index.ts";
import type { Clock, Dice } from "../ports/clock.ts";
import type { Wire } from "../ports/wire.ts";
import { type Failure, failureRow } from "../record/failure.ts";
import { stamped, type Stamps } from "../record/stamps.ts";
import { isTerminal } from "../record/final_failures.ts";
import { type Action, type Event, Scheduler } from "../schedule/scheduler.ts";
import { StallWatch } from "../schedule/stall.ts";
import type { LineWriter } from "../store/line_writer.ts";
import type { WriteFault } from "../kit/fault.ts";

/** Unset by the user, the margin is this quantile of the durations so far, once there are so many. */
const MARGIN_QUANTILE = 0.75, MARGIN_FROM = 5;

/** A server's queue of new connections is 128 long or more, and it takes them off while it works. */
const PACE = { perSecond: 1000, burst: 100 };

/** The user is told when nothing has moved for so long, with so many of the rollouts in flight. */
const QUIET_MS = 600_000, OLDEST = 5;

/** What the driver works with. */
export interface DispatchTools {
  /** The materialized inputs. */
  readonly rows: RowReader;
  /** The rollouts file. */
  readonly rollouts: LineWriter;
  /** The failures sidecar. */
  readonly failures: LineWriter;
  /** Sends. */
  readonly wire: Wire;
  /** Tells the time. */
  readonly clock: Clock;
  /** For jitter. */
  readonly dice: Dice;
  /** Shows a line to the user. */
  readonly note: (text: string) => void;
  /** Starts nothing new once it fires; its reason is a text for the user. */
  readonly drain: AbortSignal;
  /** Gives up what is in flight once it fires. */
  readonly abort: AbortSignal;
}

/** How dispatch ended. */
export interface Dispatched {
  /** The counts at the end. */
  readonly tally: Tally;
  /** The first error that ended the run, or null. */
  readonly error: string | null;
}

/** See the module's comment. One per run. */
export class DispatchRun {
  readonly #plan: RunPlan;
  readonly #index: RowIndex;
  readonly #order: Iterable<number>;
  readonly #tools: DispatchTools;
  readonly #counters: Counters;
  readonly #live: Live;
  readonly #scheduler: Scheduler;
  readonly #notes: Notes;
  readonly #stall = new StallWatch(QUIET_MS);
  /** The last failure of rows that wait for their server, in case they are given up. */
  readonly #unsent = new Map<number, { failure: Failure; stamps: Stamps }>();
  /** Fires when requests in flight are to be given up. */
  readonly #giveUp = new AbortController();
  readonly #events = new Queue<Event>();
  readonly #over = Promise.withResolvers<void>();
  readonly #startedAt: number;
  #cancelWake: () => void = () => {};
  #cancelStall: () => void = () => {};
  #stopping: string | null = null;
  #error: string | null = null;

  /**
   * Sends nothing before {@link run}.
   *
   * @param order the rows to run, in the order in which they start
   */
  constructor(plan: RunPlan, index: RowIndex, order: Iterable<number>, tools: DispatchTools) {
    this.#plan = plan;
    this.#index = index;
    this.#order = order;
    this.#tools = tools;
    this.#notes = new Notes(tools.note);
    this.#startedAt = tools.clock.now();
    const { state, route, attempts } = index.columns;
    const stand = [0, 0, 0, 0];
    let failedBefore = 0;
    const owed = plan.routes.map(() => 0);
    for (let row = 0; row < index.size; row++) {
      stand[state[row]!]!++;
      if (state[row] === State.OWED) owed[route[row]!]!++;
      if (state[row] === State.OWED && attempts[row]! > 0) failedBefore++;
    }
    this.#counters = new Counters({
      materialized: index.size,
      before: stand[State.DONE]!,
      terminal: stand[State.TERMINAL]!,
      atCap: stand[State.AT_CAP]!,
      failedBefore,
    });
    const names = labelsOf(plan.routes);
    this.#live = new Live(names.map((name, k) => ({ name, owed: owed[k]! })));
    const { dispatch } = plan;
    this.#scheduler = new Scheduler({
      routes: plan.routes.length,
      route: (row) => route[row]!,
      attempts: (row) => attempts[row]!,
    }, {
      inFlight: dispatch.num_samples_in_parallel ?? Infinity,
      resident: dispatch.max_resident_rollout_tasks ?? Infinity,
      retryWindowMs: dispatch.retry_window_s * 1000,
      graceMs: dispatch.grace_s * 1000,
      budgetMs: dispatch.dispatch_budget_s === null ? null : dispatch.dispatch_budget_s * 1000,
      marginMs: (remainingMs) => this.#marginMs(remainingMs),
      pace: PACE,
    });
  }

  /** Runs until nothing is in flight and nothing will start. Never throws for what servers or disks do. */
  async run(): Promise<Dispatched> {
    const { drain, abort } = this.#tools;
    // An error has ended the run like a first signal, so the first one after it is the second.
    const onDrain = () => this.#stop(this.#stopping === null ? "drain" : "abort", String(drain.reason));
    const onAbort = () => this.#stop("abort", String(abort.reason));
    if (drain.aborted) onDrain();
    else drain.addEventListener("abort", onDrain, { once: true });
    if (abort.aborted) onAbort();
    else abort.addEventListener("abort", onAbort, { once: true });
    this.#tell({ kind: "offered", rows: this.#order });
    this.#tell({ kind: "closed" });
    this.#watchForStall();
    await this.#over.promise;
    this.#cancelWake();
    this.#cancelStall();
    drain.removeEventListener("abort", onDrain);
    abort.removeEventListener("abort", onAbort);
    return { tally: this.tally(), error: this.#error };
  }

  /** The counts now. */
  tally(): Tally {
    const now = this.#tools.clock.now();
    return this.#counters.tally({
      inFlight: this.#scheduler.inFlight,
      waiting: this.#scheduler.waiting,
      drained: this.#scheduler.drained,
      stopping: this.#stopping,
      elapsedS: (now - this.#startedAt) / 1000,
      live: this.#live.means((now - this.#startedAt) / 1000),
      paused: this.#scheduler.outages().map(({ route, reason, since }) => ({
        server: this.#plan.routes[route]!.server,
        reason,
        seconds: (now - since) / 1000,
      })),
    });
  }

  #marginMs(remainingMs: number): number {
    const given = this.#plan.dispatch.drain_margin_s;
    if (given !== null) return given * 1000;
    const { durations } = this.#counters;
    // No quantile is above the longest, and asking for one before each start of a long run would cost much.
    if (durations.count < MARGIN_FROM || remainingMs >= durations.max * 1000) return 0;
    return durations.quantile(MARGIN_QUANTILE)! * 1000;
  }

  /** Tells the user when nothing moves any more: what is in flight, and since when. */
  #watchForStall(): void {
    const { clock } = this.#tools, now = clock.now();
    const oldest = this.#stall.stalled(now, OLDEST);
    if (oldest) {
      const rows = oldest.map(({ row, forMs }) =>
        `${this.#identity(row)} at ${this.#plan.routes[this.#index.columns.route[row]!]!.server} for ${
          seconds(forMs)
        }`
      );
      this.#tools.note(
        `Nothing has moved for ${
          QUIET_MS / 60_000
        } minutes. The oldest of ${this.#scheduler.inFlight} rollouts in ` +
          `flight: ${rows.join(", ")}. Where that is too long, --rollout-timeout ends such ones.`,
      );
    }
    this.#cancelStall = clock.after(this.#stall.looksAt(now) - now, () => this.#watchForStall());
  }

  #stop(level: "drain" | "abort", why: string): void {
    const inFlight = this.#scheduler.inFlight;
    if (this.#stopping === null && level === "drain" && inFlight > 0) {
      this.#tools.note(
        `Stopping (${why}): nothing new starts. In flight: ${inFlight}, with ` +
          `${this.#plan.dispatch.grace_s} s to end; another signal gives them up at once.`,
      );
    }
    this.#stopping ??= why;
    this.#tell({ kind: "stop", level });
  }

  /** An error ends the run the way a first signal does. */
  #fail(message: string): void {
    this.#error ??= message;
    this.#stop("drain", "an error");
  }

  /** Tells the scheduler. An event that comes while actions are carried out waits until they are. */
  #tell(event: Event): void {
    this.#events.push(event);
    if (this.#events.size > 1) return;
    for (let next = this.#events.peek(); next; next = this.#events.peek()) {
      const reading = { now: this.#tools.clock.now(), chance: this.#tools.dice() };
      for (const action of this.#scheduler.on(next, reading)) this.#carryOut(action);
      this.#events.shift();
    }
  }

  #carryOut(action: Action): void {
    switch (action.kind) {
      case "start":
        return this.#start(action.row, action.attempt);
      case "fail":
        return this.#givenUp(action.row);
      case "paused":
        return this.#paused(action);
      case "resumed":
        return this.#sayOutage(`${this.#name(action.route)} is back after ${seconds(action.afterMs)}.`);
      case "abandoned":
        return this.#abandoned(action);
      case "wake":
        this.#cancelWake();
        this.#cancelWake = this.#tools.clock.after(
          Math.max(0, action.at - this.#tools.clock.now()),
          () => this.#tell({ kind: "tick" }),
        );
        return;
      case "abort":
        return this.#giveUp.abort();
      case "over":
        return this.#over.resolve();
    }
  }

  #start(row: number, attempt: number): void {
    const { offset, length, route, reuse } = this.#index.columns;
    const { wire, clock } = this.#tools;
    this.#stall.starts(row, clock.now());
    if (this.#unsent.has(row)) this.#counters.repeats++;
    let attempted: Promise<Attempted>;
    try {
      const bytes = this.#tools.rows.read(offset[row]!, length[row]!);
      attempted = attemptRow(bytes, this.#plan.routes[route[row]!]!, attempt, {
        wire,
        clock,
        signal: this.#giveUp.signal,
        timeoutS: this.#plan.dispatch.rollout_timeout_s,
        reuse: reuse[row] === 1,
      });
    } catch (error) {
      attempted = Promise.reject(error);
    }
    attempted.then((attempted) => this.#landed(row, attempted), (error) => {
      this.#stall.ends(row, this.#tools.clock.now());
      // Not a server's doing: the inputs cannot be read any more, or a fault of our own. The row stays owed.
      this.#fail(`Cannot send rollout ${this.#identity(row)}: ${(error as Error).message}`);
      this.#tell({ kind: "aborted", row });
    });
  }

  #landed(row: number, { outcome, stamps, bytes, seconds }: Attempted): void {
    this.#counters.bytes += bytes;
    this.#stall.ends(row, this.#tools.clock.now());
    switch (outcome.kind) {
      case "aborted":
        this.#counters.givenUp++;
        return this.#tell({ kind: "aborted", row });
      case "fatal":
        // The row stays owed: what the server meant is not known, so no line can say it.
        this.#fail(
          `${this.#name(this.#index.columns.route[row]!)}, rollout ${
            this.#identity(row)
          }: ${outcome.message}`,
        );
        return this.#tell({ kind: "aborted", row });
      case "unsent": {
        const { failure, floorMs } = outcome;
        this.#unsent.set(row, { failure, stamps });
        const asked = failure.delivery === "delivered" ? { floorMs } : {};
        return this.#tell({ kind: "unsent", row, reason: reasonOf(failure), ...asked });
      }
      case "failure":
        if (outcome.failure.delivery === "not_sent") {
          this.#unsent.set(row, { failure: outcome.failure, stamps });
          return this.#tell({ kind: "unsent", row, reason: reasonOf(outcome.failure), hopeless: true });
        }
        return this.#failed(row, outcome.failure, stamps);
      case "result": {
        this.#unsent.delete(row);
        this.#counters.durations.add(seconds);
        this.#tell({ kind: "answered", row });
        const route = this.#index.columns.route[row]!;
        if (!outcome.persist) {
          this.#counters.notPersisted++;
          this.#live.settle(route, "omitted", outcome.result);
          return this.#tell({ kind: "written", row });
        }
        const { result, declared } = outcome;
        this.#live.settle(route, declared === null ? "written" : "failed", result);
        if (declared === null) {
          if (typeof result.value(KEYS.reward) !== "number") this.#counters.unscored++;
          return this.#write(this.#tools.rollouts, row, stamped(result, stamps), () => this.#counters.done++);
        }
        const message = result.value(KEYS.failureMessage) ?? result.value("failure_reason");
        this.#notes.say(
          declared,
          `Rollout ${this.#identity(row)} failed: ${declared}${message ? `: ${String(message)}` : ""}`,
          this.#plan.paths.failures,
        );
        const terminal = isTerminal(
          declared,
          isTrue(result.raw(KEYS.failureTerminal)),
          this.#plan.resume?.retryTerminalTimeouts ?? false,
        );
        return this.#write(
          this.#tools.failures,
          row,
          stamped(result, stamps),
          () => this.#recorded(row, declared, terminal),
        );
      }
    }
  }

  #failed(row: number, failure: Failure, stamps: Stamps): void {
    this.#unsent.delete(row);
    const { attempts } = this.#index.columns;
    const mayRunAgain = failure.delivery === "possibly_delivered" && failure.failureClass !== "agent_timeout";
    if (mayRunAgain && attempts[row]! + 1 < this.#plan.attempts) {
      return this.#tools.failures.append(failureRow(failure, stamps), (fault) => {
        if (fault) return this.#unwritten(row, fault);
        attempts[row]!++;
        this.#counters.failure(failure.failureClass);
        this.#counters.attemptsAgain++;
        this.#notes.say(
          "again",
          `Rollout ${this.#identity(row)}, attempt ${attempts[row]}: ${failure.message}. ` +
            (this.#stopping === null ? "It is run again." : "It is left for a resume."),
          this.#plan.paths.failures,
        );
        this.#tell({ kind: "lost", row });
      });
    }
    // An error that ends the run is told first, so that the place that becomes free is not taken again.
    if (this.#endsTheRun) this.#endRun(row, failure);
    this.#tell({ kind: "answered", row });
    this.#settleFailure(row, failure, stamps);
  }

  #givenUp(row: number): void {
    const { failure, stamps } = this.#unsent.get(row)!;
    this.#unsent.delete(row);
    if (this.#endsTheRun) this.#endRun(row, failure);
    this.#settleFailure(row, failure, stamps);
  }

  /** A server that asks for time again and again must not fill the terminal. */
  #sayOutage(text: string): void {
    this.#notes.say("outage", text, "the progress line, which names the servers that are waited for");
  }

  /** Dispatch to a server waits. Without a window there is nothing to wait for: what follows says what happened. */
  #paused({ route, reason, asked }: Action & { kind: "paused" }): void {
    const window = this.#plan.dispatch.retry_window_s;
    if (window === 0) return;
    const how = asked ? "asks for time" : "is out of reach";
    this.#sayOutage(
      `${this.#name(route)} ${how}: ${reason}. Waiting for it for up to ${window} s; nothing is lost.`,
    );
  }

  /** A server is left: where failures do not end the run, rollouts of other servers go on. */
  #abandoned({ route, reason, afterMs, asked }: Action & { kind: "abandoned" }): void {
    const how = asked
      ? `asked us to wait ${seconds(asked.forMs)}, more than is left of the retry window of ${
        seconds(asked.windowMs)
      }`
      : afterMs > 0
      ? `could not be reached for ${seconds(afterMs)}`
      : "cannot be reached";
    const message = `${this.#name(route)} ${how}: ${reason}. ` +
      `Its other rollouts were not tried; mend the cause, then go on with --resume.`;
    if (this.#endsTheRun) return this.#fail(message);
    this.#tools.note(message);
    this.#error ??= message;
  }

  /** Whether a failed rollout ends the run, or becomes a row of the sidecar. */
  get #endsTheRun(): boolean {
    return !this.#plan.dispatch.route_failures_to_sidecar;
  }

  #endRun(row: number, failure: Failure): void {
    this.#fail(
      `Rollout ${this.#identity(row)} failed: ${failure.message}${beginningOf(failure)}` +
        `\nThe finished rollouts are kept; with --route-failures-to-sidecar a failed one does not end the run.`,
    );
  }

  /** A rollout has failed for this run. */
  #settleFailure(row: number, failure: Failure, stamps: Stamps): void {
    this.#live.settle(this.#index.columns.route[row]!, "failed");
    if (this.#endsTheRun) {
      this.#counters.failed++;
      this.#counters.unrecorded++;
      this.#counters.failure(failure.failureClass);
      return this.#tell({ kind: "written", row });
    }
    this.#notes.say(
      failure.failureClass,
      `Rollout ${this.#identity(row)} failed: ${failure.failureClass}: ${failure.message}${
        beginningOf(failure)
      }`,
      this.#plan.paths.failures,
    );
    this.#write(
      this.#tools.failures,
      row,
      failureRow(failure, stamps),
      () => this.#recorded(row, failure.failureClass, false),
    );
  }

  /** A rollout's last attempt in this run stands in the sidecar. */
  #recorded(row: number, failureClass: string, terminal: boolean): void {
    const { attempts } = this.#index.columns;
    attempts[row]!++;
    this.#counters.failed++;
    this.#counters.failure(failureClass);
    if (terminal || attempts[row]! >= this.#plan.attempts) this.#counters.exhausted++;
  }

  #write(file: LineWriter, row: number, pieces: readonly Uint8Array[], count: () => void): void {
    file.append(pieces, (fault) => {
      if (fault) return this.#unwritten(row, fault);
      count();
      this.#tell({ kind: "written", row });
    });
  }

  /** A line could not be written: nothing that comes back can be kept any more, so everything stops now. */
  #unwritten(row: number, fault: WriteFault): void {
    this.#error ??= fault.message;
    // Told first, so that the place that becomes free is not taken again.
    this.#stop("abort", "the files cannot be written");
    this.#tell({ kind: "aborted", row });
  }

  #name(route: number): string {
    const { server, url } = this.#plan.routes[route]!;
    return `Server ${server} (${url})`;
  }

  #identity(row: number): string {
    const { task, rollout } = this.#index.columns;
    return `${task[row]}-${rollout[row]}`;
  }
}

/** What an error status said, as far as a line has room for it. */
function beginningOf({ body }: Failure): string {
  const text = body?.replace(/\s+/g, " ").trim() ?? "";
  return text && `: ${text.length > 120 ? `${text.slice(0, 120)}…` : text}`;
}

/** Why a request was not taken, without where it went: that is said beside it. */
function reasonOf({ message, status }: Failure): string {
  if (status !== null) return `it answered ${status}`;
  return message.replace(/^Cannot reach \S+: /, "") +
    (/Connection refused/.test(message) ? " (is it running?)" : "");
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}
