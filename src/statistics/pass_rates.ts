/**
 * pass@k and pass^k of rollouts that either succeed or fail: the chance that at least one of k rollouts of a task
 * succeeds, and that all k do. The estimators are unbiased, since they average over all ways to choose k of the n
 * rollouts of a task, c of which succeeded: pass@k = 1 − C(n − c, k) / C(n, k) (Chen et al. 2021, "Evaluating Large
 * Language Models Trained on Code"), pass^k = C(c, k) / C(n, k) (Yao et al. 2024, "τ-bench").
 */

/** Both for one k, in percent. */
export interface PassRate {
  readonly k: number;
  readonly any: number;
  readonly all: number;
}

/** Folds tasks. A task with fewer than k rollouts does not count in the rates for k. */
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

  /** For each k up to the largest n. */
  *rates(): Generator<PassRate> {
    for (let k = 1; k < this.#tasks.length; k++) {
      const tasks = this.#tasks[k]!;
      yield { k, any: 100 * this.#any[k]! / tasks, all: 100 * this.#all[k]! / tasks };
    }
  }
}
