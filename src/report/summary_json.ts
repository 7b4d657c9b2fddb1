/** What a run did, as one JSON object for programs. */
import { accountOf, scoresOf } from "../collect/accounting.ts";
import type { Coverage, GroupMetrics, LiveMeans, Summary } from "../collect/tally.ts";
import { healthJson } from "./health_text.ts";
import { errorText } from "./error_text.ts";
import { eventText } from "./event_text.ts";
import { printableJson } from "./text.ts";

/**
 * The summary as one line of JSON, without a line break. Every key is always there, in this order; keys may be added
 * in later versions, none goes or changes its meaning. Counts are of rollouts unless another word stands there.
 *
 * | key | value |
 * | --- | --- |
 * | `ending` | `"complete"`, `"drained"` (a budget), `"stopped"` (a signal) or `"failed"` |
 * | `error` | the message of the error that ended the run or was found at its end, or null |
 * | `signal` | the name of the signal that stopped the run, or null |
 * | `materialized` | in the materialized inputs: `done_before + terminal + at_cap + owed` |
 * | `done_before` | in the rollouts file when the run began |
 * | `terminal`, `at_cap` | not run again: those that failed permanently, or reached the attempt limit, in earlier runs |
 * | `failed_before` | those among `owed` that failed in an earlier run |
 * | `owed` | what this run had to run: `done + failed + not_persisted + drained + left` |
 * | `done` | rows written to the rollouts file by this run |
 * | `failed` | those whose last attempt failed |
 * | `exhausted` | those among `failed` that are not tried again: failed permanently, or at the attempt limit |
 * | `unrecorded` | those among `failed` that are not recorded: they ended the run |
 * | `given_up` | requests abandoned in flight, counted in `left`; their servers may have run them |
 * | `not_persisted` | answers that asked not to be kept |
 * | `drained` | not started because the dispatch budget was used up |
 * | `left` | not started, or abandoned in flight, when the run ended |
 * | `to_run` | what a resume would run: `left + drained + not_persisted + failed - exhausted` |
 * | `scored`, `missing` | rows that metrics were computed over (without metrics: rows of the rollouts file), and `materialized` less these |
 * | `imputed` | rows among `scored` that are in no file, because they are counted as zero |
 * | `coverage` | what the files say of all that was owed, or null without metrics: `{expected, scored, counted (failures that count), imputed (rollouts without a trace that count), missing, failures (missing ones by class of the last attempt), without_trace, unscored_tasks: {count, listed: [{task, group, missing}]}, shards: {all, with_inputs}}` |
 * | `failures` | failed attempts by class: those recorded in the sidecar, and those that ended the run |
 * | `attempts_again` | recorded failed attempts that were followed by another one |
 * | `repeats` | requests that could not be sent and were repeated |
 * | `unscored` | results whose reward is missing or not a number |
 * | `bytes` | bytes of responses |
 * | `elapsed_s`, `busy_s` | seconds the run took, and the durations of all answered requests together |
 * | `task_hours` | `busy_s` in hours |
 * | `latency_s` | `{median, p90, p99, max}` of answered requests in seconds, each null before the first answer |
 * | `live` | this run's results by server: `[{name, owed, finished, left, per_minute, scored, means}]`, and `masked_pct`, `reward_unmasked`, `failed`, `omitted` where there is something to tell |
 * | `metrics` | `[{label, rows, key_metrics, computed_by ("server" or "rollcall")}]` a group, or null when none were asked for |
 * | `health` | what the health checks said: `{checked, healthy, unhealthy, unobserved, ignored, issues (findings by check), summary, verdicts (paths)}`, or null without checks |
 * | `notes` | texts, for people |
 * | `files` | paths of the run's files by what they hold |
 */
export function summaryJson(summary: Summary): string {
  const { ending, signal, tally, metrics, found, notes, files } = summary;
  const { left, toRun } = accountOf(tally), { scored, missing, imputed } = scoresOf(summary);
  const { median, p90, p99, max } = tally.latency;
  return printableJson({
    ending,
    error: errorText(summary),
    signal,
    materialized: tally.materialized,
    done_before: tally.before,
    terminal: tally.terminal,
    at_cap: tally.atCap,
    failed_before: tally.failedBefore,
    owed: tally.owed,
    done: tally.done,
    failed: tally.failed,
    exhausted: tally.exhausted,
    unrecorded: tally.unrecorded,
    given_up: tally.givenUp,
    not_persisted: tally.notPersisted,
    drained: tally.drained,
    left,
    to_run: toRun,
    scored,
    missing,
    imputed,
    coverage: coverageJson(summary.coverage),
    failures: tally.failures,
    attempts_again: tally.attemptsAgain,
    repeats: tally.repeats,
    unscored: tally.unscored,
    bytes: tally.bytes,
    elapsed_s: tally.elapsedS,
    busy_s: tally.busyS,
    task_hours: tally.busyS / 3600,
    latency_s: { median, p90, p99, max },
    live: tally.live.map(liveJson),
    metrics: metricsJson(metrics),
    health: healthJson(summary.health),
    notes: [...found.map(eventText), ...notes],
    files,
  });
}

/** A coverage for programs. */
export function coverageJson(coverage: Coverage | null): Record<string, unknown> | null {
  if (!coverage) return null;
  const { expected, scored, counted, imputed, missing, failures, withoutTrace, unscoredTasks, shards } =
    coverage;
  return {
    expected,
    scored,
    counted,
    imputed,
    missing,
    failures,
    without_trace: withoutTrace,
    unscored_tasks: unscoredTasks,
    shards: { all: shards.all, with_inputs: shards.withInputs },
  };
}

/** Metrics for programs. */
export function metricsJson(metrics: readonly GroupMetrics[] | null): Record<string, unknown>[] | null {
  return metrics?.map(({ label, rows, key_metrics, computed_by }) => ({
    label,
    rows,
    key_metrics,
    computed_by,
  })) ?? null;
}

function liveJson({ name, owed, finished, perMinute, scored, means, ...more }: LiveMeans) {
  const { maskedPct, rewardUnmasked, failed, omitted } = more;
  return {
    name,
    owed,
    finished,
    left: owed - finished,
    per_minute: perMinute,
    scored,
    means,
    masked_pct: maskedPct,
    reward_unmasked: rewardUnmasked,
    failed,
    omitted,
  };
}
