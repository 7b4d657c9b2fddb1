/**
 * What happens in a run, as plain data. Anything that listens (counters, a stall watch, the terminal, a log file, an
 * exporter) is an {@link Observer}; only `report/` turns events into sentences.
 *
 * `started`, `over` and `settled` come for every rollout and stay in the Worker; a {@link Notice} may be shown to the user,
 * and those that are shown cross to the command line's side.
 */
import type { JsonObject } from "../json/object.ts";
import type { RunError, ServerAbandoned } from "./run_error.ts";
import type { FailureTold, LimitReached, RolloutId, ServerId } from "./subjects.ts";

export type { FailureTold, LimitReached, RolloutId, ServerAbandoned, ServerId };

/** A request was sent. */
export interface Started {
  readonly kind: "started";
  /** The number of the rollout's row. */
  readonly row: number;
  /** When, in milliseconds on the run's clock. */
  readonly at: number;
  /** Whether it repeats a request that no server has seen. */
  readonly repeated: boolean;
}

/** A request is over, in whatever way. */
export interface Over {
  readonly kind: "over";
  /** The number of the rollout's row. */
  readonly row: number;
  /** When, in milliseconds on the run's clock. */
  readonly at: number;
  /** How: `unsent` when no server has taken it, `abandoned` when it was ended on our side. */
  readonly how: "result" | "failure" | "unsent" | "abandoned";
  /** Bytes of the answer's body. */
  readonly bytes: number;
  /** From sending to answer. */
  readonly seconds: number;
}

/** A rollout's outcome is in its file: this run is done with it. */
export interface Settled {
  readonly kind: "settled";
  /** Which. */
  readonly id: RolloutId;
  /** The number of its server in the plan. */
  readonly route: number;
  /** `done`: in the rollouts file; `omitted`: nowhere, as the server asked. */
  readonly became: "done" | "failed" | "omitted";
  /** How it failed; null if it did not. */
  readonly failure: FailureTold | null;
  /** For a failed one: whether the sidecar has it. It does not when the failure ended the run. */
  readonly recorded: boolean;
  /** For a failed one: whether no run will try it again. */
  readonly final: boolean;
  /** For a failed one: whether it is final only since it is at the attempt limit. Default false. */
  readonly atCap?: boolean;
  /** For one that is done: whether its reward is a number. */
  readonly scored: boolean;
  /** The server's response, if any. Never crosses to the command line's side. */
  readonly result: JsonObject | null;
}

/** An attempt that may have been delivered is in the sidecar; the rollout gets another one. */
export interface Retried {
  readonly kind: "retried";
  /** Which. */
  readonly id: RolloutId;
  /** The number of attempts recorded, this one included. */
  readonly attempts: number;
  /** How it failed. */
  readonly failure: FailureTold;
  /** Whether the next attempt is left for a resume, since the run is stopping. */
  readonly later: boolean;
}

/**
 * A rollout that was settled as failed has not failed after all: it was turned away in what proved to be an outage of its
 * server. Its failure stays in the sidecar, and it runs again as a new attempt.
 */
export interface RunsAgain {
  readonly kind: "runs_again";
  /** Which. */
  readonly id: RolloutId;
  /** The number of its server in the plan. */
  readonly route: number;
}

/** Dispatch to a server waits. */
export interface ServerPaused extends ServerId {
  readonly kind: "server_paused";
  /** The system's words, or `HTTP 503`. */
  readonly reason: string;
  /** Whether the server asked for it (Retry-After). If not, a status says that something in front of it turns rows away. */
  readonly asked: boolean;
  /** How long its rows wait at most, in seconds. */
  readonly windowS: number;
}

/** A paused server answers again. */
export interface ServerBack extends ServerId {
  readonly kind: "server_back";
  /** How long it was away, in milliseconds. */
  readonly afterMs: number;
}

/** Connections to a server are no longer kept between requests, since it closed one instead of answering. */
export interface ConnectionsUnkept {
  readonly kind: "connections_unkept";
  /** Scheme, host and port. */
  readonly origin: string;
}

/** Requests are in flight, and none has started or ended for a long time. */
export interface Stalled {
  readonly kind: "stalled";
  /** For how long, in milliseconds. */
  readonly quietMs: number;
  /** How many are in flight. */
  readonly inFlight: number;
  /** Those in flight longest. */
  readonly oldest: readonly (RolloutId & { readonly server: string; readonly forMs: number })[];
}

/** Nothing new starts any more; requests in flight have the grace period. */
export interface Stopping {
  readonly kind: "stopping";
  /** The name of a signal, or `error`. */
  readonly why: string;
  /** What the grace period is for: requests in flight, or the metrics. */
  readonly waitsFor: { readonly inFlight: number } | "metrics";
  /** Its length, in seconds. */
  readonly graceS: number;
}

/** A limit of the user's is reached: nothing new starts any more, and what is in flight goes on to its end. */
export interface LimitMet {
  readonly kind: "limit_met";
  readonly limit: LimitReached;
  /** Requests in flight. */
  readonly inFlight: number;
}

/** Every rollout is settled, and a server is slow to answer with the metrics. */
export interface MetricsAwaited {
  readonly kind: "metrics_awaited";
}

/** Enough events of a kind have been shown. */
export interface NoMoreShown {
  readonly kind: "no_more_shown";
  /** The file that has all of them; null for those about servers, which the progress line names. */
  readonly see: string | null;
}

/** A stage of scoring finished runs starts. */
export interface Scoring {
  readonly kind: "scoring";
  /** Reading shards, merging rows, or scoring rollouts. */
  readonly stage: "reading" | "merging" | "scoring";
  /** How many. */
  readonly count: number;
}

/** A fault of rollcall's own, which did not end the run. */
export interface OwnFault {
  readonly kind: "own_fault";
  /** What was being done. */
  readonly where: string;
  /** The stack. */
  readonly stack: string;
}

/** What was found and done in the files of an earlier run, before anything was sent. */
export type EarlierRun =
  /** A fresh run keeps the earlier rollouts under another name. */
  | { readonly kind: "earlier_run_kept"; readonly path: string }
  /** A file ended in the middle of a line. */
  | { readonly kind: "tail_dropped"; readonly path: string; readonly bytes: number }
  /** Lines are not rows (not JSON, or no usable identity): they were moved to the quarantine. `first` has up to 20, each with its fault. */
  | {
    readonly kind: "lines_set_aside";
    readonly path: string;
    readonly quarantine: string;
    readonly lines: number;
    readonly first: readonly string[];
  }
  /** Rollouts with an invalid judge response became failed attempts. */
  | { readonly kind: "invalid_judged_again"; readonly rollouts: number; readonly failures: string }
  /** Of these, rows that are not JSON were moved to the quarantine. */
  | { readonly kind: "invalid_unreadable"; readonly rows: number; readonly quarantine: string }
  /** Rows that are ignored: with the identity of an earlier row, or of no input. */
  | {
    readonly kind: "rows_ignored";
    readonly path: string;
    readonly why: "repeated" | "unknown";
    readonly rows: number;
    readonly inputs: string;
  };

/** What the user is shown while the run goes on. Structured-clonable. */
export type Notice =
  | EarlierRun
  | Settled
  | Retried
  | ServerPaused
  | ServerBack
  | ServerAbandoned
  | ConnectionsUnkept
  | Stalled
  | Stopping
  | LimitMet
  | MetricsAwaited
  | NoMoreShown
  | OwnFault
  | Scoring;

/** An error: the run has failed, and ends unless rollouts of other servers continue. The summary shows the first. */
export interface ErrorMet {
  readonly kind: "error";
  readonly error: RunError;
}

/** Everything that happens. */
export type RunEvent = Started | Over | RunsAgain | ErrorMet | Notice;

/** Receives events at once and in order. Must not throw, and must be quick: some events come for every rollout. */
export interface Observer {
  /** Takes an event. */
  on(event: RunEvent): void;
}

/** An observer that passes events to several, in order. */
export function all(observers: readonly Observer[]): Observer {
  return {
    on(event) {
      for (const observer of observers) observer.on(event);
    },
  };
}
