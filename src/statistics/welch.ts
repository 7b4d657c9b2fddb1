/** Welch's interval of the difference of two means (1947), as scipy's `ttest_ind(…, equal_var=False)` has it. */
import { Moments } from "./moments.ts";

/** 95 %, two-sided; a point when neither has any spread. Either has two values or more. */
export function welch(
  values: readonly number[],
  others: readonly number[],
): readonly [low: number, high: number] {
  const [one, other] = [values, others].map((values) => {
    const moments = new Moments();
    for (const value of values) moments.add(value);
    return { mean: moments.mean, share: moments.std ** 2 / moments.count, degrees: moments.count - 1 };
  }) as [Sample, Sample];
  const error = Math.sqrt(one.share + other.share), difference = one.mean - other.mean;
  if (error === 0) return [difference, difference];
  const degrees = (one.share + other.share) ** 2 /
    (one.share ** 2 / one.degrees + other.share ** 2 / other.degrees);
  const reach = quantile(degrees) * error;
  return [difference - reach, difference + reach];
}

interface Sample {
  readonly mean: number;
  /** Of the variance of its mean. */
  readonly share: number;
  readonly degrees: number;
}

/**
 * The 0.975-quantile of Student's t for any degrees of freedom v, 1 or more: with t = √v·tan θ the chance to lie within ±t
 * is ∫₀^θ cos^(v−1) over the same up to a right angle.
 */
function quantile(v: number): number {
  const whole = wholeIntegral(v - 1),
    within = (t: number) => integral(v - 1, Math.atan(t / Math.sqrt(v))) / whole;
  let low = 1.9, high = 13;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (within(middle) < 0.95) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** ∫ cos^p from 0 to a right angle. Small powers have a corner there: I(p) = (p + 2)/(p + 1)·I(p + 2). */
function wholeIntegral(p: number): number {
  let factor = 1;
  for (; p < 20; p += 2) factor *= (p + 2) / (p + 1);
  return factor * integral(p, Math.PI / 2);
}

/** ∫ cos^p from 0 to an angle, by Simpson's rule. */
function integral(p: number, to: number): number {
  const steps = 1000, h = to / steps;
  let sum = 1 + Math.cos(to) ** p;
  for (let k = 1; k < steps; k++) sum += (k % 2 === 1 ? 4 : 2) * Math.cos(k * h) ** p;
  return sum * h / 3;
}
