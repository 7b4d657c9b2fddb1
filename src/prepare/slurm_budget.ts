/** What is left of the Slurm job that a run is in, as the run's budget. */
import type { Config } from "../config/config.ts";
import type { Env } from "../ports/env.ts";
import { duration } from "../kit/phrases.ts";
import type { World } from "../ports/world.ts";

/** A Slurm job, from its environment. */
export interface SlurmJob {
  /** What `squeue` finds this one job by, also where it is part of an array. */
  readonly id: string;
  /** When it ends, in seconds since 1970; undefined where older versions of Slurm do not say. */
  readonly end: number | undefined;
}

/** The budget of a run in a Slurm job. */
export interface SlurmBudget {
  /** Seconds from now on, at least 0; null for none. */
  readonly seconds: number | null;
  /** A line for the user. */
  readonly note: string;
}

/** The job described by the environment, if any. */
export function slurmJob(env: Env): SlurmJob | undefined {
  const number = (name: string) => /^\d+$/.exec(env(name) ?? "")?.[0];
  const job = number("SLURM_JOB_ID");
  if (job === undefined) return undefined;
  const array = number("SLURM_ARRAY_JOB_ID"), task = number("SLURM_ARRAY_TASK_ID");
  const end = number("SLURM_JOB_END_TIME");
  return {
    // The last task of an array has the array's own id, by which squeue finds all of them.
    id: array !== undefined && task !== undefined ? `${array}_${task}` : job,
    end: Number(end) > 0 ? Number(end) : undefined,
  };
}

/**
 * The budget that a Slurm job leaves a run: nothing starts later than `teardown_s` before the job's end. Undefined
 * where a budget was given, in no job, and where it is switched off. A budget needs `num_samples_in_parallel`: without
 * that everything starts at once, so there is none, and the line says so.
 */
export async function slurmBudget(
  config: Pick<
    Config,
    "dispatch_budget_s" | "num_samples_in_parallel" | "teardown_s" | "disable_slurm_budget"
  >,
  { env, clock, squeue }: Pick<World, "env" | "clock" | "squeue">,
): Promise<SlurmBudget | undefined> {
  if (config.dispatch_budget_s !== null || config.disable_slurm_budget) return undefined;
  const job = slurmJob(env);
  if (!job) return undefined;
  const none = (why: string) => ({
    seconds: null,
    note: `In Slurm job ${job.id}, but without a budget: ${why}.`,
  });
  if (config.num_samples_in_parallel === null) {
    return none("that needs num_samples_in_parallel (--concurrency)");
  }
  let end;
  try {
    end = job.end ?? endOf(await squeue(job.id));
  } catch (error) {
    return none(
      `when the job ends is not known (${(error as Error).message}); set one with --dispatch-budget`,
    );
  }
  const left = end - clock.date().getTime() / 1000;
  const seconds = Math.max(0, Math.floor(left - config.teardown_s));
  const when = left > 0 ? `ends in ${duration(left)}` : "should have ended by now";
  const what = seconds > 0
    ? `nothing starts after ${duration(seconds)}`
    : "that is too late to start anything";
  return {
    seconds,
    note: `Slurm job ${job.id} ${when}: ${what} (--teardown ${config.teardown_s}; ` +
      `--no-slurm-budget switches this off).`,
  };
}

/** The end out of what `squeue` printed. @throws {Error} when it is not a time, as for a job without a limit */
function endOf(printed: string): number {
  const text = printed.trim();
  if (/^\d+$/.test(text)) return Number(text);
  throw new Error(text === "" ? "squeue does not know the job" : `squeue printed ${JSON.stringify(text)}`);
}
