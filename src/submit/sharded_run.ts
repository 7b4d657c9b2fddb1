/** A run that is handed to a cluster in shards, as plain data. */

export interface ShardedRun {
  /** How rollcall is called there. */
  readonly program: string;
  readonly shards: number;
  /** How many of them may run at once, or null. */
  readonly atOnce: number | null;
  /** The name of its jobs. */
  readonly name: string;
  /** The arguments of `rollcall`, without shard, resume and exit code. */
  readonly collect: readonly string[];
  /** The arguments of `rollcall` that aggregate the shards afterwards. */
  readonly aggregate: readonly string[];
  /** Seconds that rollouts in flight get after SIGTERM. */
  readonly graceS: number;
}

/** The exit code by which a collector says that work is left for another one. */
export const WORK_LEFT = 75;

/** The arguments of a shard's collector. */
export function shardArguments({ collect }: ShardedRun, shard: string): string[] {
  return [...collect, "--shard", shard, "--resume", "--drain-exit-code", String(WORK_LEFT)];
}
