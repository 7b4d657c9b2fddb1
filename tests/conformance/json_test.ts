import assert from "node:assert/strict";
import fc from "fast-check";
import {
  dumps,
  isEmpty,
  type Json,
  kindOf,
  linesOf,
  Num,
  parseJson,
  parseOrText,
  tryParseJson,
} from "./json.ts";

Deno.test("Num.equals() compares kind and exact value, not spelling", () => {
  const equal: [string, string][] = [
    ["1", "1"],
    ["-0", "0"],
    ["1.0", "1.00"],
    ["1e-7", "1e-07"],
    ["1E5", "100000.0"],
    ["-0.0", "0.0"],
    ["NaN", "NaN"],
    ["-Infinity", "-Infinity"],
    ["12345678901234567890", "12345678901234567890"],
  ];
  const different: [string, string][] = [
    ["1", "1.0"],
    ["1", "2"],
    ["12345678901234567890", "12345678901234567891"],
    ["0.1", "0.10000000000000002"],
    ["Infinity", "-Infinity"],
    ["100000", "1e5"],
  ];
  for (const [a, b] of equal) assert.ok(new Num(a).equals(new Num(b)), `${a} = ${b}`);
  for (const [a, b] of different) assert.ok(!new Num(a).equals(new Num(b)), `${a} ≠ ${b}`);
});

Deno.test("parseJson() and dumps() keep every number as it was written", () => {
  const text =
    '{"a": [1.0, 1e-07, 12345678901234567890, -0], "b": {"c": 1E+2, "d": "1.0"}, "e": [], "f": {}}';
  assert.equal(dumps(parseJson(text)), text);
});

Deno.test("parseJson() reads NaN and Infinity as Python does, outside of texts alone", () => {
  const text = '{"a": NaN, "b": [Infinity, -Infinity], "c": "NaN \\" Infinity", "d": 1.50}';
  assert.equal(dumps(parseJson(text)), text);
  assert.throws(() => parseJson('{"a": NaNa}'), SyntaxError);
  assert.throws(() => parseJson('{"a": "NaN"'), SyntaxError);
});

Deno.test("parseJson() makes a member of __proto__", () => {
  assert.equal(dumps(parseJson('{"__proto__": {"a": 1}}')), '{"__proto__": {"a": 1}}');
});

Deno.test("dumps() writes JSON that means the same, for any value", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    const text = JSON.stringify(value);
    assert.deepEqual(JSON.parse(dumps(parseJson(text))), JSON.parse(text));
  }));
});

Deno.test("parseOrText() gives the text when it is not JSON, and null for null", () => {
  assert.equal(parseOrText("null"), null);
  assert.equal(parseOrText("{broken"), "{broken");
  assert.equal(tryParseJson("{broken"), undefined);
  assert.equal(tryParseJson("\ufeff{}"), undefined, "a byte order mark is not JSON");
});

Deno.test("kindOf() distinguishes six kinds", () => {
  const values: Json[] = [null, true, "a", new Num("1"), [], {}];
  assert.deepEqual(values.map(kindOf), ["null", "boolean", "string", "number", "array", "object"]);
});

Deno.test("isEmpty() follows Python, except that numbers are never empty", () => {
  for (const value of [undefined, null, false, "", [], {}]) assert.ok(isEmpty(value), String(value));
  for (const value of [true, "a", [null], { a: null }, new Num("0")]) {
    assert.ok(!isEmpty(value), String(value));
  }
});

Deno.test("linesOf() leaves blank lines out and splits at newlines alone", () => {
  assert.deepEqual(linesOf("a\n\n  \nb\u2028c\r\n"), ["a", "b\u2028c\r"]);
});
