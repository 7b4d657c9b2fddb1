/**
 * How many tasks it takes to see a difference. A paired difference of G tasks has the variance v/G, where v is what tasks
 * differ in how much they gained, plus the noise of their rollouts: v = ω² + σ²_base/R_base + σ²_candidate/R_candidate
 * for R rollouts a task (Miller 2024, arXiv 2411.00640). A difference δ is seen 80 times of 100, at 5 % two-sided, with
 * (1.95996 + 0.84162)²·v/δ² tasks.
 */
import { Moments } from "./moments.ts";

/** The 0.975- and the 0.8-quantile of the normal distribution, together. */
const REACH = 1.959963984540054 + 0.8416212335729143;

/** The number of tasks, two more than by the normal distribution, for which t stands. */
export function tasksNeeded(variance: number, delta: number): number {
  return Math.ceil(REACH ** 2 * variance / delta ** 2) + 2;
}

/** The smallest difference that is seen 80 times of 100 with this standard error. */
export function smallestVisible(error: number): number {
  return REACH * error;
}

/** The rollouts' part and the tasks' part of a difference's variance. */
export interface Components {
  /** ω²: how much tasks differ in what they gained. Null where no task of a run has two rollouts. */
  readonly tasks: number | null;
  /** σ²/R of both runs: noise, which more rollouts a task make smaller. */
  readonly noise: number | null;
  /** v. */
  readonly variance: number;
}

/** Folds one run's tasks into the noise of its task means. */
export class Noise {
  readonly #within = new Moments();
  readonly #shares = new Moments();

  /** @param variance the sample variance of the task's rewards; not used for a single one */
  add(rollouts: number, variance: number): void {
    this.#shares.add(1 / rollouts);
    if (rollouts > 1) this.#within.add(variance);
  }

  /** σ²·mean(1/R); undefined where no task has two rollouts. */
  get value(): number | undefined {
    return this.#within.count === 0 ? undefined : this.#within.mean * this.#shares.mean;
  }
}

/** @param variance of the differences */
export function components(variance: number, base: Noise, candidate: Noise): Components {
  if (base.value === undefined || candidate.value === undefined) {
    return { tasks: null, noise: null, variance };
  }
  const noise = base.value + candidate.value, tasks = Math.max(0, variance - noise);
  return { tasks, noise, variance: tasks + noise };
}
