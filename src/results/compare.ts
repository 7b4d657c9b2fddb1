/** Two runs, task by task: what changed, how sure that is, and which tasks changed sides. Pure. */
import {
  holm,
  liesBelow,
  mcnemarExact,
  type PairedDifference,
  pairedDifference,
  signFlip,
} from "../statistics/paired.ts";
import { passAtK } from "../statistics/pass_curve.ts";
import { components, Noise, smallestVisible, tasksNeeded } from "../statistics/power.ts";
import { ROUGH_BELOW } from "../statistics/task_mean.ts";
import { type PairedBy, type Pairs, pairTasks } from "./pair_tasks.ts";
import type { MetricColumn, TaskEntry, TaskTable } from "./task_table.ts";

/** One metric over the tasks that both runs have. */
export interface MetricComparison extends PairedDifference {
  /** `mean/reward`, `mean/<member>`, `pass@1`, `pass@k`. */
  readonly name: string;
  /** Means over the paired tasks, each with the same weight. */
  readonly base: number;
  readonly candidate: number;
  /** Pairs whose values differ. */
  readonly differ: number;
  /** Of the interval. */
  readonly level: number;
  /** `p`, corrected for the number of candidates (Holm). */
  readonly corrected: number | null;
  /** With fewer than 20 pairs: random signs. */
  readonly signFlip: { readonly p: number; readonly exact: boolean } | null;
  /** Where each task has one reward of 0 or 1 in either run: tasks that were lost, and won. */
  readonly mcnemar: { readonly p: number; readonly lost: number; readonly won: number } | null;
  readonly rough: boolean;
  readonly power: Power | null;
}

/** What it takes to see a difference, 80 times of 100. */
export interface Power {
  /** A hundredth of the scale: 0.01 for what lies between 0 and 1, else of the base's mean. */
  readonly delta: number;
  /** How many tasks it takes to see that, with as many rollouts each. */
  readonly tasks: number;
  /** The smallest difference that these tasks show. */
  readonly smallest: number;
  /** The part of the variance that more rollouts a task would make smaller; null where it is unknown. */
  readonly noise: number | null;
}

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

export interface CompareOptions {
  /** Whether base and candidate are over the same input file. */
  readonly sameInput: boolean;
  /** Of all intervals: 0.95, more with several candidates. */
  readonly level: number;
  /** Whether `passAt` was given: then passes are a metric of their own beside the rewards. */
  readonly withPasses: boolean;
  /** Decides draws of signs. */
  readonly seed: number;
}

/** With fewer pairs the sign-flip test is shown too. */
const FEW_PAIRS = 20;

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

function metricsOf(
  base: TaskTable,
  candidate: TaskTable,
  { pairs }: Pairs,
  options: CompareOptions,
): MetricComparison[] {
  const names = [...base.columns.keys()].filter((name) => candidate.columns.has(name));
  const means = (names: readonly string[]) =>
    names.map((name) =>
      compareColumns(`mean/${name}`, base.columns.get(name)!, candidate.columns.get(name)!, pairs, options)
    );
  return [
    ...means(names.filter((name) => name === "reward")),
    ...passes(base, candidate, pairs, options),
    ...means(names.filter((name) => name !== "reward").sort()),
  ].filter(({ pairs }) => pairs > 0);
}

function compareColumns(
  name: string,
  base: MetricColumn,
  candidate: MetricColumn,
  pairs: Pairs["pairs"],
  options: CompareOptions,
): MetricComparison {
  const from: number[] = [], to: number[] = [], noise = [new Noise(), new Noise()] as const;
  let isSingle = true;
  for (const [one, other] of pairs) {
    const a = base.means[one]!, b = candidate.means[other]!;
    if (Number.isNaN(a) || Number.isNaN(b)) continue;
    from.push(a);
    to.push(b);
    noise[0].add(base.counts[one]!, base.variances[one]!);
    noise[1].add(candidate.counts[other]!, candidate.variances[other]!);
    isSingle &&= base.counts[one] === 1 && candidate.counts[other] === 1;
  }
  return comparison(name, from, to, { isSingle, noise, ...options });
}

/** pass@1 where it is not the reward, and pass@k of the most rollouts that every paired task has. */
function passes(
  base: TaskTable,
  candidate: TaskTable,
  pairs: Pairs["pairs"],
  options: CompareOptions,
): MetricComparison[] {
  const tasks = pairs.map(([one, other]) => [base.tasks[one]!, candidate.tasks[other]!] as const)
    .filter(([one, other]) => one.rewards > 0 && other.rewards > 0);
  if (tasks.some((pair) => pair.some(({ passed }) => passed === null))) return [];
  let most = Infinity;
  for (const pair of tasks) for (const { rewards } of pair) most = Math.min(most, rewards);
  const ks = [...(options.withPasses ? [1] : []), ...(most > 1 && most < Infinity ? [most] : [])];
  return ks.map((k) => {
    const at = ({ rewards, passed }: TaskEntry) => passAtK(rewards, passed!, k);
    const isSingle = k === 1 && tasks.every((pair) => pair.every(({ rewards }) => rewards === 1));
    return comparison(`pass@${k}`, tasks.map(([one]) => at(one)), tasks.map(([, other]) => at(other)), {
      isSingle,
      noise: [new Noise(), new Noise()],
      ...options,
    });
  });
}

function comparison(
  name: string,
  from: readonly number[],
  to: readonly number[],
  { isSingle, noise, level, seed }: CompareOptions & {
    readonly isSingle: boolean;
    readonly noise: readonly [Noise, Noise];
  },
): MetricComparison {
  const differences = to.map((value, k) => value - from[k]!);
  const paired = pairedDifference(differences, level);
  const isBinary = from.every((value, k) => (value === 0 || value === 1) && (to[k] === 0 || to[k] === 1));
  const lost = differences.filter((d) => d < 0).length, won = differences.filter((d) => d > 0).length;
  const base = meanOf(from);
  return {
    ...paired,
    name,
    base,
    candidate: meanOf(to),
    differ: lost + won,
    level,
    corrected: paired.p,
    signFlip: paired.pairs >= 2 && paired.pairs < FEW_PAIRS ? signFlip(differences, seed) : null,
    mcnemar: isSingle && isBinary && paired.pairs >= 2 ? { p: mcnemarExact(lost, won), lost, won } : null,
    rough: paired.pairs < ROUGH_BELOW,
    power: powerOf(paired, noise, [from, to].every(isWithinOne) ? 0.01 : Math.abs(base) / 100),
  };
}

function powerOf(
  { variance, pairs }: PairedDifference,
  [base, candidate]: readonly [Noise, Noise],
  delta: number,
): Power | null {
  if (variance === null || variance === 0 || delta === 0) return null;
  const { variance: whole, noise } = components(variance, base, candidate);
  return {
    delta,
    tasks: tasksNeeded(whole, delta),
    smallest: smallestVisible(Math.sqrt(whole / pairs)),
    noise: noise === null ? null : Math.min(1, noise / whole),
  };
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

function meanOf(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return values.length === 0 ? NaN : sum / values.length;
}

function isWithinOne(values: readonly number[]): boolean {
  return values.every((value) => value >= 0 && value <= 1);
}
