import assert from "node:assert/strict";
import fc from "fast-check";
import { findRange, parseRanges, rangesText } from "../../src/kit/ranges.ts";

for (
  const [text, want] of [
    ["17", "17"],
    ["17,20-29", "17,20-29"],
    [" 20 - 29 , 17 ", "17,20-29"],
    ["5,4,3,9", "3-5,9"],
    ["0-9,5-20,21", "0-21"],
    ["7-7", "7"],
    ...["", ",", "1,", "a", "-1", "1-", "3-2", "1.5", "1e3", "9007199254740992", "1 2"].map((text) =>
      [text, undefined] as const
    ),
  ] as const
) {
  Deno.test(`parseRanges() makes ${want ?? "nothing"} of "${text}"`, () => {
    const ranges = parseRanges(text);
    assert.equal(ranges && rangesText(ranges), want);
  });
}

Deno.test("findRange() finds exactly the numbers that were listed", () => {
  const numbers = fc.array(fc.nat(60), { minLength: 1, maxLength: 12 });
  fc.assert(fc.property(numbers, fc.nat(60), (listed, n) => {
    const ranges = parseRanges(listed.join(","))!;
    assert.equal(findRange(ranges, n) >= 0, listed.includes(n));
  }));
});
