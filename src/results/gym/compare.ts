/** What Gym's `eval compare` says of two runs, out of their aggregate metrics. Pure. */
import { UsageFault } from "../../kit/fault.ts";
import { suggestion } from "../../kit/nearest.ts";
import { flipSummary } from "./flips.ts";
import { metricRows } from "./metrics.ts";
import type { GymAgentComparison, GymMetricRow } from "./report.ts";
import { type GymRun, type Json, type Run, runOf } from "./run.ts";

/** Which agents are to be compared. */
export interface GymSelection {
  /** On both sides. */
  readonly agent?: string | undefined;
  readonly baselineAgent?: string | undefined;
  readonly candidateAgent?: string | undefined;
}

/** The comparisons, what was left out, and why. */
export interface GymCompared {
  readonly comparisons: readonly GymAgentComparison[];
  readonly skipped: Readonly<Record<string, readonly string[]>>;
  readonly warnings: readonly string[];
}

/** @throws {UsageFault} when no agent is in both, or one that is named is not there */
export function compareAsGym(baseline: GymRun, candidate: GymRun, selection: GymSelection): GymCompared {
  const { agent, baselineAgent, candidateAgent } = selection;
  const both = (ours: string, theirs: string) =>
    compareAgents(
      runOf(require(baseline, ours), ours),
      runOf(require(candidate, theirs), theirs),
    );
  if (baselineAgent !== undefined || candidateAgent !== undefined) {
    const ours = baselineAgent ?? agent ?? soleAgent(baseline),
      theirs = candidateAgent ?? agent ?? soleAgent(candidate);
    return { comparisons: [both(ours, theirs)], skipped: {}, warnings: [] };
  }
  if (agent !== undefined) return { comparisons: [both(agent, agent)], skipped: {}, warnings: [] };
  const matched = [...baseline.entries.keys()].filter((name) => candidate.entries.has(name)).sort(
    compareCodePoints,
  );
  if (matched.length === 0) {
    throw new UsageFault(
      `No agent is in both runs. The baseline has ${names(baseline)}, the candidate ${names(candidate)}. ` +
        `--baseline-agent and --candidate-agents choose one on each side.`,
    );
  }
  const skipped: Record<string, string[]> = {}, warnings: string[] = [];
  for (const [label, run] of [["baseline", baseline], ["candidate[0]", candidate]] as const) {
    const extras = [...run.entries.keys()].filter((name) => !matched.includes(name)).sort(compareCodePoints);
    if (extras.length === 0) continue;
    skipped[label] = extras;
    warnings.push(`Agent(s) ${extras.join(", ")} are present only in ${label} and were not compared.`);
  }
  return { comparisons: matched.map((name) => both(name, name)), skipped, warnings };
}

function names({ entries }: GymRun): string {
  return [...entries.keys()].join(", ");
}

function soleAgent(run: GymRun): string {
  const [first, ...more] = run.entries.keys();
  if (more.length === 0) return first!;
  throw new UsageFault(
    `${run.file.aggregate_metrics_fpath} has several agents: ${names(run)}. --agent, --baseline-agent and ` +
      `--candidate-agents choose one.`,
  );
}

function require(run: GymRun, agent: string): Json {
  const entry = run.entries.get(agent);
  if (entry) return entry;
  throw new UsageFault(
    `${run.file.aggregate_metrics_fpath} has no agent ${agent}${suggestion(agent, run.entries.keys())}. ` +
      `It has ${names(run)}.`,
  );
}

function compareAgents(baseline: Run, candidate: Run): GymAgentComparison {
  const metrics = metricRows(baseline, candidate);
  if (!metrics.some((row) => row.baseline !== null && row.candidates[0] !== null)) {
    const some = (rows: readonly GymMetricRow[]) =>
      rows.map((row) => row.metric).sort().slice(0, 5).join(", ") || "none";
    throw new UsageFault(
      `The runs have no metric of the same name. Only the baseline has ${
        some(metrics.filter((row) => row.baseline !== null))
      }; only the candidate ${
        some(metrics.filter((row) => row.baseline === null))
      }. The names of pass@k have the number ` +
        `of repeats in them.`,
    );
  }
  const notes: string[] = [];
  if (
    baseline.repeatCount !== null && candidate.repeatCount !== null &&
    candidate.repeatCount !== baseline.repeatCount
  ) {
    notes.push(
      `Repeat counts differ (baseline ${baseline.repeatCount}, candidate ${candidate.repeatCount}). Metric names that ` +
        `embed k (e.g. pass@1[avg-of-k]) will not line up across the runs.`,
    );
  }
  if (!baseline.hasIntervals && !candidate.hasIntervals) {
    notes.push(
      "Neither run recorded per-run cross-repeat confidence intervals, so every baseline/candidate CI cell is empty. " +
        "They are written for repeat-aggregated metrics when a run has 2 or more repeats.",
    );
  }
  const oneSided = metrics.filter(({ present_in }) => present_in.length < 2).length;
  if (oneSided > 0) notes.push(`${oneSided} metric(s) were reported by only one of the runs.`);
  return {
    baseline_agent: baseline.agent,
    candidate_agents: [candidate.agent],
    baseline_task_count: baseline.groups.length,
    candidate_task_counts: [candidate.groups.length],
    baseline_repeat_count: baseline.repeatCount,
    candidate_repeat_counts: [candidate.repeatCount],
    metrics,
    flips: [flipSummary(baseline, candidate)],
    notes,
  };
}

function compareCodePoints(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
