/** A comparison of runs for programs. Pure. */
import type { AgentComparison, GateResult } from "../results/compare.ts";
import type { MetricComparison } from "../results/metric_comparison.ts";
import type { TaskEntry } from "../results/task_table.ts";
import type { ComparedCandidate, Comparison } from "./comparison_data.ts";

/** What `rollcall compare --json` prints. */
export function comparisonJson({ base, candidates, level, passAt, seed, notes }: Comparison) {
  return {
    base,
    level,
    pass_at: passAt ?? null,
    seed,
    notes,
    candidates: candidates.map(candidateJson),
    passed: candidates.every(({ gates }) => gates.every(({ fails }) => !fails)),
  };
}

function candidateJson({ run, agents, gates, differences }: ComparedCandidate) {
  return {
    ...run,
    manifests_differ: differences,
    agents: agents.map(agentJson),
    fail_below: gates.map(gateJson),
  };
}

function agentJson(
  { agent, candidateAgent, by, pairs, baseOnly, candidateOnly, metrics, flips }: AgentComparison,
) {
  return {
    agent,
    candidate_agent: candidateAgent,
    pairs,
    paired_by: by,
    base_only: baseOnly.map(named),
    candidate_only: candidateOnly.map(named),
    metrics: Object.fromEntries(metrics.map((metric) => [metric.name, metricJson(metric)])),
    flips,
  };
}

function metricJson(metric: MetricComparison) {
  const { base, candidate, difference, error, interval, level, pairs, differ, p, corrected, rough } = metric;
  return {
    base,
    candidate,
    difference,
    standard_error: error,
    interval,
    level,
    test: "paired t",
    pairs,
    differ,
    p,
    p_holm: corrected,
    sign_flip: metric.signFlip,
    mcnemar: metric.mcnemar,
    rough,
    power: metric.power,
  };
}

function gateJson({ metric, threshold, agent, fails, comparison }: GateResult) {
  return { metric, threshold, agent, fails, interval: comparison?.interval ?? null };
}

function named({ task, id }: TaskEntry) {
  return { task, id };
}
