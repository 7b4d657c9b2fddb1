/** What a run did, as one JSON object for programs. */
import { accountOf, scoresOf, undoneOf } from "../collect/accounting.ts";
import type { Coverage, GroupMetrics, LiveMeans, SoFar, Summary } from "../collect/tally.ts";
import { mostFrequent } from "./classes.ts";
import { healthJson } from "./health_text.ts";
import { errorText } from "./error_text.ts";
import { eventText } from "./event_text.ts";
import { printableJson } from "./text.ts";

/** What only the command line's side knows of a run. */
export interface Circumstances {
  /** What was told before anything was sent. */
  readonly told?: readonly string[];
  /** Whether the run's budget was what was left of the Slurm job. */
  readonly bySlurm?: boolean;
}

/** The summary as one line of JSON, without a line break: `collectSchema` of schemas.ts says what it holds. */
export function summaryJson(
  summary: Summary,
  { told = [], bySlurm = false }: Circumstances = {},
): string {
  const { ending, signal, tally, metrics, found, notes, files } = summary;
  const { left, toRun } = accountOf(tally), { scored, missing, imputed } = scoresOf(summary);
  const { median, p90, p99, max } = tally.latency;
  return printableJson({
    ending,
    error: errorText(summary, bySlurm),
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
    undone: undoneOf(summary, bySlurm),
    ...classesJson(tally.failures, "failures"),
    attempts_again: tally.attemptsAgain,
    repeats: tally.repeats,
    outages: tally.outages.map(({ server, rows, ranAgain, seconds }) => ({
      server,
      turned_away: rows,
      ran_again: ranAgain,
      paused_s: seconds,
    })),
    concurrency: tally.widths ?? [],
    tokens: tally.tokens ?? null,
    unscored: summary.soFar.reduce((sum, { unscored }) => sum + unscored, 0),
    bytes: tally.bytes,
    elapsed_s: tally.elapsedS,
    busy_s: tally.busyS,
    task_hours: tally.busyS / 3600,
    latency_s: { median, p90, p99, max },
    live: tally.live.map(liveJson),
    so_far: summary.soFar.map(soFarJson),
    metrics: metricsJson(metrics),
    health: healthJson(summary.health),
    notes: [...told, ...found.map(eventText), ...notes],
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
    ...classesJson(failures, "failures"),
    without_trace: withoutTrace,
    unscored_tasks: unscoredTasks,
    shards: { all: shards.all, with_inputs: shards.withInputs },
  };
}

/** Counts by class for programs: the most frequent classes under their key, the others together under `other_…`. */
export function classesJson(
  counts: Readonly<Record<string, number>>,
  key: "failures" | "failed",
): Record<string, unknown> {
  const { listed, others } = mostFrequent(counts);
  return { [key]: Object.fromEntries(listed), [`other_${key}`]: others };
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

function soFarJson({ name, rows, expected, unscored, means, maskedPct, rewardUnmasked }: SoFar) {
  return {
    name,
    rows,
    expected,
    unscored,
    means,
    masked_pct: maskedPct,
    reward_unmasked: rewardUnmasked,
  };
}

function liveJson({ name, owed, finished, perMinute, scored, unscored, means, ...more }: LiveMeans) {
  const { maskedPct, rewardUnmasked, failed, omitted } = more;
  return {
    name,
    owed,
    finished,
    left: owed - finished,
    per_minute: perMinute,
    scored,
    unscored,
    means,
    masked_pct: maskedPct,
    reward_unmasked: rewardUnmasked,
    failed,
    omitted,
  };
}
