/**
 * Finds the row of an index by its identity, `_ng_task_index` and `_ng_rollout_index`: a hash table of eight bytes
 * per row next to the index, whose columns are the keys.
 */
import type { RowIndex } from "./row_index.ts";

export class RowLookup {
  readonly #index: RowIndex;
  /** Open addressing: the row plus one, 0 where free; a power of two long and at most half full. */
  #slots = new Uint32Array(1024);
  #size = 0;

  /** Takes the rows in the index now; of several with one identity, the first. */
  constructor(index: RowIndex) {
    this.#index = index;
    while (this.#slots.length < 2 * index.size) this.#slots = new Uint32Array(2 * this.#slots.length);
    for (let row = 0; row < index.size; row++) this.add(row);
  }

  /** The row with this identity, or -1. */
  find(task: number, rollout: number): number {
    return this.#slots[this.#slotOf(task, rollout)]! - 1;
  }

  /** Adds a row that was added to the index. Returns false if another row has its identity. */
  add(row: number): boolean {
    const { task, rollout } = this.#index.columns;
    const slot = this.#slotOf(task[row]!, rollout[row]!);
    if (this.#slots[slot] !== 0) return false;
    this.#slots[slot] = row + 1;
    if (2 * ++this.#size > this.#slots.length) this.#grow();
    return true;
  }

  #slotOf(wantedTask: number, wantedRollout: number): number {
    const { task, rollout } = this.#index.columns, slots = this.#slots, mask = slots.length - 1;
    for (let slot = mix(wantedTask, wantedRollout) & mask;; slot = (slot + 1) & mask) {
      const row = slots[slot]! - 1;
      if (row < 0 || (task[row] === wantedTask && rollout[row] === wantedRollout)) return slot;
    }
  }

  #grow(): void {
    const rows = this.#slots;
    this.#slots = new Uint32Array(2 * rows.length);
    const { task, rollout } = this.#index.columns;
    for (const entry of rows) {
      if (entry !== 0) this.#slots[this.#slotOf(task[entry - 1]!, rollout[entry - 1]!)] = entry;
    }
  }
}

function mix(task: number, rollout: number): number {
  let h = (task | 0) ^ Math.imul(Math.floor(task / 2 ** 32), 0x85ebca6b) ^ Math.imul(rollout, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return (h ^ (h >>> 16)) >>> 0;
}
