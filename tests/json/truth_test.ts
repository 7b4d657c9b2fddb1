import assert from "node:assert/strict";
import { isTrue } from "../../src/json/truth.ts";

for (
  const [json, want] of [
    ["true", true],
    ["false", false],
    ["null", false],
    ["0", false],
    ["-0.0", false],
    ["0.5", true],
    ['""', false],
    ['"false"', true],
    ["[]", false],
    ["[ ]", false],
    ["[0]", true],
    ["{}", false],
    ['{"a":0}', true],
  ] as const
) {
  Deno.test(`isTrue() of ${json} is ${want}, as in Python`, () => {
    assert.equal(isTrue(new TextEncoder().encode(json)), want);
  });
}

Deno.test("isTrue() of nothing is false", () => {
  assert.equal(isTrue(undefined), false);
});
