/** The plan of `rollcall aggregate`: everything that the collector needs to score shards, as plain data. */
import type { Permissions } from "../ports/sandbox.ts";
import type { RunPaths } from "./paths.ts";
import type { Counting, HealthPlan, ShardPaths } from "./score_plan.ts";
import type { Scorers } from "./scorers.ts";
import type { ConnectionReuse } from "../config/config.ts";

export interface AggregatePlan {
  /** In the order in which they count: of an identity that is there twice the first stands. */
  readonly shards: readonly ShardPaths[];
  /** Names of the files that are written. */
  readonly paths: RunPaths;
  /** Whether the shards' rollouts are merged into `paths.rollouts`. */
  readonly merge: boolean;
  readonly scorers: Scorers | null;
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
