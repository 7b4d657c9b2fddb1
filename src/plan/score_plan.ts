/** What scoring and checking finished runs needs to know, as plain data: part of the plan of a run and of an aggregation. */
import type { Config } from "../config/config.ts";
import type { RunPaths } from "./paths.ts";

/** The files of one run, whose rollouts are a shard; only the rollouts have to be there. */
export type ShardPaths = Pick<RunPaths, "rollouts" | "inputs" | "failures">;

/** What the metrics count besides planned results. Does not change rollouts files. */
export interface Counting {
  /** Failures whose last attempt is of one of these classes: as zero, unless they have a reward. */
  readonly classes: readonly string[];
  /** Rollouts with neither a result nor a failure: as zero. */
  readonly missing: boolean;
  /** Results that are not in the materialized inputs next to them. */
  readonly unplanned: boolean;
}

/** How finished rollouts are checked. */
export interface HealthPlan {
  /** Checks to skip. */
  readonly ignored: readonly string[];
}

/** What a configuration counts. */
export function countingOf(
  config: Pick<
    Config,
    "count_failure_classes_as_zero" | "count_missing_rollouts_as_zero" | "score_unplanned"
  >,
): Counting {
  return {
    classes: config.count_failure_classes_as_zero,
    missing: config.count_missing_rollouts_as_zero,
    unplanned: config.score_unplanned,
  };
}

/** The files that scoring writes. */
export type ScorePaths = Pick<RunPaths, "metrics" | "metricsNew" | "metricsIndex">;

/** The files of a run as a shard. */
export function shardOf({ rollouts, inputs, failures }: ShardPaths): ShardPaths {
  return { rollouts, inputs, failures };
}
