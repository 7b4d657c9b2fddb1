/** The order in which the rows of a fresh run stand in its materialized inputs, and which of them do. */
import { seeded } from "../kit/seeded.ts";
import { byRollout, type RowIndex } from "./row_index.ts";

/** How rows are ordered. */
export interface RowOrder {
  /** All first rollouts, then all second ones, …, each round in the order of the tasks. */
  readonly inRounds: boolean;
  /** Decides the order of the tasks; null for that of the input. */
  readonly shuffleSeed: number | null;
  /** Whether a task's rows stay; the others are left out. */
  readonly has: (task: number) => boolean;
}

/** The rows of an index in their new order, by number. */
export function orderOf(index: RowIndex, { inRounds, shuffleSeed, has }: RowOrder): Uint32Array {
  const { task } = index.columns;
  let order = new Uint32Array(index.size), size = 0;
  for (let row = 0; row < index.size; row++) if (has(task[row]!)) order[size++] = row;
  order = order.subarray(0, size);
  if (shuffleSeed !== null) {
    const chance = new Float64Array(index.size);
    for (const row of order) chance[row] = seeded(shuffleSeed, task[row]!);
    order.sort((a, b) => chance[a]! - chance[b]! || task[a]! - task[b]! || a - b);
  }
  return inRounds ? byRollout(index, order) : order;
}
