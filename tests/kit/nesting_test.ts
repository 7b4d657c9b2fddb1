import assert from "node:assert/strict";
import { isDeeperThan } from "../../src/kit/nesting.ts";

/** So many lists in one another. */
function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let k = 0; k < depth; k++) value = k % 2 ? { a: value } : [value];
  return value;
}

Deno.test("isDeeperThan() counts maps and lists in one another, however many there are", () => {
  assert.equal(isDeeperThan(nested(0), 0), false);
  assert.equal(isDeeperThan(nested(5), 5), false);
  assert.equal(isDeeperThan(nested(6), 5), true);
  assert.equal(isDeeperThan(nested(1_000_000), 100), true);
  assert.equal(isDeeperThan([nested(3), null, "x", nested(5)], 5), true);
});

Deno.test("isDeeperThan() ends for what contains itself, and for aliases of aliases", () => {
  const circle: unknown[] = [];
  circle.push(circle);
  assert.equal(isDeeperThan(circle, 100), true);
  let laughs: unknown = "ha";
  for (let k = 0; k < 50; k++) laughs = Array(10).fill(laughs);
  assert.equal(isDeeperThan(laughs, 50), false);
});
