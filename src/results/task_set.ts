/** A set of task numbers, in a bit for each where they are numbered from 0, as inputs of millions of rows are. */

/** Numbers from here on are kept one by one. */
const DENSE = 1 << 26;

export class TaskSet {
  #bits = new Uint8Array(1024);
  readonly #others = new Set<number>();
  #size = 0;

  /** How many there are. */
  get size(): number {
    return this.#size;
  }

  has(task: number): boolean {
    if (!isDense(task)) return this.#others.has(task);
    return ((this.#bits[task >>> 3] ?? 0) & 1 << (task & 7)) !== 0;
  }

  add(task: number): void {
    if (this.has(task)) return;
    this.#size++;
    if (!isDense(task)) return void this.#others.add(task);
    const at = task >>> 3;
    if (at >= this.#bits.length) {
      const more = new Uint8Array(Math.max(at + 1, this.#bits.length * 2));
      more.set(this.#bits);
      this.#bits = more;
    }
    this.#bits[at]! |= 1 << (task & 7);
  }
}

function isDense(task: number): boolean {
  return task >= 0 && task < DENSE;
}
