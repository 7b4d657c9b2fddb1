import assert from "node:assert/strict";
import fc from "fast-check";
import {
  buffersOf,
  byRollout,
  type IndexColumns,
  type IndexEntry,
  RowIndex,
  State,
} from "../../src/plan/row_index.ts";

const entry = (n: number): IndexEntry => ({
  offset: n * 1000,
  length: 999,
  task: n >> 2,
  rollout: n & 3,
  route: n % 7,
});

function indexOf(entries: Iterable<IndexEntry>): RowIndex {
  const index = new RowIndex();
  for (const one of entries) index.add(one);
  return index;
}

function row(columns: IndexColumns, n: number) {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column[n]]));
}

const fresh = { attempts: 0, reuse: 0, state: State.OWED };

Deno.test("RowIndex starts empty", () => {
  assert.equal(new RowIndex().size, 0);
  assert.deepEqual([...byRollout(new RowIndex())], []);
  assert.equal(new RowIndex().take().offset.length, 0);
});

for (const size of [1, 1023, 1024, 1025, 10_000]) {
  Deno.test(`RowIndex keeps ${size} rows as they were added, owed and without attempts`, () => {
    const index = indexOf(Array.from({ length: size }, (_, n) => entry(n)));
    assert.equal(index.size, size);
    for (let n = 0; n < size; n++) assert.deepEqual(row(index.columns, n), { ...entry(n), ...fresh });
  });
}

Deno.test("RowIndex keeps the columns of earlier rows when it grows", () => {
  const index = indexOf([entry(0), entry(1)]);
  index.columns.attempts[1] = 2;
  index.columns.state[0] = State.TERMINAL;
  for (let n = 2; n < 5000; n++) index.add(entry(n));
  assert.deepEqual([...index.columns.attempts.subarray(0, 3)], [0, 2, 0]);
  assert.deepEqual([...index.columns.state.subarray(0, 3)], [State.TERMINAL, State.OWED, State.OWED]);
});

Deno.test("RowIndex holds the largest possible offsets, tasks and rollouts", () => {
  const large = {
    offset: 2 ** 52,
    length: 2 ** 32 - 1,
    task: 2 ** 53 - 1,
    rollout: 2 ** 32 - 1,
    route: 65_535,
  };
  assert.deepEqual(row(indexOf([large]).columns, 0), { ...large, ...fresh });
  const negative = { ...large, task: -1 };
  assert.equal(indexOf([negative]).columns.task[0], -1);
});

Deno.test("take() trims the columns and leaves an index that can be filled again", () => {
  const index = indexOf(Array.from({ length: 1500 }, (_, n) => entry(n)));
  const columns = index.take();
  for (const column of Object.values(columns)) assert.equal(column.length, 1500);
  assert.deepEqual(row(columns, 1499), { ...entry(1499), ...fresh });
  assert.equal(index.size, 0);
  for (let n = 0; n < 3; n++) index.add(entry(n));
  assert.equal(index.size, 3);
  assert.deepEqual(row(index.columns, 2), { ...entry(2), ...fresh });
  assert.deepEqual(row(columns, 0), { ...entry(0), ...fresh });
});

Deno.test("over() is the same index on the other side of a transfer", () => {
  const columns = indexOf(Array.from({ length: 1500 }, (_, n) => entry(n))).take();
  const buffers = buffersOf(columns);
  assert.equal(new Set(buffers).size, Object.keys(columns).length);
  const moved = structuredClone(columns, { transfer: buffers });
  assert.equal(columns.offset.length, 0); // moved, not copied
  const index = RowIndex.over(moved);
  assert.equal(index.size, 1500);
  assert.deepEqual(row(index.columns, 1499), { ...entry(1499), ...fresh });
  index.add(entry(1500));
  assert.equal(index.size, 1501);
  assert.deepEqual(row(index.columns, 1500), { ...entry(1500), ...fresh });
  assert.deepEqual(row(index.columns, 7), { ...entry(7), ...fresh });
});

Deno.test("byRollout() is a stable sort by rollout index", () => {
  const rollout = fc.oneof(fc.nat(5), fc.nat(2000));
  fc.assert(
    fc.property(fc.array(rollout, { maxLength: 3000 }), (rollouts) => {
      const index = indexOf(rollouts.map((rollout, n) => ({ ...entry(n), rollout })));
      const want = rollouts.map((_, n) => n).sort((a, b) => rollouts[a]! - rollouts[b]!);
      assert.deepEqual([...byRollout(index)], want);
    }),
  );
});

Deno.test("byRollout() looks at rows only, not at the space behind them", () => {
  const index = indexOf([{ ...entry(0), rollout: 1 }, { ...entry(1), rollout: 0 }]);
  index.columns.rollout[2] = 4_000_000_000;
  assert.deepEqual([...byRollout(index)], [1, 0]);
});
