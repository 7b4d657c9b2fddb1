/**
 * What follows from the outcome of an attempt: which line goes into which file, what the scheduler is told, and which
 * event observers get. An event of something that is written comes once it is.
 */
import { isTrue } from "../json/truth.ts";
import { isNull } from "../json/kind.ts";
import { textOf } from "../json/text.ts";
import type { JsonObject } from "../json/object.ts";
import type { WriteFault } from "../kit/fault.ts";
import type { Route } from "../config/topology.ts";
import type { RunError } from "../events/run_error.ts";
import type { FailureTold, Observer, RolloutId } from "../events/run_event.ts";
import { type Failure, failureRow } from "../record/failure.ts";
import { isTerminal } from "../record/final_failures.ts";
import { KEYS } from "../record/keys.ts";
import { rewardOf } from "../record/reward.ts";
import { stamped, type Stamps } from "../record/stamps.ts";
import type { Event } from "../schedule/scheduler.ts";
import type { Attempted } from "./attempt.ts";
import type { Outcome } from "./judge.ts";
import type { Lines, LineSink } from "./line_sink.ts";
import { type RowSource, withOwn } from "./row_source.ts";

/** Characters of a server's message, and of an error status' body, that an event carries. */
const MESSAGE = 500, BODY = 120;

/** When a failure is final, and what else decides what follows from an outcome. */
export interface SettleRules {
  /** A rollout is not tried again once it has so many recorded failures. */
  readonly attempts: number;
  /** Whether a failed rollout becomes a line of the sidecar, or ends the run. */
  readonly routeFailures: boolean;
  /** Whether so many rows turned away by something in front of a server are an outage of it, after which they run again. */
  readonly outageRetry: boolean;
  /** Whether timeouts and repairable faults are tried again although their server calls them final. */
  readonly retryTerminalTimeouts: boolean;
}

/** The driver, as far as settling needs it. */
export interface Driver {
  /** Why nothing new starts any more, or null. */
  readonly stopping: string | null;
  /** Tells the scheduler. */
  tell(event: Event): void;
  /**
   * An error ends the run: nothing new starts, or what is in flight is abandoned as well.
   *
   * @param ended rows that are over, which the scheduler is told only after this
   */
  fail(error: RunError, level: "drain" | "abort", ended?: number): void;
}

/** What settling works with. */
export interface SettleTools {
  readonly rules: SettleRules;
  readonly rows: RowSource;
  readonly routes: readonly Route[];
  readonly lines: Lines;
  readonly observer: Observer;
}

/** An attempt that has failed. */
interface Failed {
  readonly failure: Failure;
  readonly stamps: Stamps;
  /** The task's own id. */
  readonly own: string | undefined;
}

/** One per run. */
export class Settler {
  readonly #driver: Driver;
  readonly #tools: SettleTools;
  /** The last failure of rows that wait for their server, in case it has to become theirs. */
  readonly #untaken = new Map<number, Failed & { readonly unsent: boolean }>();

  constructor(driver: Driver, tools: SettleTools) {
    this.#driver = driver;
    this.#tools = tools;
  }

  /** Whether a row's request has been tried, and no server has seen it. */
  isUnsent(row: number): boolean {
    return this.#untaken.get(row)?.unsent ?? false;
  }

  /** An attempt is over. */
  landed(row: number, { outcome, stamps, own }: Attempted): void {
    switch (outcome.kind) {
      case "aborted":
        return this.#driver.tell({ kind: "aborted", row });
      case "fatal": {
        // The row stays owed: what the server meant is not known, so no line can say it.
        const { rows, routes } = this.#tools, { server, url } = routes[rows.route(row)]!;
        const error = {
          kind: "unusable_answer",
          server,
          url,
          id: withOwn(rows.id(row), own),
          why: outcome.message,
        } as const;
        this.#driver.fail(error, "drain", 1);
        return this.#driver.tell({ kind: "aborted", row });
      }
      case "unsent": {
        const { failure, reason, floorMs, hopeless } = outcome;
        this.#untaken.set(row, { failure, stamps, own, unsent: true });
        return this.#driver.tell({
          kind: "unsent",
          row,
          reason,
          ...(floorMs === null ? {} : { floorMs }),
          ...(hopeless ? { hopeless } : {}),
        });
      }
      case "turned_away": {
        const { failure, reason } = outcome;
        if (!this.#tools.rules.outageRetry) return this.#failed(row, { failure, stamps, own });
        this.#untaken.set(row, { failure, stamps, own, unsent: false });
        return this.#driver.tell({ kind: "turned_away", row, reason });
      }
      case "failure":
        return this.#failed(row, { failure: outcome.failure, stamps, own });
      case "result":
        this.#untaken.delete(row);
        this.#driver.tell({ kind: "answered", row });
        return this.#answered(row, outcome, { stamps, own });
    }
  }

  /** A row that its server did not take has failed. */
  failUnsent(row: number): void {
    const failed = this.#untaken.get(row)!;
    this.#untaken.delete(row);
    if (!this.#tools.rules.routeFailures) this.#endRun(row, failed, 0);
    this.#settleFailure(row, failed);
  }

  /** A row that was settled as failed was turned away in an outage, and runs again. */
  runsAgain(row: number): void {
    const { rows, observer } = this.#tools;
    observer.on({ kind: "runs_again", id: rows.id(row), route: rows.route(row) });
  }

  #answered(
    row: number,
    { result, declared, persist }: Outcome & { kind: "result" },
    { stamps, own }: Omit<Failed, "failure">,
  ): void {
    const { lines, rules, rows } = this.#tools;
    if (!persist) {
      this.#settled(row, "omitted", { result });
      return this.#driver.tell({ kind: "written", row });
    }
    if (declared === null) {
      return this.#write(lines.rollouts, row, stamped(result, stamps), () => {
        this.#settled(row, "done", { result });
      });
    }
    const failure = { failureClass: declared, message: messageOf(result), body: null };
    const isFinal = isTerminal(
      declared,
      isTrue(result.raw(KEYS.failureTerminal)),
      rules.retryTerminalTimeouts,
    );
    this.#write(lines.failures, row, stamped(result, stamps), () => {
      this.#recorded(row, { failure, id: withOwn(rows.id(row), own), isFinal, result });
    });
  }

  #failed(row: number, failed: Failed): void {
    const { rows, rules } = this.#tools, { failure } = failed;
    this.#untaken.delete(row);
    const mayRunAgain = failure.delivery === "possibly_delivered" && failure.failureClass !== "agent_timeout";
    if (mayRunAgain && rows.attempts(row) + 1 < rules.attempts) return this.#retry(row, failed);
    // An error that ends the run is told first, so that the place that becomes free is not taken again.
    if (!rules.routeFailures) this.#endRun(row, failed, 1);
    this.#driver.tell({ kind: failure.delivery === "delivered" ? "answered" : "unanswered", row });
    this.#settleFailure(row, failed);
  }

  #retry(row: number, { failure, stamps, own }: Failed): void {
    const { rows, lines, observer } = this.#tools;
    lines.failures.append(failureRow(failure, stamps), (fault) => {
      if (fault) return this.#unwritten(row, fault);
      observer.on({
        kind: "retried",
        id: withOwn(rows.id(row), own),
        attempts: rows.failedAgain(row),
        failure: toldOf(failure),
        later: this.#driver.stopping !== null,
      });
      this.#driver.tell({ kind: "lost", row });
    });
  }

  #endRun(row: number, { failure, own }: Failed, ended: number): void {
    const id = withOwn(this.#tools.rows.id(row), own);
    this.#driver.fail({ kind: "rollout_failed", id, failure: toldOf(failure) }, "drain", ended);
  }

  /** A rollout has failed for this run. */
  #settleFailure(row: number, { failure, stamps, own }: Failed): void {
    const told = toldOf(failure), id = withOwn(this.#tools.rows.id(row), own);
    if (!this.#tools.rules.routeFailures) {
      this.#settled(row, "failed", { failure: told, id });
      return this.#driver.tell({ kind: "written", row });
    }
    this.#write(this.#tools.lines.failures, row, failureRow(failure, stamps), () => {
      this.#recorded(row, { failure: told, id, isFinal: false, result: null });
    });
  }

  /** A rollout's last attempt in this run stands in the sidecar. */
  #recorded(
    row: number,
    { failure, id, isFinal, result }: {
      readonly failure: FailureTold;
      readonly id: RolloutId;
      readonly isFinal: boolean;
      readonly result: JsonObject | null;
    },
  ): void {
    const { rows, rules } = this.#tools;
    const isAtCap = rows.failedAgain(row) >= rules.attempts;
    this.#settled(row, "failed", {
      failure,
      id,
      recorded: true,
      final: isFinal || isAtCap,
      atCap: isAtCap && !isFinal,
      result,
    });
  }

  #settled(
    row: number,
    became: "done" | "failed" | "omitted",
    { id, failure = null, recorded = false, final = false, atCap = false, result = null }: {
      readonly id?: RolloutId;
      readonly failure?: FailureTold | null;
      readonly recorded?: boolean;
      readonly final?: boolean;
      readonly atCap?: boolean;
      readonly result?: JsonObject | null;
    },
  ): void {
    const { rows, observer } = this.#tools;
    observer.on({
      kind: "settled",
      id: id ?? rows.id(row),
      route: rows.route(row),
      became,
      failure,
      recorded,
      final,
      ...(atCap ? { atCap } : {}),
      scored: became === "done" && result !== null && rewardOf(result) !== undefined,
      result,
    });
  }

  #write(file: LineSink, row: number, pieces: readonly Uint8Array[], written: () => void): void {
    file.append(pieces, (fault) => {
      if (fault) return this.#unwritten(row, fault);
      written();
      this.#driver.tell({ kind: "written", row });
    });
  }

  /** A line could not be written: nothing that comes back can be kept any more, so everything stops now. */
  #unwritten(row: number, fault: WriteFault): void {
    // Told first, so that the place that becomes free is not taken again.
    this.#driver.fail({ kind: "fault", message: fault.message }, "abort");
    this.#driver.tell({ kind: "aborted", row });
  }
}

/** What a server says of a failure that it declares, or null. */
function messageOf(result: JsonObject): string | null {
  for (const name of [KEYS.failureMessage, KEYS.failureReason]) {
    const raw = result.raw(name);
    if (raw && !isNull(raw)) return textOf(raw, MESSAGE) || null;
  }
  return null;
}

function toldOf({ failureClass, message, body }: Failure): FailureTold {
  const text = body?.replace(/\s+/g, " ").trim() ?? "";
  const beginning = text.length > BODY ? `${text.slice(0, BODY).toWellFormed()}…` : text;
  return { failureClass, message, body: beginning || null };
}
