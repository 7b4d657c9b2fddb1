import assert from "node:assert/strict";
import { dumps, float, number, repr, str } from "../../src/rows/python.ts";
import { readTree } from "../../src/rows/tree.ts";
import { bytes } from "./_rows.ts";

const tree = (json: string) => readTree(bytes(json));

// What Python 3.11 answers.
for (
  const [n, want] of [
    [0, "0.0"],
    [-0, "-0.0"],
    [1, "1.0"],
    [2.5, "2.5"],
    [0.1, "0.1"],
    [0.0001, "0.0001"],
    [0.00001, "1e-05"],
    [1e-7, "1e-07"],
    [-1.25e-7, "-1.25e-07"],
    [123456789.125, "123456789.125"],
    [1e15, "1000000000000000.0"],
    [1e16, "1e+16"],
    [12345678901234567890, "1.2345678901234567e+19"],
    [1e100, "1e+100"],
    [5e-324, "5e-324"],
    [1.7976931348623157e308, "1.7976931348623157e+308"],
    [Infinity, "inf"],
    [-Infinity, "-inf"],
    [NaN, "nan"],
  ] as const
) {
  Deno.test(`float() writes ${Object.is(n, -0) ? "-0" : n} as ${want}`, () => assert.equal(float(n), want));
}

for (
  const [written, want] of [
    ["42", "42"],
    ["-0", "0"],
    ["12345678901234567890123", "12345678901234567890123"],
    ["1.0", "1.0"],
    ["0.10", "0.1"],
    ["1E5", "100000.0"],
    ["1e-07", "1e-07"],
    ["-0.0", "-0.0"],
    ["1e400", "inf"],
  ] as const
) {
  Deno.test(`number() writes ${written} as ${want}`, () => assert.equal(number(written), want));
}

for (
  const [json, want] of [
    [`"it's"`, "it's"],
    [`["it's"]`, `["it's"]`],
    [`["a\\"b"]`, `['a"b']`],
    [`["it's a \\"b\\""]`, `['it\\'s a "b"']`],
    [`["a\\\\b\\n\\r\\t"]`, `['a\\\\b\\n\\r\\t']`],
    [`["\\u0000\\u001f\\u007f\\u00a0\\u200b\\ufeff"]`, `['\\x00\\x1f\\x7f\\xa0\\u200b\\ufeff']`],
    [`["\\ud83d", "\\udb40\\udc01"]`, `['\\ud83d', '\\U000e0001']`],
    [`["Zoë ☃ 😀"]`, `['Zoë ☃ 😀']`],
    [`[1, "a", true, null, []]`, `[1, 'a', True, None, []]`],
    [`{"b": 1, "2": {"x": false}, "1": 1e-07}`, `{'b': 1, '2': {'x': False}, '1': 1e-07}`],
    [`{"a": 1, "b": 2, "a": 3}`, `{'a': 3, 'b': 2}`],
    [`{}`, `{}`],
  ] as const
) {
  Deno.test(`str() writes ${json} as ${want}`, () => assert.equal(str(tree(json)), want));
}

for (
  const [json, want] of [
    [`{"top_k":5,"min_p":0.10,"x":[1,2]}`, `{"top_k": 5, "min_p": 0.1, "x": [1, 2]}`],
    [`"caf\\u00e9 \\ud83d\\ude00 \\u007f\\b"`, `"caf\\u00e9 \\ud83d\\ude00 \\u007f\\b"`],
    [`[1e-07, 1.0, 12345678901234567890, -0.0]`, `[1e-07, 1.0, 12345678901234567890, -0.0]`],
    [`[true, null, {"2": 0, "1": 0}]`, `[true, null, {"2": 0, "1": 0}]`],
    [`1e400`, `1e400`],
  ] as const
) {
  Deno.test(`dumps() writes ${json} as ${want}`, () => assert.equal(dumps(tree(json)), want));
}

Deno.test("repr() quotes a string, str() does not", () => {
  assert.equal(repr("a"), "'a'");
  assert.equal(str("a"), "a");
});
