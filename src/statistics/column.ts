/** One numeric field, folded value by value in constant memory. */
import { Quantiles } from "./quantiles.ts";

/** See the module's comment. */
export class Column {
  #count = 0;
  /** The sum, and what its rounding lost, as Neumaier has it: so the mean does not depend on the order. */
  #sum = 0;
  #lost = 0;
  /** The mean so far and the sum of squared distances from it, kept up to date as Welford does. */
  #running = 0;
  #squares = 0;
  readonly #quantiles: Quantiles;

  /**
   * Starts empty.
   *
   * @param exact so many values are kept for exact quantiles
   */
  constructor(exact: number) {
    this.#quantiles = new Quantiles(exact);
  }

  /** How many values there are. */
  get count(): number {
    return this.#count;
  }

  /** Their mean; 0 when there is none. */
  get mean(): number {
    return this.#count === 0 ? 0 : (this.#sum + this.#lost) / this.#count;
  }

  /** The least. */
  get min(): number {
    return this.#quantiles.min;
  }

  /** The greatest. */
  get max(): number {
    return this.#quantiles.max;
  }

  /** The sample standard deviation; 0 when there are fewer than two values. */
  get std(): number {
    return this.#count < 2 ? 0 : Math.sqrt(this.#squares / (this.#count - 1));
  }

  /** Adds a finite value. */
  add(value: number): void {
    this.#count++;
    const sum = this.#sum + value;
    this.#lost += Math.abs(this.#sum) >= Math.abs(value) ? this.#sum - sum + value : value - sum + this.#sum;
    this.#sum = sum;
    const away = value - this.#running;
    this.#running += away / this.#count;
    this.#squares += away * (value - this.#running);
    this.#quantiles.add(value);
  }

  /** See {@link Quantiles.at}. */
  quantiles(...orders: number[]): number[] {
    return this.#quantiles.at(...orders);
  }

  /** The middle value. */
  get median(): number {
    return this.#quantiles.at(0.5)[0]!;
  }
}
