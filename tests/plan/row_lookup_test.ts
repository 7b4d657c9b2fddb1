import assert from "node:assert/strict";
import fc from "fast-check";
import { RowIndex } from "../../src/plan/row_index.ts";
import { RowLookup } from "../../src/plan/row_lookup.ts";

const identity = fc.record({
  task: fc.oneof(
    fc.integer({ min: 0, max: 20 }),
    fc.integer({ min: -(2 ** 53) + 1, max: 2 ** 53 - 1 }),
    fc.integer({ min: 0, max: 9 }).map((n) => n * 2 ** 32),
  ),
  rollout: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 2 ** 32 - 1 })),
});

const nameOf = ({ task, rollout }: { task: number; rollout: number }) => `${task + 0}-${rollout}`;

Deno.test("Identities finds what a map by name finds; of several rows with one identity the first", () => {
  fc.assert(
    fc.property(fc.array(identity, { maxLength: 60 }), fc.array(identity), fc.nat(), (rows, others, n) => {
      const index = new RowIndex(), names = new Map<string, number>();
      const add = (row: { task: number; rollout: number }) =>
        index.add({ offset: 0, length: 0, route: 0, task: row.task, rollout: row.rollout });
      const known = n % (rows.length + 1);
      for (const row of rows.slice(0, known)) add(row);
      const identities = new RowLookup(index);
      for (const [k, row] of rows.entries()) {
        const isNew = !names.has(nameOf(row));
        if (isNew) names.set(nameOf(row), k);
        if (k < known) continue;
        add(row);
        assert.equal(identities.add(k), isNew);
      }
      for (const row of [...rows, ...others]) {
        assert.equal(identities.find(row.task, row.rollout), names.get(nameOf(row)) ?? -1);
      }
    }),
  );
});

Deno.test("Identities finds each of 100,000 rows, and no other", () => {
  const index = new RowIndex(), identities = new RowLookup(index);
  for (let k = 0; k < 100_000; k++) {
    index.add({ offset: 0, length: 0, route: 0, task: k >> 2, rollout: k & 3 });
    identities.add(k);
  }
  for (let k = 0; k < 100_000; k++) assert.equal(identities.find(k >> 2, k & 3), k);
  assert.equal(identities.find(25_000, 0), -1);
  assert.equal(identities.find(0, 4), -1);
});
