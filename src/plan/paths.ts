/** The names of a run's files, every one that it may make. All derive from the output's, and are Gym's where Gym has the file. */
import { basename, dirname, extname, join } from "node:path";

/** Absolute paths of everything that a run reads or writes. */
export interface RunPaths {
  /** The folder they all lie in. */
  readonly folder: string;
  /** One line a rollout. */
  readonly rollouts: string;
  /** The rollouts of the run before. */
  readonly rolloutsOld: string;
  /** One line a failed attempt. */
  readonly failures: string;
  /** The sidecar of the run before. */
  readonly failuresOld: string;
  /** Every rollout that is owed. */
  readonly inputs: string;
  /** The inputs while they are being made. */
  readonly inputsNew: string;
  /** The inputs in the order of the tasks, until they are put in rounds; gone once they are. */
  readonly inputsUnordered: string;
  /** The rollouts while lines are being taken out of them. */
  readonly rolloutsNew: string;
  /** The sidecar while lines are being taken out of it. */
  readonly failuresNew: string;
  /** Lines of rollouts and sidecar that were set aside, as they were. */
  readonly quarantine: string;
  /** From what the rollouts were planned, and the runs that collected them. */
  readonly manifest: string;
  /** The manifest while it is being made. */
  readonly manifestNew: string;
  /** What the servers made of the rollouts. */
  readonly metrics: string;
  /** The metrics while they are being written. */
  readonly metricsNew: string;
  /** Where identities are sorted when the memory does not suffice; gone in the end. */
  readonly metricsIndex: string;
  /** What the health checks found, summed up. Of the whole folder, as Gym has it: the last run's that was checked. */
  readonly qualitySummary: string;
  /** The same while it is being written. */
  readonly qualitySummaryNew: string;
  /** What the health checks say of each rollout; likewise of the whole folder. */
  readonly verdicts: string;
  /** The same while they are being written. */
  readonly verdictsNew: string;
  /** Findings of the health checks until they are in their order; gone in the end. */
  readonly findings: string;
  /** Who is collecting into this output. */
  readonly lock: string;
}

/** Files that exist only while others are being made. What a run that ended has left of them can go. */
export function temporaryFiles(
  { inputsNew, inputsUnordered, manifestNew, rolloutsNew, failuresNew }: RunPaths,
): string[] {
  return [inputsNew, inputsUnordered, manifestNew, rolloutsNew, failuresNew];
}

/** The same paths, with reports of the health checks that are this output's alone. */
export function withOwnReports(paths: RunPaths): RunPaths {
  return {
    ...paths,
    qualitySummary: paths.qualitySummaryNew.replace(/\.new$/, ""),
    verdicts: paths.verdictsNew.replace(/\.new$/, ""),
  };
}

/** The files beside an output. `output` is absolute, its folder canonical. */
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
    lock: beside(".lock"),
  };
}
