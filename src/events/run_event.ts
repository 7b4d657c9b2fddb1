/**
 * What happens in a run, as plain data. Whoever wants to know (counters, a stall watch, the terminal, a log file, an
 * exporter) is an {@link Observer}; sentences are made of events in `report/` only.
 *
 * `started`, `over` and `settled` come for every rollout and stay where they happen, in the Worker; a {@link Notice} is
 * what the user may be shown, and what of it is shown crosses to the command line's side.
 */
import type { JsonObject } from "../json/object.ts";
import type { RunError, ServerAbandoned } from "./run_error.ts";
import type { FailureTold, RolloutId, ServerId } from "./subjects.ts";

export type { FailureTold, RolloutId, ServerAbandoned, ServerId };

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

/** What became of a rollout is where it belongs: this run is through with it. */
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
  /** Of a failed one: whether the sidecar has it. It does not when the failure ended the run. */
  readonly recorded: boolean;
  /** Of a failed one: whether no run will try it again. */
  readonly final: boolean;
  /** Of one that is done: whether its reward is a number. */
  readonly scored: boolean;
  /** What the server answered, if it did. Never crosses to the other side. */
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
  /** How long it is waited for, in seconds. */
  readonly windowS: number;
}

/** A server that dispatch waited for answers. */
export interface ServerBack extends ServerId {
  readonly kind: "server_back";
  /** How long it was away, in milliseconds. */
  readonly afterMs: number;
}

/** Connections to a server are not kept between requests any more, since it closed one instead of answering. */
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
  /** Those that have been so longest. */
  readonly oldest: readonly (RolloutId & { readonly server: string; readonly forMs: number })[];
}

/** Nothing new starts any more; what is in flight has the grace. */
export interface Stopping {
  readonly kind: "stopping";
  /** The name of a signal, or `error`. */
  readonly why: string;
  /** What has the grace: requests in flight, or the metrics. */
  readonly waitsFor: { readonly inFlight: number } | "metrics";
  /** How long it is. */
  readonly graceS: number;
}

/** Every rollout is settled, and a server takes its time with the metrics. */
export interface MetricsAwaited {
  readonly kind: "metrics_awaited";
}

/** Enough events of a kind have been shown. */
export interface NoMoreShown {
  readonly kind: "no_more_shown";
  /** The file that has all of them; null for those about servers, which the progress line names. */
  readonly see: string | null;
}

/** A stage of scoring finished runs begins. */
export interface Scoring {
  readonly kind: "scoring";
  /** Reading shards, merging rows, or scoring rollouts. */
  readonly stage: "reading" | "merging" | "scoring";
  /** How many. */
  readonly count: number;
}

/** What was found and done in the files of an earlier run, before anything was sent. */
export type EarlierRun =
  /** A fresh run keeps the earlier rollouts under another name. */
  | { readonly kind: "earlier_run_kept"; readonly path: string }
  /** A file ended in the middle of a line. */
  | { readonly kind: "tail_dropped"; readonly path: string; readonly bytes: number }
  /** Lines are not rows (not JSON, or no usable identity): they are in the quarantine now. `first` has up to 20, each with its fault. */
  | {
    readonly kind: "lines_set_aside";
    readonly path: string;
    readonly quarantine: string;
    readonly lines: number;
    readonly first: readonly string[];
  }
  /** Rollouts with an invalid judge response are failed attempts now. */
  | { readonly kind: "invalid_judged_again"; readonly rollouts: number; readonly failures: string }
  /** Of these, rows that are not JSON: they are in the quarantine now. */
  | { readonly kind: "invalid_unreadable"; readonly rows: number; readonly quarantine: string }
  /** Rows that count for nothing: a second one of its identity, one of no input. */
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
  | MetricsAwaited
  | NoMoreShown
  | Scoring;

/** An error makes the run a failure, and ends it unless rollouts of other servers go on. The summary shows the first. */
export interface ErrorMet {
  readonly kind: "error";
  readonly error: RunError;
}

/** Everything that happens. */
export type RunEvent = Started | Over | RunsAgain | ErrorMet | Notice;

/** Hears what happens, at once and in order. Must not throw, and be quick: some events come for every rollout. */
export interface Observer {
  /** Takes an event. */
  on(event: RunEvent): void;
}

/** One observer that tells several, in order. */
export function all(observers: readonly Observer[]): Observer {
  return {
    on(event) {
      for (const observer of observers) observer.on(event);
    },
  };
}
