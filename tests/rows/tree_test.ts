import assert from "node:assert/strict";
import fc from "fast-check";
import { JsonFault } from "../../src/json/scan.ts";
import { NumberText, readTree, type Tree } from "../../src/rows/tree.ts";
import { bytes } from "./_rows.ts";

/** What `JSON.parse` would have made of it. */
function plain(value: Tree): unknown {
  if (value instanceof NumberText) return Number(value.text);
  if (Array.isArray(value)) return value.map(plain);
  return value instanceof Map
    ? Object.fromEntries([...value].map(([name, item]) => [name, plain(item)]))
    : value;
}

Deno.test("readTree() reads what JSON.parse reads", () => {
  fc.assert(fc.property(fc.json(), fc.constantFrom(0, 1), (json, indent) => {
    const value = JSON.parse(json);
    const read = plain(readTree(bytes(JSON.stringify(value, null, indent))));
    assert.equal(JSON.stringify(read), JSON.stringify(value));
  }));
});

Deno.test("readTree() keeps the text of numbers and the order of members", () => {
  const tree = readTree(bytes(`{"b": 1.0, "2": 12345678901234567890, "1": [1E5]}`)) as Map<string, Tree>;
  assert.deepEqual([...tree.keys()], ["b", "2", "1"]);
  assert.deepEqual(tree.get("2"), new NumberText("12345678901234567890"));
  assert.deepEqual(tree.get("1"), [new NumberText("1E5")]);
});

Deno.test("readTree() refuses what is nested too deep instead of running out of stack", () => {
  readTree(bytes("[".repeat(1000) + "]".repeat(1000)));
  assert.throws(() => readTree(bytes("[".repeat(1e6) + "]".repeat(1e6))), JsonFault);
});
