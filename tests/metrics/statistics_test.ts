/** The folds: each against the plain computation over all values, in any order. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { ClusterError } from "../../src/statistics/cluster.ts";
import { Column } from "../../src/statistics/column.ts";
import { PassRates } from "../../src/statistics/pass.ts";
import { Quantiles } from "../../src/statistics/quantiles.ts";
import { t95 } from "../../src/statistics/student.ts";

const value = fc.double({ min: -1e9, max: 1e9, noNaN: true });
const values = fc.array(value, { minLength: 1, maxLength: 60 });

function close(actual: number, expected: number, scale: number): void {
  assert.ok(Math.abs(actual - expected) <= 1e-9 * Math.max(scale, 1e-9), `${actual}, not ${expected}`);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b), place = q * (sorted.length - 1), below = Math.floor(place);
  const above = sorted[Math.min(below + 1, sorted.length - 1)]!;
  return sorted[below]! + (above - sorted[below]!) * (place - below);
}

Deno.test("Column is the mean, deviation, extremes and median of its values, in whatever order they come", () => {
  fc.assert(
    fc.property(
      values.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
      ([all, mixed]) => {
        const scale = Math.max(...all.map(Math.abs));
        const column = new Column(1000);
        for (const one of mixed) column.add(one);
        assert.equal(column.count, all.length);
        assert.deepEqual([column.min, column.max], [Math.min(...all), Math.max(...all)]);
        close(column.mean, mean(all), scale);
        const squares = all.reduce((sum, one) => sum + (one - mean(all)) ** 2, 0);
        close(column.std, all.length < 2 ? 0 : Math.sqrt(squares / (all.length - 1)), scale);
        assert.equal(column.median, quantile(all, 0.5));
        const inOrder = new Column(1000);
        for (const one of all) inOrder.add(one);
        assert.equal(column.mean, inOrder.mean, "to the last digit");
      },
    ),
  );
});

Deno.test("Quantiles is exact up to its limit", () => {
  fc.assert(fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (all, q) => {
    const quantiles = new Quantiles(all.length);
    for (const one of all) quantiles.add(one);
    assert.ok(quantiles.isExact);
    assert.deepEqual(quantiles.at(q), [quantile(all, q)]);
  }));
  assert.deepEqual(new Quantiles(5).at(0.5), [NaN]);
});

Deno.test("Quantiles beyond its limit is within half a percent, and never outside of what there is", () => {
  const quantiles = new Quantiles(100), all: number[] = [];
  for (let k = 0; k < 20_000; k++) {
    const one = (k * 7919 % 20_011) * (k % 3 === 0 ? -1 : 1);
    all.push(one);
    quantiles.add(one);
  }
  assert.ok(!quantiles.isExact);
  for (const q of [0, 0.01, 0.25, 0.5, 0.75, 0.99, 1]) {
    const exact = quantile(all, q), [found] = quantiles.at(q);
    assert.ok(Math.abs(found! - exact) <= Math.abs(exact) * 0.006 + 5, `${q}: ${found}, not ${exact}`);
    assert.ok(found! >= quantiles.min && found! <= quantiles.max);
  }
});

Deno.test("Quantiles stays exact for any number of values of which few are different", () => {
  const rewards = new Quantiles(16);
  for (let k = 0; k < 1000; k++) rewards.add(k % 3 === 0 ? 0 : 1);
  assert.ok(rewards.isExact);
  assert.deepEqual(rewards.at(0, 0.25, 0.5, 1), [0, 0, 1, 1]);
  fc.assert(fc.property(
    fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 1, maxLength: 300 }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    (all, q) => {
      const quantiles = new Quantiles(64);
      for (const one of all) quantiles.add(one);
      assert.ok(quantiles.isExact);
      assert.deepEqual(quantiles.at(q), [quantile(all, q)]);
    },
  ));
});

Deno.test("t95() is Student's 0.975-quantile", () => {
  // As scipy and the printed tables have it.
  const known: [number, number][] = [
    [1, 12.706204736174694],
    [2, 4.302652729749462],
    [3, 3.182446305283708],
    [4, 2.776445105197794],
    [7, 2.3646242515927858],
    [10, 2.2281388519862744],
    [30, 2.0422724563012378],
    [99, 1.9842169515864172],
    [1000, 1.9623390808264083],
    [100_000, 1.9599877075346093],
  ];
  for (const [degrees, t] of known) close(t95(degrees), t, 1e-3);
  assert.ok(t95(1e9) > 1.95996398 && t95(1e9) < 1.95996399);
  for (let degrees = 1; degrees < 1100; degrees++) assert.ok(t95(degrees) > t95(degrees + 1), `${degrees}`);
});

Deno.test("PassRates is the share of choices of k rollouts with one success, and with nothing else", () => {
  const task = fc.integer({ min: 1, max: 7 }).chain((n) =>
    fc.array(fc.boolean(), { minLength: n, maxLength: n })
  );
  fc.assert(fc.property(fc.array(task, { minLength: 1, maxLength: 5 }), (tasks) => {
    const rates = new PassRates();
    for (const task of tasks) rates.add(task.length, task.filter(Boolean).length);
    const metrics = rates.metrics(), most = Math.max(...tasks.map((task) => task.length));
    assert.equal(Object.keys(metrics).length, 2 * most);
    for (let k = 1; k <= most; k++) {
      const able = tasks.filter((task) => task.length >= k);
      const share = (succeeds: (choice: boolean[]) => boolean) =>
        100 * mean(able.map((task) => mean(choices(task, k).map((choice) => succeeds(choice) ? 1 : 0))));
      close(metrics[`pass@${k}/accuracy`]!, share((choice) => choice.some(Boolean)), 100);
      close(metrics[`pass^${k}/accuracy`]!, share((choice) => choice.every(Boolean)), 100);
    }
  }));
});

function choices<T>(items: readonly T[], k: number): T[][] {
  if (k === 0) return [[]];
  return items.flatMap((item, at) => choices(items.slice(at + 1), k - 1).map((rest) => [item, ...rest]));
}

Deno.test("ClusterError of clusters of one value is the usual standard error", () => {
  fc.assert(fc.property(fc.array(value, { minLength: 2, maxLength: 40 }), (all) => {
    const error = new ClusterError(), column = new Column(100);
    for (const one of all) {
      error.add([one]);
      column.add(one);
    }
    const scale = Math.max(...all.map(Math.abs));
    // The squares are summed, so of values that hardly differ only half of the digits are left.
    const found = error.of(column.mean, column.count)!, usual = column.std / Math.sqrt(all.length);
    assert.ok(Math.abs(found - usual) <= 1e-6 * Math.max(scale, 1e-9), `${found}, not ${usual}`);
  }));
});

Deno.test("ClusterError counts values that always come together once", () => {
  const error = new ClusterError(), alone = new ClusterError();
  for (const one of [0, 1, 1, 0, 1]) {
    error.add([one, one, one, one]);
    alone.add([one]);
  }
  close(error.of(0.6, 20)!, alone.of(0.6, 5)!, 1);
  assert.equal(new ClusterError().of(0, 0), undefined);
});
