/**
 * Where every rollout of a run is: the one place that works it out. Summary, progress, JSON, status and exit code read
 * it here. At any moment `expected = done + failed + drained + unresolved`.
 */
import type { RunError } from "../events/run_error.ts";
import type { Ending, Summary, Tally } from "./tally.ts";

/** Where rollouts are, whichever run put them there. */
export interface Account {
  /** Rollouts in the materialized inputs. */
  readonly expected: number;
  /** In the rollouts file. */
  readonly done: number;
  /** Without a result, and their last attempt failed. */
  readonly failed: number;
  /** Of these, those that no run will try again: failed permanently, or at the attempt limit. */
  readonly final: number;
  /** Not started because the dispatch budget was used up. */
  readonly drained: number;
  /** Without a result or a failure: not sent, in flight, abandoned, or omitted as the server asked. */
  readonly unresolved: number;
  /** What a resume runs. */
  readonly toRun: number;
}

/** The account of a run, which is that of its summary once it is over. */
export interface RunAccount extends Account {
  /** Of what this run owes, those it has sent and is through with: the rate is measured on them. */
  readonly landed: number;
  /** Of what this run owes, those it is through with, whatever became of them: progress shows them. */
  readonly finished: number;
  /** Of what this run owes, those in flight or waiting. */
  readonly left: number;
  /** Those with a line in the sidecar, and no result. */
  readonly recorded: number;
  /** Those with a line in no file. */
  readonly traceless: number;
  /** Of what this run owes, failed ones that a resume tries again. */
  readonly retryable: number;
}

/** The account of a run at any moment. */
export function accountOf(tally: Tally): RunAccount {
  const {
    materialized,
    before,
    terminal,
    atCap,
    done,
    failed,
    exhausted,
    unrecorded,
    notPersisted,
    drained,
  } = tally;
  const left = tally.inFlight + tally.waiting, landed = done + failed + notPersisted;
  const unresolved = left + notPersisted, retryable = failed - exhausted;
  return {
    expected: materialized,
    done: before + done,
    failed: terminal + atCap + failed,
    final: terminal + atCap + exhausted,
    drained,
    unresolved,
    toRun: unresolved + drained + retryable,
    landed,
    finished: landed + drained,
    left,
    recorded: terminal + atCap + failed - unrecorded,
    traceless: unrecorded + notPersisted + drained + left,
    retryable,
  };
}

/** The account of a run that nobody watches, by what its files say. */
export function accountOfFiles(
  { rollouts, done, terminal, atCap, left, leftFailed }: {
    readonly rollouts: number;
    readonly done: number;
    readonly terminal: number;
    readonly atCap: number;
    /** What a resume runs; `leftFailed` of these have failed. */
    readonly left: number;
    readonly leftFailed: number;
  },
): Account {
  return {
    expected: rollouts,
    done,
    failed: terminal + atCap + leftFailed,
    final: terminal + atCap,
    drained: 0,
    unresolved: left - leftFailed,
    toRun: left,
  };
}

/** What the metrics are about. */
export interface Scores {
  /** Rollouts in the metrics; without metrics, rows of the rollouts file. */
  readonly scored: number;
  /** Of these, without a result: they count as zero. */
  readonly imputed: number;
  /** Rollouts that are not in the metrics. */
  readonly missing: number;
}

/** What the metrics of a run are about; by their own account where they have one. */
export function scoresOf(
  { coverage, metrics, tally }: Pick<Summary, "coverage" | "metrics" | "tally">,
): Scores {
  if (coverage) {
    const { scored, counted, imputed, missing } = coverage;
    return { scored, imputed: counted + imputed, missing };
  }
  const { expected, done } = accountOf(tally);
  const scored = metrics?.length ? metrics.reduce((sum, { rows }) => sum + rows, 0) : done;
  return { scored, imputed: Math.max(0, scored - done), missing: Math.max(0, expected - scored) };
}

/** Rollouts of this run that were not run to their end, and why. */
export interface Undone {
  readonly rollouts: number;
  readonly why: "slurm_end" | "dispatch_budget" | "token_budget" | "too_many_failures" | "signal" | "error";
}

/**
 * What a run left undone, and why; empty where it left nothing.
 *
 * @param bySlurm whether its budget was what was left of the Slurm job
 */
export function undoneOf({ tally, signal }: Pick<Summary, "tally" | "signal">, bySlurm: boolean): Undone[] {
  const { drained, left } = accountOf(tally);
  const budget = tally.limit
    ? tally.limit.what === "tokens" ? "token_budget" : "too_many_failures"
    : bySlurm
    ? "slurm_end"
    : "dispatch_budget";
  const undone: Undone[] = [
    { rollouts: drained, why: budget },
    { rollouts: left, why: signal === null ? "error" : "signal" },
  ];
  return undone.filter(({ rollouts }) => rollouts > 0);
}

/** How a run ended. */
export function endingOf(
  tally: Tally,
  { error, stopped }: { readonly error: Pick<RunError, "kind"> | null; readonly stopped: boolean },
): Ending {
  if (error) return error.kind === "too_many_failures" ? error.kind : "failed";
  if (stopped) return "stopped";
  if (accountOf(tally).drained === 0) return "complete";
  return tally.limit?.what === "tokens" ? "token_budget" : "drained";
}

/** Why a run that came to its end is a failure all the same, or null. */
export function shortfallOf(
  tally: Tally,
  coverage: Summary["coverage"],
  requireComplete: boolean,
): "no_results" | "incomplete" | null {
  const { expected, done } = accountOf(tally);
  const countsAsZero = (coverage?.counted ?? 0) + (coverage?.imputed ?? 0) > 0;
  if (expected > 0 && done === 0 && !countsAsZero) return "no_results";
  return requireComplete && done < expected ? "incomplete" : null;
}
