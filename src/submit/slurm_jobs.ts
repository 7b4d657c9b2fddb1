/** A run in shards as two Slurm jobs: an array that collects, and a job behind it that aggregates. */
import { commandLines, shellWord } from "./shell.ts";
import { shardArguments, type ShardedRun, WORK_LEFT } from "./sharded_run.ts";

/** What Slurm needs to know on top. */
export interface SlurmOptions {
  /** The time limit of a task of the array. */
  readonly time: string;
  /** Where logs go: a path without its ending. */
  readonly log: string;
  /** Further options of both jobs, as `partition=debug`. */
  readonly sbatch: readonly string[];
}

/** Seconds between the end of the grace period and the limit. */
const SPARE_S = 15;
/** How often a task whose collector was killed is started again. */
const RESTARTS = 5;

/** The seconds of a time limit as Slurm takes it (`90` minutes, `4:00:00`, `1-12`); undefined when it is not one. */
export function limitSeconds(time: string): number | undefined {
  const found = /^(?:(\d+)-)?(\d+)(?::(\d{1,2}))?(?::(\d{1,2}))?$/.exec(time);
  if (!found) return undefined;
  const [days, first, second, third] = found.slice(1).map((text) => Number(text ?? 0)) as [
    number,
    number,
    number,
    number,
  ];
  const [hours, minutes, seconds] = found[1] !== undefined || found[4] !== undefined
    ? [first, second, third]
    : [0, first, second];
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
}

/** Seconds before its limit at which Slurm sends SIGTERM to a job whose rollouts get so long to finish. */
export function signalledBefore(graceS: number): number {
  return Math.ceil(graceS) + SPARE_S;
}

/** The job script of the array. */
export function collectJob(run: ShardedRun, { time, log, sbatch }: SlurmOptions): string {
  const { program, shards, atOnce, name, graceS } = run, before = signalledBefore(graceS);
  return `#!/bin/bash
# ${shards} shards of one run, each a task of this array.
${
    directives([
      `job-name=${name}`,
      `array=0-${shards - 1}${atOnce === null ? "" : `%${atOnce}`}`,
      `time=${time}`,
      `output=${log}-%A_%a.log`,
      "open-mode=append",
      "requeue",
      `signal=B:TERM@${before}`,
      ...sbatch,
    ])
  }

# ${before} s before the limit Slurm sends SIGTERM to this script: rollouts in flight get ${graceS} s to finish.
# A signal also ends "wait", which is then called again.
trap 'signalled=yes; kill -TERM $! 2>/dev/null' TERM

# --shard auto: the shard of this task. --resume: a task that is started again continues where it was.
${commandLines([program, ...shardArguments(run, "auto")])} &
while signalled=; wait $!; code=$?; [ -n "$signalled" ]; do :; done

# ${WORK_LEFT}: work is left. Above 128: the collector was killed; that may happen every time, so not without end.
if [ "$code" = ${WORK_LEFT} ] || { [ "$code" -gt 128 ] && [ "\${SLURM_RESTART_COUNT:-0}" -lt ${RESTARTS} ]; }; then
  scontrol requeue "\${SLURM_ARRAY_JOB_ID}_\${SLURM_ARRAY_TASK_ID}"
fi
exit "$code"
`;
}

/** The job script that aggregates once every task of the array has ended. */
export function aggregateJob(
  { program, name, aggregate }: ShardedRun,
  { log, sbatch }: SlurmOptions,
): string {
  return `#!/bin/bash
# Metrics, health checks and one file of rollouts, over all shards.
${directives([`job-name=${name}-aggregate`, `output=${log}-aggregate-%j.log`, "open-mode=append", ...sbatch])}

exec ${commandLines([program, ...aggregate])}
`;
}

/** The option of `sbatch` by which the second job waits for the array, whatever became of its tasks. */
export function afterArray(job: string): string {
  return `--dependency=afterany:${job}`;
}

/** Both jobs and how they are submitted, as one script for a shell. */
export function submission(run: ShardedRun, options: SlurmOptions, folder: string): string {
  return `#!/bin/bash
# Submits both jobs. Written by rollcall submit slurm.
set -eu
mkdir -p ${shellWord(folder)}

array=$(sbatch --parsable <<'JOB'
${collectJob(run, options)}JOB
)
array=\${array%%;*} # without the cluster's name

sbatch ${afterArray('"$array"')} <<'JOB'
${aggregateJob(run, options)}JOB
`;
}

function directives(options: readonly string[]): string {
  return options.map((option) => {
    const [name, value] = [option.replace(/=.*/s, ""), /=(.*)/s.exec(option)?.[1]];
    return `#SBATCH --${name}${value === undefined ? "" : `=${quoted(value)}`}`;
  }).join("\n");
}

/** A value in a directive, which sbatch splits at spaces. */
function quoted(value: string): string {
  return /^[^\s"'\\#]*$/.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`;
}
