/**
 * Two runs over the same tasks: differences d, one a task, candidate less base. The paired t test (Student 1908), the
 * sign-flip test (Fisher 1935), McNemar's exact test (1947) for single 0/1 rollouts, and corrections for several
 * candidates (Bonferroni for intervals, Holm 1979 for p).
 */
import { chances } from "./chances.ts";
import { normalQuantile } from "./distributions.ts";
import { Moments } from "./moments.ts";
import { beyond, tQuantile } from "./student.ts";

/** The paired t test. */
export interface PairedDifference {
  readonly pairs: number;
  /** The mean of the differences; NaN without pairs. */
  readonly difference: number;
  /** Its standard error, and the variance of the differences; null for fewer than two pairs. */
  readonly error: number | null;
  readonly variance: number | null;
  /** Null for fewer than two pairs; a point where all differences are equal. */
  readonly interval: readonly [low: number, high: number] | null;
  /** Two-sided; null for fewer than two pairs, and where all differences are equal. */
  readonly p: number | null;
}

/**
 * @param level of the interval: 0.95, or more where several candidates are compared
 * @param scale the largest value of those that were subtracted; the largest difference unless said otherwise
 */
export function pairedDifference(
  differences: readonly number[],
  level: number,
  scale: number = largest(differences),
): PairedDifference {
  const moments = new Moments();
  for (const difference of differences) moments.add(difference);
  const pairs = moments.count, std = moments.stdAbove(scale), difference = pairs === 0 ? NaN : moments.mean;
  if (pairs < 2) return { pairs, difference, error: null, variance: null, interval: null, p: null };
  const error = std / Math.sqrt(pairs), degrees = pairs - 1;
  const reach = error === 0 ? 0 : error * tQuantile(level, normalQuantile((1 + level) / 2), degrees);
  return {
    pairs,
    difference,
    error,
    variance: std ** 2,
    interval: [difference - reach, difference + reach],
    p: error === 0 ? null : beyond(difference / error, degrees),
  };
}

/** The largest size. */
export function largest(values: readonly number[]): number {
  let most = 0;
  for (const value of values) most = Math.max(most, Math.abs(value));
  return most;
}

/** Without spread, so many pairs are needed before a difference counts: 2⁻⁶ is below 0.025. */
const WITHOUT_SPREAD = 6;

/** Whether the whole interval lies below a threshold. Never for fewer than two pairs. */
export function liesBelow({ pairs, error, interval }: PairedDifference, threshold: number): boolean {
  if (!interval || (error === 0 && pairs < WITHOUT_SPREAD)) return false;
  return interval[1] < threshold;
}

/** The level of each interval when `candidates` are compared at once, so that 95 of 100 times all hold (Bonferroni). */
export function levelFor(candidates: number): number {
  return 1 - 0.05 / candidates;
}

/** Up to so many differences every pattern of signs is tried. */
const ALL_PATTERNS = 20;

/** Otherwise so many are drawn. */
const DRAWS = 9999;

/** Rounding must not make a pattern of the same sum a smaller one. */
const SAME = 1 - 1e-9;

/**
 * The chance that random signs make the sum of the differences as large, whichever way. Zeros change nothing.
 *
 * @param seed decides the draws, where there are too many patterns to try all
 */
export function signFlip(
  differences: readonly number[],
  seed: number,
): { readonly p: number; readonly exact: boolean } {
  const sizes = differences.filter((d) => d !== 0).map(Math.abs);
  const reached = Math.abs(differences.reduce((sum, d) => sum + d, 0)) * SAME;
  if (sizes.length <= ALL_PATTERNS) return { p: exactly(sizes, reached), exact: true };
  const chance = chances(seed);
  let hits = 0;
  for (let draw = 0; draw < DRAWS; draw++) {
    let sum = 0;
    for (const size of sizes) sum += chance() < 0.5 ? size : -size;
    if (Math.abs(sum) >= reached) hits++;
  }
  return { p: (1 + hits) / (1 + DRAWS), exact: false };
}

function exactly(sizes: readonly number[], reached: number): number {
  const patterns = 2 ** sizes.length;
  let sum = sizes.reduce((sum, size) => sum - size, 0), hits = 0;
  const isUp = sizes.map(() => false);
  for (let pattern = 1;; pattern++) {
    if (Math.abs(sum) >= reached) hits++;
    if (pattern === patterns) return hits / patterns;
    // One sign changes from pattern to pattern (Gray's code).
    const k = 31 - Math.clz32(pattern & -pattern);
    sum += isUp[k] ? -2 * sizes[k]! : 2 * sizes[k]!;
    isUp[k] = !isUp[k];
  }
}

/** The chance, two-sided, that of b + c tasks that changed so few changed one way. */
export function mcnemarExact(b: number, c: number): number {
  const n = b + c, few = Math.min(b, c);
  if (few * 2 === n) return 1;
  // C(n, few) / 2^n, and from it what is left of it.
  let log = -n * Math.LN2;
  for (let k = 0; k < few; k++) log += Math.log((n - k) / (k + 1));
  let term = Math.exp(log), sum = 0;
  for (let k = few; k >= 0; k--) {
    sum += term;
    term *= k / (n - k + 1);
  }
  return Math.min(1, 2 * sum);
}

/** p-values of several comparisons, so that 95 of 100 times none is below 0.05 by chance. In the order given. */
export function holm(ps: readonly number[]): number[] {
  const order = ps.map((_, k) => k).toSorted((i, j) => ps[i]! - ps[j]!), adjusted: number[] = [];
  let least = 0;
  order.forEach((k, rank) => {
    least = Math.max(least, Math.min(1, ps[k]! * (ps.length - rank)));
    adjusted[k] = least;
  });
  return adjusted;
}
