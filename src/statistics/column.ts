/** One numeric field, folded value by value in bounded memory: its {@link Moments} and its {@link Quantiles}. */
import { Moments } from "./moments.ts";
import { Quantiles } from "./quantiles.ts";

export class Column extends Moments {
  readonly #quantiles: Quantiles;

  /** @param exact how many values are kept for exact quantiles */
  constructor(exact: number) {
    super();
    this.#quantiles = new Quantiles(exact);
  }

  /** Infinity when there are no values. */
  get min(): number {
    return this.#quantiles.min;
  }

  /** -Infinity when there are no values. */
  get max(): number {
    return this.#quantiles.max;
  }

  /** NaN when there are no values. */
  get median(): number {
    return this.#quantiles.at(0.5);
  }

  /** Adds a finite value. */
  override add(value: number): void {
    super.add(value);
    this.#quantiles.add(value);
  }

  /** The `q`-quantile (0 to 1); NaN when there are no values. */
  quantile(q: number): number {
    return this.#quantiles.at(q);
  }
}
