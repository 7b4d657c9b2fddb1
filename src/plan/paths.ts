/** The names of every file that a run may create. All derive from the output's, and are Gym's where Gym has the file. */
import { basename, dirname, extname, join } from "node:path";
import { type Shard, shardSuffix } from "../kit/shard.ts";

/** Absolute paths of everything that a run reads or writes. */
export interface RunPaths {
  /** The folder of all of them. */
  readonly folder: string;
  /** One line per rollout. */
  readonly rollouts: string;
  /** The rollouts of the run before. */
  readonly rolloutsOld: string;
  /** One line per failed attempt. */
  readonly failures: string;
  /** The sidecar of the run before. */
  readonly failuresOld: string;
  /** Every planned rollout. */
  readonly inputs: string;
  /** The inputs while they are being written. */
  readonly inputsNew: string;
  /** The inputs in the order of the tasks, until they are reordered in rounds; removed after that. */
  readonly inputsUnordered: string;
  /** The rollouts while lines are being removed from them. */
  readonly rolloutsNew: string;
  /** The sidecar while lines are being removed from it. */
  readonly failuresNew: string;
  /** Lines of rollouts and sidecar that were set aside, as they were. */
  readonly quarantine: string;
  /** What the rollouts were planned from, and the runs that collected them. */
  readonly manifest: string;
  /** The manifest while it is being written. */
  readonly manifestNew: string;
  /** The servers' metrics. */
  readonly metrics: string;
  /** The metrics while they are being written. */
  readonly metricsNew: string;
  /** Where identities are sorted if they do not fit in memory; removed at the end. */
  readonly metricsIndex: string;
  /** The summary of the health checks. One per folder, as in Gym: that of the last run that was checked. */
  readonly qualitySummary: string;
  /** The summary while it is being written. */
  readonly qualitySummaryNew: string;
  /** The verdict on each rollout; also one file per folder. */
  readonly verdicts: string;
  /** The verdicts while they are being written. */
  readonly verdictsNew: string;
  /** Findings of the health checks until they are sorted; removed at the end. */
  readonly findings: string;
  /** Where verdicts are sorted if they do not fit in memory; removed at the end. */
  readonly verdictsIndex: string;
  /** The lock: who is collecting into this output. */
  readonly lock: string;
}

/** Files that exist only while others are being written. Leftovers of a run that ended can be removed. */
export function temporaryFiles(
  { inputsNew, inputsUnordered, manifestNew, rolloutsNew, failuresNew }: RunPaths,
): string[] {
  return [inputsNew, inputsUnordered, manifestNew, rolloutsNew, failuresNew];
}

/** The same paths, with health reports for this output alone. */
export function withOwnReports(paths: RunPaths): RunPaths {
  return {
    ...paths,
    qualitySummary: paths.qualitySummaryNew.replace(/\.new$/, ""),
    verdicts: paths.verdictsNew.replace(/\.new$/, ""),
  };
}

/** The output of a shard of a run into `output`: `a.jsonl` becomes `a-shard-0003-of-0064.jsonl`. What is not a file's name stays. */
export function shardOutput(output: string, shard: Shard): string {
  if (output === "-" || /[/\\]$/.test(output)) return output;
  const ending = extname(output);
  return output.slice(0, output.length - ending.length) + shardSuffix(shard) + ending;
}

/** The files of an output. `output` is absolute, its folder canonical. */
export function runPaths(output: string): RunPaths {
  const folder = dirname(output);
  const stem = basename(output, extname(output));
  const beside = (ending: string) => join(folder, stem + ending);
  return {
    folder,
    rollouts: output,
    rolloutsOld: `${output}.old`,
    failures: beside("_failures.jsonl"),
    failuresOld: beside("_failures.jsonl.old"),
    inputs: beside("_materialized_inputs.jsonl"),
    inputsNew: beside("_materialized_inputs.jsonl.new"),
    inputsUnordered: beside("_materialized_inputs.jsonl.new.unordered"),
    rolloutsNew: `${output}.new`,
    failuresNew: beside("_failures.jsonl.new"),
    quarantine: beside("_quarantine.jsonl"),
    manifest: beside("_manifest.json"),
    manifestNew: beside("_manifest.json.new"),
    metrics: beside("_aggregate_metrics.json"),
    metricsNew: beside("_aggregate_metrics.json.new"),
    metricsIndex: beside("_aggregate_metrics.json.index"),
    qualitySummary: join(folder, "quality_summary.json"),
    qualitySummaryNew: beside("_quality_summary.json.new"),
    verdicts: join(folder, "rollout_verdicts.jsonl"),
    verdictsNew: beside("_rollout_verdicts.jsonl.new"),
    findings: beside("_health_findings.jsonl.new"),
    verdictsIndex: beside("_rollout_verdicts.jsonl.index"),
    lock: beside(".lock"),
  };
}
