/** Count, sum, mean and standard deviation of values added one by one. */

/** Of the scale of numbers: several sums of doubles are no farther from the truth. */
const ROUNDING = 1e-12;

export class Moments {
  #count = 0;
  /** The sum, and what rounding took from it (Neumaier 1974): the mean does not depend on the order of the values. */
  #sum = 0;
  #lost = 0;
  /** The mean so far, and the sum of squared distances from it (Welford 1962). */
  #running = 0;
  #squares = 0;

  get count(): number {
    return this.#count;
  }

  get sum(): number {
    return this.#sum + this.#lost;
  }

  /** 0 when there are no values. */
  get mean(): number {
    return this.#count === 0 ? 0 : this.sum / this.#count;
  }

  /** The sample standard deviation, √(Σ(x − mean)² / (n − 1)); 0 when there are fewer than two values. */
  get std(): number {
    return this.#count < 2 ? 0 : Math.sqrt(this.#squares / (this.#count - 1));
  }

  /**
   * The same, but 0 where the values differ by no more than rounding: 0.3 − 0.4 and 0.2 − 0.3 are the same difference.
   *
   * @param scale the largest size of what they were computed from
   */
  stdAbove(scale: number): number {
    return this.std <= ROUNDING * scale ? 0 : this.std;
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
  }
}
