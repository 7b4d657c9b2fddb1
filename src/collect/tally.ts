/**
 * What a run has done so far, as plain numbers: counted by the collector, sent to the command line's side as a
 * snapshot ten times a second, and, once the run is over, the body of its summary.
 */
import type { RunError } from "../events/run_error.ts";
import type { LimitReached, Notice, RolloutId } from "../events/run_event.ts";
import type { HealthSummary } from "../health/check_health.ts";
import type { Coverage } from "../metrics/coverage.ts";
import type { LiveMeans, SoFar } from "./live_means.ts";
import type { GroupMetrics } from "../metrics/write_metrics.ts";

export type { Coverage, GroupMetrics, HealthSummary, LiveMeans, SoFar };

/** Quantiles of the durations of requests that brought an answer, in seconds; null before the first. */
export interface Latency {
  /** Half were faster. */
  readonly median: number | null;
  /** Nine of ten were faster. */
  readonly p90: number | null;
  /** Ninety-nine of a hundred were faster. */
  readonly p99: number | null;
  /** The slowest. */
  readonly max: number | null;
}

/** A server that dispatch waits for, because requests to it could not be sent or it asked us to back off. */
export interface Paused {
  /** The server's name. */
  readonly server: string;
  /** Why: the system's words, or `HTTP 503`. */
  readonly reason: string;
  /** Since when, in seconds before now. */
  readonly seconds: number;
}

/** What outages of a server cost in which something in front of it turned rows away (502, 503, 504, 429). */
export interface OutageTold {
  /** The server's name. */
  readonly server: string;
  /** How often a row was turned away. */
  readonly rows: number;
  /** Of these, those that left a line in the sidecar and ran again, or are to: the outage was not known yet. */
  readonly ranAgain: number;
  /** How long the server was paused. */
  readonly seconds: number;
}

/** Nothing has moved for longer than any rollout took, so nobody can say when the run will be over. */
export interface Standstill {
  /** For how long, in seconds. */
  readonly seconds: number;
  /** The rollout that has been in flight longest; null when none is. */
  readonly oldest: RolloutId | null;
}

/** How many requests at once a server turned out to take. */
export interface WidthTold {
  /** The server's name. */
  readonly server: string;
  /** How many may be in flight now. */
  readonly width: number;
  /** The most there were. */
  readonly widest: number;
  /** How often there were fewer after a refusal. */
  readonly refused: number;
  /** How often there were fewer since the server had become slower. */
  readonly slower: number;
}

/** What the answers of a run with a token budget say they took. */
export interface TokensUsed {
  /** Tokens, in and out. */
  readonly used: number;
  /** How many may be used. */
  readonly budget: number;
  /** Answers that do not say how many they took. */
  readonly without: number;
}

/**
 * Counts of one run. At any moment
 * `owed = done + failed + notPersisted + drained + inFlight + waiting`, and
 * `materialized = owed + before + terminal + atCap`.
 */
export interface Tally {
  /** Rollouts in the materialized inputs. */
  readonly materialized: number;
  /** Of these, already in the rollouts file when the run began. */
  readonly before: number;
  /** Of these, without a result and failed permanently in an earlier run. */
  readonly terminal: number;
  /** Of these, without a result and at the attempt limit after earlier runs. */
  readonly atCap: number;
  /** Rollouts this run has to run. */
  readonly owed: number;
  /** Of these, failed in an earlier run. */
  readonly failedBefore: number;
  /** Rows written to the rollouts file by this run. */
  readonly done: number;
  /** Rollouts whose last attempt in this run went to the failures sidecar, or ended the run. */
  readonly failed: number;
  /** Of these, not to be tried again: failed permanently, or at the attempt limit. */
  readonly exhausted: number;
  /** Of these, at the attempt limit, which they were not before. */
  readonly newlyAtCap: number;
  /** Of those that failed, in no file: they ended the run. */
  readonly unrecorded: number;
  /** Requests that were abandoned in flight; their servers may have run them. */
  readonly givenUp: number;
  /** Answers that asked not to be kept. */
  readonly notPersisted: number;
  /** Not started because a budget was used up, or too many rollouts had failed. */
  readonly drained: number;
  /** Requests on the wire. */
  readonly inFlight: number;
  /** Not yet started, or to be started again. */
  readonly waiting: number;
  /** Failures by class, every recorded attempt counted. */
  readonly failures: Readonly<Record<string, number>>;
  /** Attempts that were recorded and are followed by another one, in this run or a resume. */
  readonly attemptsAgain: number;
  /** Requests that could not be sent and were repeated; the server never saw them. */
  readonly repeats: number;
  /** Results whose reward is missing or not a number. */
  readonly unscored: number;
  /** Bytes of answers. */
  readonly bytes: number;
  /** Seconds since the first row could have been sent. */
  readonly elapsedS: number;
  /** Sum of the durations of all answered requests, in seconds. */
  readonly busyS: number;
  readonly latency: Latency;
  /** One for each server that has something to run. */
  readonly live: readonly LiveMeans[];
  readonly paused: readonly Paused[];
  /** One for each server that had such an outage. */
  readonly outages: readonly OutageTold[];
  /** Null while something moves. */
  readonly standstill: Standstill | null;
  /** Why nothing new is started any more: the name of a signal, `error`, or a limit; null while the run goes on. */
  readonly stopping: string | null;
  /** The limit that was reached, if any. */
  readonly limit?: LimitReached;
  /** One for each server; absent where the concurrency is not found out. */
  readonly widths?: readonly WidthTold[];
  /** Absent without a token budget. */
  readonly tokens?: TokensUsed;
}

/** How a run ended. */
export type Ending =
  /** Everything owed was run. */
  | "complete"
  /** A budget left rows undone. */
  | "drained"
  /** As many tokens were used as may be, with rows left. */
  | "token_budget"
  /** So many rollouts failed that it was given up. */
  | "too_many_failures"
  /** A signal stopped it with work left. */
  | "stopped"
  /** An error ended it. */
  | "failed";

/** What a run did, told once it is over. */
export interface Summary {
  readonly ending: Ending;
  /** The error that ended the run, or an error that was found at its end; null otherwise. */
  readonly error: RunError | null;
  /** The name of the signal that stopped it, or null. */
  readonly signal: string | null;
  readonly tally: Tally;
  /** What the rollouts file says, whichever run wrote it; one for each server that has rollouts. */
  readonly soFar: readonly SoFar[];
  /** Null when no metrics were asked for. */
  readonly metrics: readonly GroupMetrics[] | null;
  /** Null when no metrics were asked for, or they failed. */
  readonly coverage: Coverage | null;
  /** Null when the rollouts were not checked. */
  readonly health: HealthSummary | null;
  /** What was found in the files before anything was sent; shown during the run as well. */
  readonly found: readonly Notice[];
  /** Things to know of the metrics and the checks; texts, shown nowhere else. */
  readonly notes: readonly string[];
  /** The files of the run that hold something now, by what that is. */
  readonly files: Readonly<Record<string, string>>;
}
