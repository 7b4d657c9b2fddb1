/**
 * pass@k, pass^k and best-of-k over tasks. All are means over every way to choose k of a task's n rollouts, so the order
 * of the rollouts does not matter (Chen et al. 2021; Yao et al. 2024). A task with fewer than k rollouts does not count
 * at k.
 */
import { TaskMean, type TaskMeanResult } from "./task_mean.ts";

/** The chance that at least one of k rollouts passes, when c of n did: 1 − C(n − c, k)/C(n, k). k is n or less. */
export function passAtK(n: number, c: number, k: number): number {
  let none = 1;
  for (let j = 0; j < k; j++) none *= Math.max(0, n - c - j) / (n - j);
  return 1 - none;
}

/** The chance that all of k rollouts pass: C(c, k)/C(n, k). k is n or less. */
export function passHatK(n: number, c: number, k: number): number {
  let all = 1;
  for (let j = 0; j < k; j++) all *= Math.max(0, c - j) / (n - j);
  return all;
}

/** The mean of the best of k rollouts. k is the number of rewards or less. */
export function bestOfK(rewards: readonly number[], k: number): number {
  const ascending = rewards.toSorted((a, b) => a - b), n = ascending.length;
  let weight = k / n, sum = 0;
  for (let i = n; i >= k; i--) {
    sum += ascending[i - 1]! * weight;
    weight *= (i - k) / (i - 1 || 1);
  }
  return sum;
}

/** What is known at one k. */
export interface PassPoint {
  readonly k: number;
  /** pass@k. */
  readonly any: TaskMeanResult;
  /** pass^k. */
  readonly all: TaskMeanResult;
}

/** Folds tasks. Kept are k = 1, 2, 4, … and the largest number of rollouts that a task has. */
export class PassCurve {
  readonly #points = new Map<number, { readonly any: TaskMean; readonly all: TaskMean; groups: number }>();
  #most = 0;

  /** A task with `n` rollouts of which `c` passed. */
  add(n: number, c: number): void {
    this.#most = Math.max(this.#most, n);
    for (let k = 1; k < n; k *= 2) this.#add(n, c, k);
    if (n > 0) this.#add(n, c, n);
  }

  #add(n: number, c: number, k: number): void {
    let point = this.#points.get(k);
    if (!point) this.#points.set(k, point = { any: new TaskMean(), all: new TaskMean(), groups: 0 });
    point.any.add(passAtK(n, c, k));
    point.all.add(passHatK(n, c, k));
    // So many groups of k there are: what the effective number of rollouts cannot be above.
    point.groups += Math.floor(n / k);
  }

  /** By k. */
  points(): PassPoint[] {
    const isKept = (k: number) => k === this.#most || Number.isInteger(Math.log2(k));
    return [...this.#points].filter(([k]) => isKept(k)).toSorted(([a], [b]) => a - b).map(([k, point]) => {
      const options = { bounded: true, cap: point.groups };
      return { k, any: point.any.result(options), all: point.all.result(options) };
    });
  }
}
