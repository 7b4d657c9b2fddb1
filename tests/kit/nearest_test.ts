import assert from "node:assert/strict";
import { nearest, suggestion } from "../../src/kit/nearest.ts";

for (
  const [wanted, names, want] of [
    ["num_repeat", ["limit", "num_repeats", "num_samples_in_parallel"], "num_repeats"],
    ["agnet", ["agent", "server"], "agent"],
    ["solver", ["solver"], "solver"],
    ["ab", ["abcd"], undefined],
    ["ab", ["abc"], "abc"],
    ["n", ["ca"], undefined],
    ["abc", ["abcde"], "abcde"],
    ["ab", ["abcde"], undefined],
    ["x", ["completely_different"], undefined],
    ["abcdefghi", ["abcdef"], "abcdef"],
    ["abcdefghi", ["abcde"], undefined],
    ["agent", [], undefined],
    ["cat", ["bat", "hat"], "bat"], // the first of equals
    ["cat", ["hats", "bat"], "bat"], // the nearest, wherever it stands
    ["", ["ab", "abc"], undefined],
  ] as const
) {
  Deno.test(`nearest() to ${JSON.stringify(wanted)} among [${names}] is ${want}`, () => {
    assert.equal(nearest(wanted, names), want);
  });
}

Deno.test("suggestion() is a question in parentheses, or nothing", () => {
  assert.equal(suggestion("limt", ["limit"]), ` (did you mean "limit"?)`);
  assert.equal(suggestion("x", ["limit"]), "");
});
