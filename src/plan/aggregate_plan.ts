/** The plan of `rollcall aggregate`: everything that the collector needs to score shards, as plain data. */
import { hostPort, type Permissions } from "./run_plan.ts";
import { type RunPaths, runPaths } from "./paths.ts";
import type { Scorers } from "./scorers.ts";
import type { Config, ConnectionReuse } from "../config/config.ts";

/** The files of one run, whose rollouts are a shard. Absolute and canonical. */
export interface ShardPaths {
  /** One line a rollout. */
  readonly rollouts: string;
  /** Every rollout that was owed; need not be there. */
  readonly inputs: string;
  /** One line a failed attempt; need not be there. */
  readonly failures: string;
}

/** What counts in the metrics although it is in no rollouts file. Never written to one. */
export interface Counting {
  /** Failures whose last attempt is of one of these classes, as zero unless they brought a reward. */
  readonly classes: readonly string[];
  /** Rollouts that left neither a result nor a failure, as zero. */
  readonly missing: boolean;
}

/** How finished rollouts are checked. */
export interface HealthPlan {
  /** Checks that are left out. */
  readonly ignored: readonly string[];
}

/** What a configuration wants to count. */
export function countingOf(
  config: Pick<Config, "count_failure_classes_as_zero" | "count_missing_rollouts_as_zero">,
): Counting {
  return { classes: config.count_failure_classes_as_zero, missing: config.count_missing_rollouts_as_zero };
}

/** The files that scoring writes. */
export interface ScorePaths {
  /** What became of the rollouts. */
  readonly metrics: string;
  /** The metrics while they are being written. */
  readonly metricsNew: string;
  /** Where identities are sorted when the memory does not suffice; gone in the end. */
  readonly index: string;
}

/** The files that an aggregation writes. */
export interface AggregatePaths
  extends
    ScorePaths,
    Pick<RunPaths, "qualitySummary" | "qualitySummaryNew" | "verdicts" | "verdictsNew" | "findings"> {
  /** The folder they all lie in. */
  readonly folder: string;
  /** The rollouts of all shards. */
  readonly rollouts: string;
  /** The same while they are being merged. */
  readonly rolloutsNew: string;
  /** Who is writing this output. */
  readonly lock: string;
}

/** The files of a run that scoring writes. */
export function scorePaths({ metrics, metricsNew }: RunPaths): ScorePaths {
  return { metrics, metricsNew, index: `${metrics}.index` };
}

/** The files of an aggregation. `output` is absolute, its folder canonical. */
export function aggregatePaths(output: string): AggregatePaths {
  const paths = runPaths(output);
  const { folder, rollouts, lock, qualitySummary, qualitySummaryNew, verdicts, verdictsNew, findings } =
    paths;
  const reports = { qualitySummary, qualitySummaryNew, verdicts, verdictsNew, findings };
  return { folder, rollouts, rolloutsNew: `${rollouts}.new`, lock, ...scorePaths(paths), ...reports };
}

/** The files of a run as a shard. */
export function shardOf({ rollouts, inputs, failures }: ShardPaths): ShardPaths {
  return { rollouts, inputs, failures };
}

/** See the module's comment. */
export interface AggregatePlan {
  /** In the order in which they count: of an identity that is there twice the first stands. */
  readonly shards: readonly ShardPaths[];
  /** Names of the files that are written. */
  readonly paths: AggregatePaths;
  /** Whether the shards' rollouts are merged into `paths.rollouts`. */
  readonly merge: boolean;
  /** See {@link Scorers}; null when no server is to be asked and rollcall computes the metrics. */
  readonly scorers: Scorers | null;
  /** See {@link Counting}. */
  readonly counting: Counting;
  /** Whether a missing rollout makes the command fail. */
  readonly requireComplete: boolean;
  /** How the rollouts are checked after the metrics; null when they are not. */
  readonly health: HealthPlan | null;
  /** How the servers are reached. */
  readonly wire: {
    /** Whether connections are kept. */
    readonly reuse: ConnectionReuse;
    /** Proxy URL, or none. */
    readonly proxy: string | null;
    /** Further certificate authorities, PEM texts. */
    readonly authorities: readonly string[];
    /** Longest silence inside an answer, in milliseconds, or none. */
    readonly idleTimeoutMs: number | null;
    /** Largest answer that is taken, in bytes, or none. */
    readonly maxBytes: number | null;
  };
  /** What the collector may touch. */
  readonly permissions: Permissions;
}

/** The permissions of an aggregation: its servers, its shards to read, its own files to write. */
export function aggregatePermissions(
  { shards, paths, merge, scorers, wire, health }: Omit<AggregatePlan, "permissions">,
): Permissions {
  const hosts = (scorers?.routes ?? []).map((route) => hostPort(route.url));
  if (wire.proxy !== null && hosts.length > 0) hosts.push(hostPort(wire.proxy));
  const written = [
    ...(merge ? [paths.rollouts, paths.rolloutsNew] : []),
    paths.metrics,
    paths.metricsNew,
    paths.index,
    ...(health
      ? [paths.qualitySummary, paths.qualitySummaryNew, paths.verdicts, paths.verdictsNew, paths.findings]
      : []),
  ];
  const read = shards.flatMap(({ rollouts, inputs, failures }) => [rollouts, inputs, failures]);
  return { net: [...new Set(hosts)].sort(), read: [...new Set([...read, ...written])], write: written };
}
