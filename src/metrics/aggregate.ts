/** `rollcall aggregate`, as the collector does it: shards scored together, and merged. */
import { basename } from "node:path";
import { RunFault } from "../kit/fault.ts";
import type { AggregatePlan } from "../plan/aggregate_plan.ts";
import type { Coverage } from "./coverage.ts";
import { score, type Scored, type ScoreTools } from "./score.ts";
import type { GroupMetrics } from "./write_metrics.ts";

/** What an aggregation did. */
export interface AggregateSummary {
  /** `failed` also when rollouts are missing under `require_complete`. */
  readonly ending: "complete" | "failed" | "stopped";
  /** The error that ended it, or null. */
  readonly error: string | null;
  /** The name of the signal that stopped it, or null. */
  readonly signal: string | null;
  /** How many shards there were. */
  readonly shards: number;
  /** Rows in their rollouts files; null when it ended before they were counted. */
  readonly rows: number | null;
  /** Of these, without a reward that is a number; null when it ended before they were counted. */
  readonly unscored: number | null;
  /** How long it took, in seconds. */
  readonly elapsedS: number;
  /** The metrics of each group; null when it ended before they were there. */
  readonly metrics: readonly GroupMetrics[] | null;
  readonly coverage: Coverage | null;
  /** Notes for the user. */
  readonly notes: readonly string[];
  /** The files that hold something now, by what that is. */
  readonly files: Readonly<Record<string, string>>;
}

/** What it needs from outside. */
export type AggregateTools = ScoreTools;

/** The default of `retry_window_s`. */
const RETRY_WINDOW_MS = 600_000;

/** Aggregates. @throws {UsageFault} when the shards or the configuration are wrong; nothing was touched */
export async function aggregate(plan: AggregatePlan, tools: AggregateTools): Promise<AggregateSummary> {
  const { files, clock, signal } = tools;
  const startedAt = clock.now();
  let scored: Scored | null = null, error: string | null = null;
  try {
    scored = await score({
      shards: plan.shards,
      paths: plan.paths,
      merged: plan.merge ? plan.paths : null,
      ...(plan.health ? { report: basename(plan.paths.qualitySummary) } : {}),
      scorers: plan.scorers,
      counting: plan.counting,
      missing: true,
      retryWindowMs: RETRY_WINDOW_MS,
    }, tools);
    error = scored.error ?? (plan.requireComplete ? shortfall(scored.coverage) : null);
  } catch (fault) {
    if (!(fault instanceof RunFault)) throw fault;
    error = fault.message;
  }
  const stopped = scored === null && signal.aborted;
  const named = {
    ...(plan.merge ? { rollouts: plan.paths.rollouts } : {}),
    aggregate_metrics: plan.paths.metrics,
  };
  return {
    ending: stopped ? "stopped" : error !== null ? "failed" : "complete",
    error: stopped ? null : error,
    signal: signal.aborted ? String(signal.reason) : null,
    shards: plan.shards.length,
    rows: scored?.rows ?? null,
    unscored: scored?.unscored ?? null,
    elapsedS: (clock.now() - startedAt) / 1000,
    metrics: scored?.metrics ?? null,
    coverage: scored?.coverage ?? null,
    notes: scored?.notes ?? [],
    files: Object.fromEntries(Object.entries(named).filter(([, path]) => (files.size(path) ?? 0) > 0)),
  };
}

/** The error under `require_complete`, or null. */
function shortfall({ expected, scored, counted, imputed }: Coverage): string | null {
  const missing = expected - (scored - counted - imputed);
  if (missing === 0) return null;
  return `${missing} of ${expected} rollouts are missing (require_complete). Continue the runs that lack them with --resume.`;
}
