import assert from "node:assert/strict";
import { readObject } from "../../src/json/object.ts";
import { ownId } from "../../src/record/task_name.ts";

for (
  const [row, id] of [
    ['{"id":"d","instance_id":"c","problem_id":"b","task_id":"a"}', "a"],
    ['{"id":"d","instance_id":"c","problem_id":7.0}', "7.0"],
    ['{"id":-3,"instance_id":null}', "-3"],
    ['{"id":"d","task_id":{"x":1},"problem_id":["b"]}', "d"],
    ['{"task_id":{"taskset":"math","task_id":17},"task_input":{}}', "math/17"],
    ['{"task_id":"","id":"é\\n"}', "é\n"],
    ['{"id":true}', undefined],
    ["{}", undefined],
  ] as const
) {
  Deno.test(`ownId() of ${row} is ${id}`, () => {
    assert.equal(ownId(readObject(new TextEncoder().encode(row))), id);
  });
}
