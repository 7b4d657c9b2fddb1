/**
 * Quantiles and probabilities of the normal and the beta distribution, by jstat. Only what runs offline loads this:
 * jstat would be a part of every start.
 */
import jstat from "jstat";

interface Distribution {
  inv(p: number, a: number, b: number): number;
  cdf(x: number, a: number, b: number): number;
}

const { normal, beta } = jstat as { readonly normal: Distribution; readonly beta: Distribution };

/** The `p`-quantile of the standard normal distribution. */
export function normalQuantile(p: number): number {
  return normal.inv(p, 0, 1);
}

/** The `p`-quantile of the beta distribution. */
export function betaQuantile(p: number, a: number, b: number): number {
  return beta.inv(p, a, b);
}

/** The chance that a value of the beta distribution is below `x`. */
export function betaBelow(x: number, a: number, b: number): number {
  return beta.cdf(x, a, b);
}
