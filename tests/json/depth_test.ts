import assert from "node:assert/strict";
import fc from "fast-check";
import { depthOf } from "../../src/json/depth.ts";

const depth = (json: string) => depthOf(new TextEncoder().encode(json));

for (
  const [json, want] of [
    ["1", 0],
    ['"[[{"', 0],
    ['"\\"[\\\\"', 0],
    ["[]", 1],
    ['[{"a":[1]},[]]', 3],
    ["[".repeat(100_000) + "]".repeat(100_000), 100_000],
  ] as const
) {
  Deno.test(`depthOf() of ${json.slice(0, 20)} is ${want}`, () => assert.equal(depth(json), want));
}

Deno.test("depthOf() of any value is that of its objects and lists", () => {
  const of = (value: unknown): number =>
    typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(of)) : 0;
  fc.assert(fc.property(fc.jsonValue(), (value) => assert.equal(depth(JSON.stringify(value)), of(value))));
});
