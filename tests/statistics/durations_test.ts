import assert from "node:assert/strict";
import fc from "fast-check";
import { Durations } from "../../src/statistics/durations.ts";

const EXACT = 100_000;

function durations(values: Iterable<number>): Durations {
  const all = new Durations();
  for (const value of values) all.add(value);
  return all;
}

const ascending = (a: number, b: number) => a - b;

/** The quantile by the book: linear interpolation between the two nearest ranks. */
function plainly(sorted: readonly number[], q: number): number {
  const place = q * (sorted.length - 1);
  const below = Math.floor(place), above = Math.ceil(place);
  return sorted[below]! + (sorted[above]! - sorted[below]!) * (place - below);
}

// What numpy.quantile(values, q) says.
for (
  const [values, q, want] of [
    [[5], 0, 5],
    [[5], 0.5, 5],
    [[5], 1, 5],
    [[1, 2], 0.5, 1.5],
    [[2, 1], 0.25, 1.25],
    [[1, 2, 3, 4], 0.75, 3.25],
    [[1, 2, 3, 4, 5], 0.75, 4],
    [[5, 1, 4, 2, 3], 0.9, 4.6],
    [[0, 0, 0, 10], 0.75, 2.5],
    [[3, 3, 3], 0.99, 3],
    [[1, 1000], 0.99, 990.01],
    [[0.1, 0.2, 0.4, 0.8], 0.5, 0.3],
  ] as const
) {
  Deno.test(`quantile(${q}) of ${values} is ${want}`, () => {
    assert.ok(Math.abs(durations(values).quantile(q)! - want) < 1e-9);
  });
}

Deno.test("quantile() of nothing is null, and its sum and maximum are 0", () => {
  const none = new Durations();
  assert.equal(none.quantile(0.5), null);
  assert.deepEqual([none.count, none.sum, none.max], [0, 0, 0]);
});

Deno.test("quantile() is the plain one at any time, whenever it was asked before", () => {
  const duration = fc.oneof(fc.constantFrom(0, 1, 1), fc.double({ min: 0, max: 1e6, noNaN: true }));
  const q = fc.oneof(fc.constantFrom(0, 0.5, 1), fc.double({ min: 0, max: 1, noNaN: true }));
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.array(duration, { maxLength: 300 }), q), { maxLength: 6 }), (rounds) => {
      const all = new Durations(), seen: number[] = [];
      for (const [values, q] of rounds) {
        for (const value of values) all.add(value);
        seen.push(...values);
        assert.equal(all.count, seen.length);
        if (seen.length === 0) continue;
        const want = plainly(seen.sort(ascending), q), got = all.quantile(q)!;
        assert.ok(Math.abs(got - want) <= 1e-9 * Math.max(1, want), `${got} is not ${want}`);
        assert.equal(all.max, Math.max(...seen));
        const sum = seen.reduce((a, b) => a + b);
        assert.ok(Math.abs(all.sum - sum) <= 1e-9 * Math.max(1, sum));
      }
    }),
  );
});

/** Numbers that look like chance and are the same each time. */
function* scattered(): Generator<number> {
  for (let state = 1;;) yield (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

const SHAPES: Readonly<Record<string, (chance: number) => number>> = {
  even: (chance) => chance * 100,
  "with a long tail": (chance) => 0.05 / (1.0001 - chance),
  "over many sizes": (chance) => 10 ** (chance * 9 - 4),
  "with many zeros": (chance) => chance < 0.3 ? 0 : chance,
};

for (const [name, shape] of Object.entries(SHAPES)) {
  Deno.test(`quantile() of more than 100,000 durations ${name} is within 1 %, also over the change to it`, () => {
    const all = new Durations(), seen: number[] = [], source = scattered();
    for (let n = 0; n < EXACT * 2; n++) {
      const value = shape(source.next().value!);
      all.add(value);
      seen.push(value);
      if (n + 1 !== EXACT && n + 1 !== EXACT + 1 && n + 1 !== EXACT * 2) continue;
      seen.sort(ascending);
      for (const q of [0, 0.01, 0.5, 0.75, 0.9, 0.99, 1]) {
        const want = plainly(seen, q), got = all.quantile(q)!;
        const tolerance = n < EXACT ? 1e-9 : 0.01;
        assert.ok(Math.abs(got - want) <= tolerance * want + 1e-12, `${n + 1}, ${q}: ${got} is not ${want}`);
      }
    }
    assert.equal(all.count, EXACT * 2);
    assert.equal(all.max, seen.reduce((a, b) => Math.max(a, b)));
  });
}
