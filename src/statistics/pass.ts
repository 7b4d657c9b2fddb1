/**
 * pass@k and pass^k of rollouts that either succeed or fail: the chance that at least one of k rollouts of a task
 * succeeds, and that all k do. The estimators are unbiased: over all ways to choose k of the task's n rollouts.
 */

/** Folds tasks. Tasks with fewer than k rollouts have no say in pass@k. */
export class PassRates {
  readonly #any: number[] = [];
  readonly #all: number[] = [];
  readonly #tasks: number[] = [];

  /** A task with `n` rollouts of which `passed` succeeded. */
  add(n: number, passed: number): void {
    // C(n - passed, k) / C(n, k) and C(passed, k) / C(n, k), each from the one before.
    let none = 1, all = 1;
    for (let k = 1; k <= n; k++) {
      none *= Math.max(0, n - passed - k + 1) / (n - k + 1);
      all *= Math.max(0, passed - k + 1) / (n - k + 1);
      this.#any[k] = (this.#any[k] ?? 0) + 1 - none;
      this.#all[k] = (this.#all[k] ?? 0) + all;
      this.#tasks[k] = (this.#tasks[k] ?? 0) + 1;
    }
  }

  /** `pass@K/accuracy` and `pass^K/accuracy` for each K up to the largest n, in percent: names and scale are Gym's. */
  metrics(): Record<string, number> {
    const metrics: Record<string, number> = {};
    for (const [name, sums] of [["pass@", this.#any], ["pass^", this.#all]] as const) {
      for (let k = 1; k < sums.length; k++) {
        metrics[`${name}${k}/accuracy`] = 100 * sums[k]! / this.#tasks[k]!;
      }
    }
    return metrics;
  }
}
