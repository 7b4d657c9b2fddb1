import assert from "node:assert/strict";
import fc from "fast-check";
import { Queue } from "../../src/kit/queue.ts";

Deno.test("Queue does what an array does with push() and shift()", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.record({ push: fc.integer({ min: 1, max: 3000 }) }),
          fc.record({ take: fc.integer({ min: 1, max: 3000 }) }),
        ),
      ),
      (steps) => {
        const queue = new Queue<number>(), array: number[] = [];
        let next = 0;
        for (const step of steps) {
          if ("push" in step) {
            for (let i = 0; i < step.push; i++, next++) {
              queue.push(next);
              array.push(next);
            }
          } else {
            for (let i = 0; i < step.take; i++) assert.equal(queue.shift(), array.shift());
          }
          assert.equal(queue.size, array.length);
          assert.equal(queue.peek(), array[0]);
        }
      },
    ),
    { numRuns: 50 },
  );
});

Deno.test("Queue that is empty yields nothing, and can be filled again", () => {
  const queue = new Queue<string>();
  assert.equal(queue.shift(), undefined);
  assert.equal(queue.peek(), undefined);
  queue.push("a");
  assert.equal(queue.peek(), "a");
  assert.equal(queue.shift(), "a");
  assert.equal(queue.shift(), undefined);
  assert.equal(queue.size, 0);
  queue.push("b");
  assert.equal(queue.shift(), "b");
});
