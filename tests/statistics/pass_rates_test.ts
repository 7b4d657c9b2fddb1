import fc from "fast-check";
import assert from "node:assert/strict";
import { PassRates } from "../../src/statistics/pass_rates.ts";
import { close, mean } from "./_plainly.ts";

Deno.test("PassRates is the share of choices of k rollouts with one success, and with nothing else", () => {
  const task = fc.integer({ min: 1, max: 7 }).chain((n) =>
    fc.array(fc.boolean(), { minLength: n, maxLength: n })
  );
  fc.assert(fc.property(fc.array(task, { minLength: 1, maxLength: 5 }), (tasks) => {
    const rates = new PassRates();
    for (const task of tasks) rates.add(task.length, task.filter(Boolean).length);
    const found = [...rates.rates()], most = Math.max(...tasks.map((task) => task.length));
    assert.deepEqual(found.map(({ k }) => k), found.map((_, at) => at + 1));
    assert.equal(found.length, most);
    for (const { k, any, all } of found) {
      const able = tasks.filter((task) => task.length >= k);
      const share = (succeeds: (choice: boolean[]) => boolean) =>
        100 * mean(able.map((task) => mean(choices(task, k).map((choice) => succeeds(choice) ? 1 : 0))));
      close(any, share((choice) => choice.some(Boolean)), 100);
      close(all, share((choice) => choice.every(Boolean)), 100);
    }
  }));
});

function choices<T>(items: readonly T[], k: number): T[][] {
  if (k === 0) return [[]];
  return items.flatMap((item, at) => choices(items.slice(at + 1), k - 1).map((rest) => [item, ...rest]));
}
