import assert from "node:assert/strict";
import fc from "fast-check";
import { ClusterError } from "../../src/statistics/cluster.ts";
import { Column } from "../../src/statistics/column.ts";
import { close, value } from "./_plainly.ts";

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
