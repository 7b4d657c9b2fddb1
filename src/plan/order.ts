/** The order in which a run starts what it owes. */
import { type RowIndex, State } from "./row_index.ts";

/** The owed rows, in file order. */
export function* inOrder(index: RowIndex): Generator<number> {
  const { state } = index.columns;
  for (let row = 0; row < index.size; row++) if (state[row] === State.OWED) yield row;
}

/**
 * The owed rows: first those with a known duration, the longest first, then the others in file order.
 *
 * @param elapsed seconds by row; 0 where unknown
 */
export function longestFirst(index: RowIndex, elapsed: Float64Array): number[] {
  const known: number[] = [], others: number[] = [];
  for (const row of inOrder(index)) (elapsed[row]! > 0 ? known : others).push(row);
  known.sort((a, b) => elapsed[b]! - elapsed[a]! || a - b);
  return [...known, ...others];
}
