import assert from "node:assert/strict";
import fc from "fast-check";
import { Quantiles } from "../../src/statistics/quantiles.ts";
import { quantile, quantileInOrder, values } from "./_plainly.ts";

const EXACT = 100_000;

function quantilesOf(values: Iterable<number>, limit: number): Quantiles {
  const all = new Quantiles(limit);
  for (const value of values) all.add(value);
  return all;
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
  Deno.test(`at(${q}) of ${values} is ${want}`, () => {
    assert.ok(Math.abs(quantilesOf(values, 100).at(q) - want) < 1e-9);
  });
}

Deno.test("at() of nothing is NaN", () => {
  assert.deepEqual(new Quantiles(5).at(0.5), NaN);
});

Deno.test("at() is the plain quantile at any time, whenever it was asked before", () => {
  const value = fc.oneof(fc.constantFrom(0, 1, 1), fc.double({ min: -1e6, max: 1e6, noNaN: true }));
  const q = fc.oneof(fc.constantFrom(0, 0.5, 1), fc.double({ min: 0, max: 1, noNaN: true }));
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.array(value, { maxLength: 300 }), q), { maxLength: 6 }), (rounds) => {
      const all = new Quantiles(EXACT), seen: number[] = [];
      for (const [values, q] of rounds) {
        for (const value of values) all.add(value);
        seen.push(...values.map((value) => value + 0));
        assert.equal(all.count, seen.length);
        if (seen.length === 0) continue;
        const want = quantile(seen, q), got = all.at(q);
        assert.ok(Math.abs(got - want) <= 1e-9 * Math.max(1, Math.abs(want)), `${got} is not ${want}`);
        assert.equal(all.max, Math.max(...seen));
        assert.equal(all.min, Math.min(...seen));
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
  Deno.test(`at() of more than 100,000 durations ${name} is within 1 %, also over the change to it`, () => {
    const all = new Quantiles(EXACT), seen: number[] = [], source = scattered();
    for (let n = 0; n < EXACT * 2; n++) {
      const value = shape(source.next().value!);
      all.add(value);
      seen.push(value);
      if (n + 1 !== EXACT && n + 1 !== EXACT + 1 && n + 1 !== EXACT * 2) continue;
      const sorted = Float64Array.from(seen).sort();
      for (const q of [0, 0.01, 0.5, 0.75, 0.9, 0.99, 1]) {
        const want = quantileInOrder(sorted, q), got = all.at(q);
        const tolerance = n < EXACT ? 1e-9 : 0.01;
        assert.ok(Math.abs(got - want) <= tolerance * want + 1e-12, `${n + 1}, ${q}: ${got} is not ${want}`);
      }
    }
    assert.equal(all.count, EXACT * 2);
    assert.equal(all.max, seen.reduce((a, b) => Math.max(a, b)));
  });
}

Deno.test("Quantiles is exact up to its limit", () => {
  fc.assert(fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (all, q) => {
    const quantiles = new Quantiles(all.length);
    for (const one of all) quantiles.add(one);
    assert.ok(quantiles.isExact);
    assert.equal(quantiles.at(q), quantile(all, q));
  }));
});

Deno.test("Quantiles beyond its limit is within half a percent, and never outside the values", () => {
  const quantiles = new Quantiles(100), all: number[] = [];
  for (let k = 0; k < 20_000; k++) {
    const one = (k * 7919 % 20_011) * (k % 3 === 0 ? -1 : 1);
    all.push(one);
    quantiles.add(one);
  }
  assert.ok(!quantiles.isExact);
  for (const q of [0, 0.01, 0.25, 0.5, 0.75, 0.99, 1]) {
    const exact = quantile(all, q), found = quantiles.at(q);
    assert.ok(Math.abs(found - exact) <= Math.abs(exact) * 0.006 + 5, `${q}: ${found}, not ${exact}`);
    assert.ok(found >= quantiles.min && found <= quantiles.max);
  }
});

Deno.test("Quantiles stays exact for any number of values if few are distinct", () => {
  const rewards = new Quantiles(16);
  for (let k = 0; k < 1000; k++) rewards.add(k % 3 === 0 ? 0 : 1);
  assert.ok(rewards.isExact);
  assert.deepEqual([0, 0.25, 0.5, 1].map((q) => rewards.at(q)), [0, 0, 1, 1]);
  fc.assert(fc.property(
    fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 1, maxLength: 300 }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    (all, q) => {
      const quantiles = new Quantiles(64);
      for (const one of all) quantiles.add(one);
      assert.ok(quantiles.isExact);
      assert.equal(quantiles.at(q), quantile(all, q));
    },
  ));
});
