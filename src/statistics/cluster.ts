/**
 * The standard error of a mean whose values come in clusters: rollouts of one task are not independent of one another.
 * With G clusters and n values in all it is √(G / (G − 1) · Σ (s − k · mean)²) / n over the clusters, s being a cluster's
 * sum and k its size (Cameron and Miller 2015, "A Practitioner's Guide to Cluster-Robust Inference").
 */

/** Folds clusters. If each has one value, this is the usual standard error: the deviation divided by √n. */
export class ClusterError {
  clusters = 0;
  /** Over clusters: sums of s², k·s and k², where s is the sum, measured from `#zero`, and k the number of values. */
  #squares = 0;
  #products = 0;
  #sizes = 0;
  /** Near the mean, so that squaring does not lose the differences. */
  #zero = NaN;

  add(values: readonly number[]): void {
    if (this.clusters++ === 0) this.#zero = values[0]!;
    let sum = 0;
    for (const value of values) sum += value - this.#zero;
    this.#squares += sum * sum;
    this.#products += values.length * sum;
    this.#sizes += values.length ** 2;
  }

  /** The standard error of the mean of all `count` values; `undefined` when there are fewer than two clusters. */
  of(mean: number, count: number): number | undefined {
    if (this.clusters < 2) return undefined;
    const away = mean - this.#zero;
    const residual = this.#squares - 2 * away * this.#products + away * away * this.#sizes;
    return Math.sqrt(Math.max(0, residual) * this.clusters / (this.clusters - 1)) / count;
  }
}
