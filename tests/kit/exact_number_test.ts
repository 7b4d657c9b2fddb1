import assert from "node:assert/strict";
import { exactNumber, isExact } from "../../src/kit/exact_number.ts";

for (
  const [text, want] of [
    ["1", "1"],
    ["-7", "-7"],
    ["+7", "7"],
    ["1_000", "1000"],
    ["0", "0"],
    ["1.0", "1.0"],
    ["-0.0", "-0.0"],
    ["1.", "1.0"],
    ["0.5", "0.5"],
    ["1e3", "1000.0"],
    ["1e22", "1e+22"],
    ["1e-7", "1e-7"],
    [" 2.0 ", "2.0"],
    ["9007199254740993", "9007199254740993"],
    ["12345678901234567890", "12345678901234567890"],
    ["-12_345_678_901_234_567_890", "-12345678901234567890"],
    ["+9007199254740993", "9007199254740993"],
  ] as const
) {
  Deno.test(`exactNumber() of ${text} is written ${want}`, () => {
    const value = exactNumber(text, Number(text.replaceAll("_", "")));
    assert.equal(JSON.stringify({ value }), `{"value":${want}}`);
    assert.equal(isExact(value), typeof value !== "number");
  });
}

Deno.test("isExact() of anything else is false", () => {
  for (const value of [1, "1.0", null, undefined, {}, { rawJSON: "1.0" }]) {
    assert.equal(isExact(value), false);
  }
});
