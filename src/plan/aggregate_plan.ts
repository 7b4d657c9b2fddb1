/** The plan of `rollcall aggregate`: everything that the collector needs to score shards, as plain data. */
import type { Permissions } from "../ports/sandbox.ts";
import type { RunPaths } from "./paths.ts";
import type { Counting, HealthPlan, ShardPaths } from "./score_plan.ts";
import type { Scorers } from "./scorers.ts";
import type { ConnectionReuse } from "../config/config.ts";

export interface AggregatePlan {
  /** In order of precedence: of two rows with one identity the first counts. */
  readonly shards: readonly ShardPaths[];
  /** Names of the files that are written. */
  readonly paths: RunPaths;
  /** Whether the shards' rollouts are merged into `paths.rollouts`. */
  readonly merge: boolean;
  readonly scorers: Scorers | null;
  readonly counting: Counting;
  /** Whether a missing rollout makes the command fail. */
  readonly requireComplete: boolean;
  /** How the rollouts are checked after the metrics; null for no checks. */
  readonly health: HealthPlan | null;
  /** How the servers are reached. */
  readonly wire: {
    /** Whether connections are kept. */
    readonly reuse: ConnectionReuse;
    /** Proxy URL, or none. */
    readonly proxy: string | null;
    /** Additional certificate authorities, in PEM. */
    readonly authorities: readonly string[];
    /** Longest silence within a response, in milliseconds, or none. */
    readonly idleTimeoutMs: number | null;
    /** Maximum size of a response, in bytes, or none. */
    readonly maxBytes: number | null;
  };
  /** What the collector may touch. */
  readonly permissions: Permissions;
}
