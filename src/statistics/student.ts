/**
 * Student's t distribution, for whole degrees of freedom. The formulas are those of Abramowitz and Stegun, "Handbook of
 * Mathematical Functions", section 26.7.
 */

/** The 0.975-quantile of the normal distribution. */
const Z = 1.959963984540054;
/** From this many degrees of freedom up, the expansion around the normal quantile is exact to twelve digits. */
const EXPANSION_FROM = 1000;

const known = new Map<number, number>();

/**
 * How many standard errors a 95 % interval reaches to either side: the 0.975-quantile of Student's t distribution.
 *
 * @param degrees of freedom, a whole number, 1 or more
 */
export function t95(degrees: number): number {
  let t = known.get(degrees);
  if (t === undefined) {
    t = tQuantile(0.95, Z, degrees);
    known.set(degrees, t);
  }
  return t;
}

/**
 * Between −t and t lies this part of the distribution.
 *
 * @param part above 0, below 1
 * @param z the same for the normal distribution: `part` lies between −z and z
 * @param degrees of freedom, a whole number, 1 or more
 */
export function tQuantile(part: number, z: number, degrees: number): number {
  return degrees >= EXPANSION_FROM ? expansion(z, degrees) : solve(part, z, degrees);
}

/** The chance to be as far from 0 as `t` is, on either side: the p-value of a t test. */
export function beyond(t: number, degrees: number): number {
  return Math.max(0, 1 - within(Math.abs(t), degrees));
}

/** Abramowitz and Stegun 26.7.5. */
function expansion(z: number, v: number): number {
  return z + (z ** 3 + z) / (4 * v) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * v ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * v ** 3) +
    (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / (92160 * v ** 4);
}

function solve(part: number, z: number, degrees: number): number {
  let low = z, high = 2 * z + 1;
  while (within(high, degrees) < part) high *= 2;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (within(middle, degrees) < part) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The probability of lying within `t` of 0: Abramowitz and Stegun 26.7.3 and 26.7.4. */
function within(t: number, degrees: number): number {
  const angle = Math.atan(t / Math.sqrt(degrees)), sine = Math.sin(angle), cosine = Math.cos(angle);
  const odd = degrees % 2 === 1;
  let term = odd ? cosine : 1, sum = degrees === 1 ? 0 : term;
  for (let k = odd ? 2 : 1; k <= degrees - 3; k += 2) {
    term *= k / (k + 1) * cosine * cosine;
    sum += term;
  }
  return odd ? 2 / Math.PI * (angle + sine * sum) : sine * sum;
}
