/** A random subset of tasks that a seed decides. */
import { seeded } from "../kit/seeded.ts";

/**
 * The `size` tasks whose seeded numbers are smallest, of all that were offered. So the order in which they come does not
 * matter; a smaller sample of the same seed is a part of a larger one; and of an input that has grown, the sample keeps
 * the tasks that it had, except those that new ones with smaller numbers replace.
 *
 * Memory is for the sample, not for what it is drawn from.
 */
export class Sample {
  readonly #size: number;
  readonly #seed: number;
  readonly #chosen = new Map<number, number>();
  /** A heap, the task with the largest number first. */
  readonly #heap: number[] = [];

  /** @param size at least 1 */
  constructor(size: number, seed: number) {
    this.#size = size;
    this.#seed = seed;
  }

  /** Offers a task, as often as one likes. False once it is certain that it is not in the sample. */
  offer(task: number): boolean {
    if (this.#chosen.has(task)) return true;
    const number = seeded(this.#seed, task), heap = this.#heap;
    if (heap.length < this.#size) {
      this.#chosen.set(task, number);
      heap.push(task);
      this.#rise(heap.length - 1);
      return true;
    }
    if (!this.#isLess(number, task, heap[0]!)) return false;
    this.#chosen.delete(heap[0]!);
    this.#chosen.set(task, number);
    heap[0] = task;
    this.#sink();
    return true;
  }

  /** Whether a task is in it, by what was offered so far. */
  has(task: number): boolean {
    return this.#chosen.has(task);
  }

  #isLess(number: number, task: number, other: number): boolean {
    const against = this.#chosen.get(other)!;
    return number < against || (number === against && task < other);
  }

  #isBelow(a: number, b: number): boolean {
    const task = this.#heap[a]!;
    return this.#isLess(this.#chosen.get(task)!, task, this.#heap[b]!);
  }

  #rise(at: number): void {
    for (let above = (at - 1) >> 1; at > 0 && this.#isBelow(above, at); at = above, above = (at - 1) >> 1) {
      this.#swap(at, above);
    }
  }

  #sink(): void {
    for (let at = 0;;) {
      let largest = at;
      for (const below of [2 * at + 1, 2 * at + 2]) {
        if (below < this.#heap.length && this.#isBelow(largest, below)) largest = below;
      }
      if (largest === at) return;
      this.#swap(at, largest);
      at = largest;
    }
  }

  #swap(a: number, b: number): void {
    const heap = this.#heap;
    [heap[a], heap[b]] = [heap[b]!, heap[a]!];
  }
}
