import assert from "node:assert/strict";
import fc from "fast-check";
import { Column } from "../../src/statistics/column.ts";
import { close, mean, quantile, values } from "./_plainly.ts";

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
        close(column.sum, mean(all) * all.length, scale * all.length);
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
