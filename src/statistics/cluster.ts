/** The standard error of a mean whose values come in clusters: rollouts of one task are not independent of one another. */

/** Folds clusters. Where each has one value the error is the usual one, the deviation by the root of the count. */
export class ClusterError {
  /** How many clusters there are. */
  clusters = 0;
  /** Over clusters: sums of s², n·s and n², where s is the sum, taken from `#zero`, and n the number of its values. */
  #squares = 0;
  #products = 0;
  #sizes = 0;
  /** Near the mean, so that the squares do not swallow the differences. */
  #zero = NaN;

  /** A cluster. */
  add(values: readonly number[]): void {
    if (this.clusters++ === 0) this.#zero = values[0]!;
    let sum = 0;
    for (const value of values) sum += value - this.#zero;
    this.#squares += sum * sum;
    this.#products += values.length * sum;
    this.#sizes += values.length ** 2;
  }

  /** The standard error of the mean of `count` values in all; `undefined` where there are fewer than two clusters. */
  of(mean: number, count: number): number | undefined {
    if (this.clusters < 2) return undefined;
    const away = mean - this.#zero;
    const residual = this.#squares - 2 * away * this.#products + away * away * this.#sizes;
    return Math.sqrt(Math.max(0, residual) * this.clusters / (this.clusters - 1)) / count;
  }
}
