/** A set of task numbers. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { TaskSet } from "../../src/results/task_set.ts";

Deno.test("a set of tasks holds what was added, whatever the numbers", () => {
  const number = fc.oneof(fc.nat(40), fc.nat(100_000), fc.maxSafeInteger());
  fc.assert(fc.property(fc.array(number), fc.array(number), (added, asked) => {
    const tasks = new TaskSet(), model = new Set(added);
    for (const one of added) tasks.add(one);
    assert.equal(tasks.size, model.size);
    for (const one of [...added, ...asked]) assert.equal(tasks.has(one), model.has(one));
  }));
});
