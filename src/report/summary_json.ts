/** What a run did, as one JSON object for programs. */
import type { Summary } from "../collect/tally.ts";
import { imputedOf, leftOf, missingOf, scoredOf } from "./summary.ts";

/**
 * The summary as one line of JSON, without a line break. Every key is always there, in this order; keys may be added
 * in later versions, none goes or changes its meaning. Counts are of rollouts unless another word stands there.
 *
 * | key | value |
 * | --- | --- |
 * | `ending` | `"complete"`, `"drained"` (a budget), `"stopped"` (a signal) or `"failed"` |
 * | `error` | the message of the error that ended the run or was found at its end, or null |
 * | `signal` | the name of the signal that stopped the run, or null |
 * | `materialized` | in the materialized inputs: `done_before + gated + owed` |
 * | `done_before` | in the rollouts file when the run began |
 * | `gated` | not run again: terminal failures and those at the attempts cap |
 * | `owed` | what this run had to run: `done + failed + not_persisted + drained + left` |
 * | `done` | rows written to the rollouts file by this run |
 * | `failed` | those whose last attempt failed |
 * | `not_persisted` | answers that asked not to be kept |
 * | `drained` | not started because the dispatch budget was used up |
 * | `left` | not started, or given up in flight, when the run ended |
 * | `scored`, `missing` | rows that metrics were computed over (without metrics: rows of the rollouts file), and `materialized` less these |
 * | `imputed` | rows among `scored` that are in no file, because they are counted as zero |
 * | `failures` | recorded failed attempts by class |
 * | `attempts_again` | recorded failed attempts that were followed by another one |
 * | `repeats` | requests that could not be sent and were repeated |
 * | `unscored` | results whose reward is missing or no number |
 * | `bytes` | bytes of answers |
 * | `elapsed_s`, `busy_s` | seconds the run took, and the durations of all answered requests together |
 * | `task_hours` | `busy_s` in hours |
 * | `latency_s` | `{median, p90, p99, max}` of answered requests in seconds, each null before the first answer |
 * | `metrics` | `[{label, rows, key_metrics}]` a group, or null when none were asked for |
 * | `notes` | texts, for people |
 * | `files` | paths of the run's files by what they hold |
 */
export function summaryJson(summary: Summary): string {
  const { ending, error, signal, tally, metrics, notes, files } = summary;
  const { median, p90, p99, max } = tally.latency;
  return JSON.stringify({
    ending,
    error,
    signal,
    materialized: tally.materialized,
    done_before: tally.before,
    gated: tally.gated,
    owed: tally.owed,
    done: tally.done,
    failed: tally.failed,
    not_persisted: tally.notPersisted,
    drained: tally.drained,
    left: leftOf(tally),
    scored: scoredOf(summary),
    missing: missingOf(summary),
    imputed: imputedOf(summary),
    failures: tally.failures,
    attempts_again: tally.attemptsAgain,
    repeats: tally.repeats,
    unscored: tally.unscored,
    bytes: tally.bytes,
    elapsed_s: tally.elapsedS,
    busy_s: tally.busyS,
    task_hours: tally.busyS / 3600,
    latency_s: { median, p90, p99, max },
    metrics: metrics?.map(({ label, rows, key_metrics }) => ({ label, rows, key_metrics })) ?? null,
    notes,
    files,
  });
}
