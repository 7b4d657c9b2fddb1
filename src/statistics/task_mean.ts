/**
 * A mean over tasks with its interval. One number a task, each task with the same weight: rollouts of one task are not
 * independent of one another, so tasks are what is counted.
 *
 * With m the mean of G tasks and SE = s/√G: for rewards within [0, 1] the interval is Wilson's with an effective number
 * of rollouts n = m(1 − m)/SE² and Student's t of G − 1 degrees in place of z (Wilson 1927; Miller 2024,
 * arXiv 2411.00640, for the clustering): c ± h with c = (m + t²/2n)/(1 + t²/n),
 * h = t·√(m(1 − m)/n + t²/4n²)/(1 + t²/n). Without spread n is G. For anything else it is m ± t·SE. In simulations of 30
 * tasks and more it covers the truth 94 to 97 times of 100, with 50 and more m ± t·SE does 91 to 96 times.
 */
import { Moments } from "./moments.ts";
import { t95 } from "./student.ts";

/** With fewer tasks intervals are rough. */
export const ROUGH_BELOW = 50;

/** A mean and what is known of it. */
export interface TaskMeanResult {
  readonly tasks: number;
  readonly mean: number;
  /** The standard error; null for one task. */
  readonly error: number | null;
  /** The 95 % interval; null for one task. */
  readonly interval: readonly [low: number, high: number] | null;
  readonly method: "wilson" | "t";
  /** Whether there are so few tasks that the interval is rough. */
  readonly rough: boolean;
}

/** What is known of the values. */
export interface TaskMeanOptions {
  /** Whether every single reward lies within [0, 1]. */
  readonly bounded: boolean;
  /** What the effective number of rollouts cannot be above: how many there are, where each is 0 or 1. */
  readonly cap?: number | undefined;
}

/** Folds tasks. */
export class TaskMean {
  readonly #values = new Moments();
  #largest = 0;

  /** The task's value. */
  add(value: number): void {
    this.#values.add(value);
    this.#largest = Math.max(this.#largest, Math.abs(value));
  }

  get tasks(): number {
    return this.#values.count;
  }

  /** NaN without tasks. */
  result({ bounded, cap = Infinity }: TaskMeanOptions): TaskMeanResult {
    const { count: tasks } = this.#values, mean = tasks === 0 ? NaN : this.#values.mean;
    const method = bounded ? "wilson" : "t", rough = tasks < ROUGH_BELOW;
    if (tasks < 2) return { tasks, mean, error: null, interval: null, method, rough };
    const error = this.#values.stdAbove(this.#largest) / Math.sqrt(tasks), t = t95(tasks - 1);
    const interval = bounded
      ? wilson(mean, Math.min(cap, error === 0 ? tasks : mean * (1 - mean) / error ** 2), t)
      : [mean - t * error, mean + t * error] as const;
    return { tasks, mean, error, interval, method, rough };
  }
}

/**
 * Wilson's interval of a rate.
 *
 * @param n how many values the rate is of; need not be whole
 * @param t how many standard errors it reaches to either side
 */
export function wilson(rate: number, n: number, t: number): readonly [low: number, high: number] {
  const share = t * t / n, scale = 1 + share;
  const centre = (rate + share / 2) / scale;
  const reach = t * Math.sqrt(Math.max(0, rate * (1 - rate)) / n + t * t / (4 * n * n)) / scale;
  // At 0 and 1 rounding would leave the ends a hair away.
  return [rate === 0 ? 0 : Math.max(0, centre - reach), rate === 1 ? 1 : Math.min(1, centre + reach)];
}
