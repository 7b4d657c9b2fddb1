/**
 * How unsure one task's success rate is, and what all tasks together say of it. Jeffreys' interval: quantiles of
 * Beta(c + ½, n − c + ½), with an end at 0 or 1 where nothing or everything passed (Brown, Cai, DasGupta 2001). The
 * shrunk rate is (c + a)/(n + a + b) with Beta(a, b) fitted to the rates of all tasks by their moments, after the noise
 * of each rate is taken off (empirical Bayes; Kleinman 1973).
 */
import { betaBelow, betaQuantile } from "./distributions.ts";
import { Moments } from "./moments.ts";

/** The interval of a rate of which `c` of `n` passed. */
export function jeffreys(c: number, n: number, level = 0.95): readonly [low: number, high: number] {
  const tail = (1 - level) / 2;
  return [
    c === 0 ? 0 : betaQuantile(tail, c + 0.5, n - c + 0.5),
    c === n ? 1 : betaQuantile(1 - tail, c + 0.5, n - c + 0.5),
  ];
}

/** "always" and "never" are sure when the one-sided 95 % limit passes these: that takes 18 rollouts. */
const ALWAYS = 0.9, NEVER = 0.1;

/** What became of a task's rollouts, and whether more of them could show otherwise. */
export type Solved = "always" | "never" | "sometimes";

/** The class of a task and whether it is sure; a task that passed sometimes surely did. n is 1 or more. */
export function solved(c: number, n: number): { readonly solved: Solved; readonly sure: boolean } {
  if (c === n) return { solved: "always", sure: betaQuantile(0.05, c + 0.5, 0.5) > ALWAYS };
  if (c === 0) return { solved: "never", sure: betaQuantile(0.95, 0.5, n + 0.5) < NEVER };
  return { solved: "sometimes", sure: true };
}

/** How rates are spread over tasks. */
export interface Spread {
  readonly a: number;
  readonly b: number;
}

/** Where nothing can be fitted. */
const JEFFREYS: Spread = { a: 0.5, b: 0.5 };

/** Folds tasks into the spread of their rates. */
export class SpreadFit {
  readonly #rates = new Moments();
  readonly #noise = new Moments();

  /** A task with `n` rollouts of which `c` passed. The noise of a single rollout's rate is unknown. */
  add(n: number, c: number): void {
    if (n < 2) return;
    const rate = c / n;
    this.#rates.add(rate);
    this.#noise.add(rate * (1 - rate) / (n - 1));
  }

  /** Beta(½, ½) where the rates are spread no more than their noise, or too few. */
  spread(): Spread {
    const { mean, std } = this.#rates, between = std ** 2 - this.#noise.mean;
    const total = mean * (1 - mean) / between - 1;
    if (!(between > 0) || !(total > 0)) return JEFFREYS;
    return { a: mean * total, b: (1 - mean) * total };
  }
}

/** A task's rate, drawn towards those of all tasks the more, the fewer rollouts it has. */
export function shrunk(c: number, n: number, { a, b }: Spread): number {
  return (c + a) / (n + a + b);
}

/** The chance that a task's rate lies between two numbers. */
export function chanceWithin(c: number, n: number, { a, b }: Spread, low: number, high: number): number {
  return betaBelow(high, c + a, n - c + b) - betaBelow(low, c + a, n - c + b);
}
