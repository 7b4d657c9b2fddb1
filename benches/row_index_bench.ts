/** What a million rollouts cost in the index. Run with `deno task bench`. */
import { byRollout, RowIndex } from "../src/plan/row_index.ts";

const ROWS = 1_000_000;

function filled(): RowIndex {
  const index = new RowIndex();
  for (let n = 0; n < ROWS; n++) {
    index.add({ offset: n * 2000, length: 1999, task: n >> 3, rollout: n & 7, route: n & 1 });
  }
  return index;
}

const index = filled();

Deno.bench("RowIndex: add a million rows", { n: 10, warmup: 2 }, () => {
  filled();
});

Deno.bench("RowIndex: a million rows in rounds", { n: 10, warmup: 2 }, () => {
  byRollout(index);
});
