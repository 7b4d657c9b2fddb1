import assert from "node:assert/strict";
import { StallWatch } from "../../src/schedule/stall.ts";

Deno.test("StallWatch names the oldest in flight on a stall, and only once", () => {
  const watch = new StallWatch(1000);
  for (const row of [7, 3, 5]) watch.starts(row, row * 10);
  watch.ends(3, 100);
  assert.equal(watch.stalled(1099, 5), undefined);
  assert.equal(watch.looksAt(1099), 1100);
  assert.deepEqual(watch.stalled(1100, 5), [{ row: 7, forMs: 1030 }, { row: 5, forMs: 1050 }]);
  assert.equal(watch.stalled(2500, 5), undefined);
  assert.equal(watch.looksAt(2500), 3500);
});

Deno.test("StallWatch names no more than it is asked for", () => {
  const watch = new StallWatch(10);
  for (let row = 0; row < 8; row++) watch.starts(row, 0);
  assert.deepEqual(watch.stalled(10, 2)?.map(({ row }) => row), [0, 1]);
});

Deno.test("StallWatch reports again after progress in between", () => {
  const watch = new StallWatch(10);
  watch.starts(0, 0);
  assert.ok(watch.stalled(10, 1));
  watch.starts(1, 12);
  assert.equal(watch.stalled(21, 1), undefined);
  assert.ok(watch.stalled(22, 1));
});

Deno.test("StallWatch is quiet when nothing is in flight", () => {
  const watch = new StallWatch(10);
  watch.starts(0, 0);
  watch.ends(0, 1);
  assert.equal(watch.stalled(1000, 1), undefined);
});

Deno.test("StallWatch counts a restarted row as new", () => {
  const watch = new StallWatch(10);
  watch.starts(0, 0);
  watch.starts(1, 1);
  watch.ends(0, 2);
  watch.starts(0, 3);
  assert.deepEqual(watch.stalled(20, 9), [{ row: 1, forMs: 19 }, { row: 0, forMs: 17 }]);
});

Deno.test("StallWatch says for how long nothing has moved; asking whether a server is back moves nothing", () => {
  const watch = new StallWatch(1000);
  assert.equal(watch.quiet(5), undefined);
  watch.starts(3, 10);
  watch.starts(4, 20);
  watch.ends(3, 30);
  watch.starts(5, 40, false);
  watch.ends(5, 50, false);
  assert.deepEqual(watch.quiet(70), { forMs: 40, oldest: 4 });
  watch.ends(4, 80);
  assert.deepEqual(watch.quiet(90), { forMs: 10, oldest: undefined });
});
