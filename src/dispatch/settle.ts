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
import type { FailureTold, Observer } from "../events/run_event.ts";
import { type Failure, failureRow } from "../record/failure.ts";
import { isTerminal } from "../record/final_failures.ts";
import { KEYS } from "../record/keys.ts";
import { rewardOf } from "../record/reward.ts";
import { stamped, type Stamps } from "../record/stamps.ts";
import type { Event } from "../schedule/scheduler.ts";
import type { Attempted } from "./attempt.ts";
import type { Outcome } from "./judge.ts";
import type { Lines, LineSink } from "./line_sink.ts";
import type { RowSource } from "./row_source.ts";

/** Characters of a server's message, and of an error status' body, that an event carries. */
const MESSAGE = 500, BODY = 120;

/** Rules of a run. */
export interface SettleRules {
  /** A rollout is not tried again once it has so many recorded failures. */
  readonly attempts: number;
  /** Whether a failed rollout becomes a line of the sidecar, or ends the run. */
  readonly routeFailures: boolean;
  /** Whether timeouts and repairable faults are tried again although their server calls them final. */
  readonly retryTerminalTimeouts: boolean;
}

/** The driver, as far as settling needs it. */
export interface Driver {
  /** Why nothing new starts any more, or null. */
  readonly stopping: string | null;
  /** Tells the scheduler. */
  tell(event: Event): void;
  /** An error ends the run: nothing new starts, or what is in flight is abandoned as well. */
  fail(error: RunError, level: "drain" | "abort"): void;
}

/** What settling works with. */
export interface SettleTools {
  readonly rules: SettleRules;
  readonly rows: RowSource;
  readonly routes: readonly Route[];
  readonly lines: Lines;
  readonly observer: Observer;
}

/** One per run. */
export class Settler {
  readonly #driver: Driver;
  readonly #tools: SettleTools;
  /** The last failure of rows that wait for their server, in case it has to become theirs. */
  readonly #unsent = new Map<number, { readonly failure: Failure; readonly stamps: Stamps }>();

  constructor(driver: Driver, tools: SettleTools) {
    this.#driver = driver;
    this.#tools = tools;
  }

  /** Whether a row's request has been tried, and no server has seen it. */
  isUnsent(row: number): boolean {
    return this.#unsent.has(row);
  }

  /** An attempt is over. */
  landed(row: number, { outcome, stamps }: Attempted): void {
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
          id: rows.id(row),
          why: outcome.message,
        } as const;
        this.#driver.fail(error, "drain");
        return this.#driver.tell({ kind: "aborted", row });
      }
      case "unsent": {
        const { failure, reason, floorMs, hopeless } = outcome;
        this.#unsent.set(row, { failure, stamps });
        return this.#driver.tell({
          kind: "unsent",
          row,
          reason,
          ...(floorMs === null ? {} : { floorMs }),
          ...(hopeless ? { hopeless } : {}),
        });
      }
      case "failure":
        this.#unsent.delete(row);
        return this.#failed(row, outcome.failure, stamps);
      case "result":
        this.#unsent.delete(row);
        this.#driver.tell({ kind: "answered", row });
        return this.#answered(row, outcome, stamps);
    }
  }

  /** A row's request could not be sent for as long as it may be tried. */
  givenUp(row: number): void {
    const { failure, stamps } = this.#unsent.get(row)!;
    this.#unsent.delete(row);
    if (!this.#tools.rules.routeFailures) this.#endRun(row, failure);
    this.#settleFailure(row, failure, stamps);
  }

  #answered(row: number, { result, declared, persist }: Outcome & { kind: "result" }, stamps: Stamps): void {
    const { lines, rules } = this.#tools;
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
      this.#recorded(row, failure, isFinal, result);
    });
  }

  #failed(row: number, failure: Failure, stamps: Stamps): void {
    const { rows, rules } = this.#tools;
    const mayRunAgain = failure.delivery === "possibly_delivered" && failure.failureClass !== "agent_timeout";
    if (mayRunAgain && rows.attempts(row) + 1 < rules.attempts) return this.#retry(row, failure, stamps);
    // An error that ends the run is told first, so that the place that becomes free is not taken again.
    if (!rules.routeFailures) this.#endRun(row, failure);
    this.#driver.tell({ kind: "answered", row });
    this.#settleFailure(row, failure, stamps);
  }

  #retry(row: number, failure: Failure, stamps: Stamps): void {
    const { rows, lines, observer } = this.#tools;
    lines.failures.append(failureRow(failure, stamps), (fault) => {
      if (fault) return this.#unwritten(row, fault);
      observer.on({
        kind: "retried",
        id: rows.id(row),
        attempts: rows.failedAgain(row),
        failure: toldOf(failure),
        later: this.#driver.stopping !== null,
      });
      this.#driver.tell({ kind: "lost", row });
    });
  }

  #endRun(row: number, failure: Failure): void {
    const id = this.#tools.rows.id(row);
    this.#driver.fail({ kind: "rollout_failed", id, failure: toldOf(failure) }, "drain");
  }

  /** A rollout has failed for this run. */
  #settleFailure(row: number, failure: Failure, stamps: Stamps): void {
    const told = toldOf(failure);
    if (!this.#tools.rules.routeFailures) {
      this.#settled(row, "failed", { failure: told });
      return this.#driver.tell({ kind: "written", row });
    }
    this.#write(this.#tools.lines.failures, row, failureRow(failure, stamps), () => {
      this.#recorded(row, told, false, null);
    });
  }

  /** A rollout's last attempt in this run stands in the sidecar. */
  #recorded(row: number, failure: FailureTold, isFinal: boolean, result: JsonObject | null): void {
    const { rows, rules } = this.#tools;
    const isAtCap = rows.failedAgain(row) >= rules.attempts;
    this.#settled(row, "failed", { failure, recorded: true, final: isFinal || isAtCap, result });
  }

  #settled(
    row: number,
    became: "done" | "failed" | "omitted",
    { failure = null, recorded = false, final = false, result = null }: {
      readonly failure?: FailureTold | null;
      readonly recorded?: boolean;
      readonly final?: boolean;
      readonly result?: JsonObject | null;
    },
  ): void {
    const { rows, observer } = this.#tools;
    observer.on({
      kind: "settled",
      id: rows.id(row),
      route: rows.route(row),
      became,
      failure,
      recorded,
      final,
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
  for (const name of [KEYS.failureMessage, "failure_reason"]) {
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
