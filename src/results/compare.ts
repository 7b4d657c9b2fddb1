/** Two runs, task by task: what changed, how sure that is, and which tasks changed sides. Pure. */
import { holm, levelFor, liesBelow } from "../statistics/paired.ts";
import { type MetricComparison, type MetricOptions, metricsOf } from "./metric_comparison.ts";
import { type PairedBy, type Pairs, pairTasks } from "./pair_tasks.ts";
import type { TaskEntry, TaskTable } from "./task_table.ts";

/** A task that changed sides. */
export interface Flip {
  readonly task: number;
  readonly id: string | null;
  readonly base: number;
  readonly candidate: number;
}

/** Tasks of which more than half of the rollouts pass in one run, and half or fewer in the other. */
export interface Flips {
  readonly lost: readonly Flip[];
  readonly won: readonly Flip[];
}

/** One agent of the base against one of a candidate. */
export interface AgentComparison {
  readonly agent: string;
  /** The candidate's. */
  readonly candidateAgent: string;
  readonly by: Readonly<Record<PairedBy, number>>;
  readonly pairs: number;
  readonly baseOnly: readonly TaskEntry[];
  readonly candidateOnly: readonly TaskEntry[];
  readonly metrics: readonly MetricComparison[];
  /** Null where it is unknown what a pass is. */
  readonly flips: Flips | null;
}

export interface CompareOptions extends MetricOptions {
  /** Whether base and candidate are over the same input file. */
  readonly sameInput: boolean;
}

/** The level of each interval when so many candidates are compared at once. */
export const levelOf: (candidates: number) => number = levelFor;

/** Agents of one name are compared; where either run has a single one, these two, whatever their names. */
export function compareRuns(
  base: TaskTable,
  candidate: TaskTable,
  options: CompareOptions,
): AgentComparison[] {
  const ours = placesByAgent(base.tasks), theirs = placesByAgent(candidate.tasks);
  const both: [string, string][] = ours.size === 1 && theirs.size === 1
    ? [[[...ours.keys()][0]!, [...theirs.keys()][0]!]]
    : [...new Set([...ours.keys(), ...theirs.keys()])].sort().map((agent) => [agent, agent]);
  return both.map(([agent, candidateAgent]) => {
    const places = ours.get(agent) ?? [], others = theirs.get(candidateAgent) ?? [];
    const paired = pairTasks(
      { tasks: base.tasks, places },
      { tasks: candidate.tasks, places: others },
      options.sameInput,
    );
    return {
      agent,
      candidateAgent,
      by: paired.by,
      pairs: paired.pairs.length,
      baseOnly: paired.baseOnly.map((place) => base.tasks[place]!),
      candidateOnly: paired.candidateOnly.map((place) => candidate.tasks[place]!),
      metrics: metricsOf(base, candidate, paired, options),
      flips: flipsOf(base, candidate, paired),
    };
  });
}

/** With p-values corrected for the number of candidates, metric by metric. */
export function corrected(all: readonly (readonly AgentComparison[])[]): AgentComparison[][] {
  const tests = new Map<string, { readonly p: number; readonly at: string }[]>();
  const keyOf = (agent: AgentComparison, metric: MetricComparison) =>
    JSON.stringify([agent.agent, metric.name]);
  all.forEach((agents, run) => {
    for (const agent of agents) {
      for (const metric of agent.metrics) {
        if (metric.p === null) continue;
        const key = keyOf(agent, metric), group = tests.get(key) ?? [];
        group.push({ p: metric.p, at: `${run} ${key}` });
        tests.set(key, group);
      }
    }
  });
  const values = new Map<string, number>();
  for (const group of tests.values()) {
    const adjusted = holm(group.map(({ p }) => p));
    group.forEach(({ at }, k) => values.set(at, adjusted[k]!));
  }
  return all.map((agents, run) =>
    agents.map((agent) => ({
      ...agent,
      metrics: agent.metrics.map((metric) => ({
        ...metric,
        corrected: values.get(`${run} ${keyOf(agent, metric)}`) ?? null,
      })),
    }))
  );
}

/** A limit that a difference must not lie below. */
export interface Gate {
  readonly metric: string;
  readonly threshold: number;
}

/** What a gate says of one agent of a candidate. */
export interface GateResult extends Gate {
  readonly agent: string;
  readonly fails: boolean;
  /** Null where there is no such metric to compare. */
  readonly comparison: MetricComparison | null;
}

export function gateResults(agents: readonly AgentComparison[], gates: readonly Gate[]): GateResult[] {
  return gates.flatMap((gate) =>
    agents.map((agent) => {
      const comparison = agent.metrics.find(({ name }) => name === gate.metric) ?? null;
      return {
        ...gate,
        agent: agent.agent,
        comparison,
        fails: comparison !== null && liesBelow(comparison, gate.threshold),
      };
    })
  );
}

function placesByAgent(tasks: readonly TaskEntry[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  tasks.forEach(({ agent }, place) => {
    const group = places.get(agent);
    if (group) group.push(place);
    else places.set(agent, [place]);
  });
  return places;
}

function flipsOf(base: TaskTable, candidate: TaskTable, { pairs }: Pairs): Flips | null {
  const lost: Flip[] = [], won: Flip[] = [];
  for (const [one, other] of pairs) {
    const from = base.tasks[one]!, to = candidate.tasks[other]!;
    if (from.rewards === 0 || to.rewards === 0) continue;
    if (from.passed === null || to.passed === null) return null;
    const a = from.passed / from.rewards, b = to.passed / to.rewards;
    const flip = { task: from.task, id: from.id, base: a, candidate: b };
    if (a > 0.5 && b <= 0.5) lost.push(flip);
    else if (a <= 0.5 && b > 0.5) won.push(flip);
  }
  const farthest = (x: Flip, y: Flip) =>
    Math.abs(y.candidate - y.base) - Math.abs(x.candidate - x.base) || x.task - y.task;
  return { lost: lost.sort(farthest), won: won.sort(farthest) };
}
