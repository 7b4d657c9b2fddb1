/** One metric of two runs over the tasks that both have: the difference, how sure it is, what it takes to see one. Pure. */
import {
  largest,
  mcnemarExact,
  type PairedDifference,
  pairedDifference,
  signFlip,
} from "../statistics/paired.ts";
import { passAtK } from "../statistics/pass_curve.ts";
import { components, Noise, smallestVisible, tasksNeeded } from "../statistics/power.ts";
import { ROUGH_BELOW } from "../statistics/task_mean.ts";
import type { Pairs } from "./pair_tasks.ts";
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

export interface MetricOptions {
  /** Of all intervals: 0.95, more with several candidates. */
  readonly level: number;
  /** Whether `passAt` was given: then passes are a metric of their own beside the rewards. */
  readonly withPasses: boolean;
  /** Decides draws of signs. */
  readonly seed: number;
}

/** With fewer pairs the sign-flip test is shown too. */
const FEW_PAIRS = 20;

/** The metrics that both runs have: the reward first, then passes, then the others by name. */
export function metricsOf(
  base: TaskTable,
  candidate: TaskTable,
  { pairs }: Pairs,
  options: MetricOptions,
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
  options: MetricOptions,
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
  options: MetricOptions,
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
  { isSingle, noise, level, seed }: MetricOptions & {
    readonly isSingle: boolean;
    readonly noise: readonly [Noise, Noise];
  },
): MetricComparison {
  const differences = to.map((value, k) => value - from[k]!);
  const paired = pairedDifference(differences, level, Math.max(largest(from), largest(to)));
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

function meanOf(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return values.length === 0 ? NaN : sum / values.length;
}

function isWithinOne(values: readonly number[]): boolean {
  return values.every((value) => value >= 0 && value <= 1);
}
