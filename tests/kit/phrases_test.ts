import assert from "node:assert/strict";
import { duration, figures, frequency, metric, plural, size, whole } from "../../src/kit/phrases.ts";

function rows<T>(name: string, of: (value: T) => string, table: readonly (readonly [T, string])[]) {
  for (const [value, want] of table) {
    Deno.test(`${name}() of ${value} is ${want}`, () => assert.equal(of(value), want));
  }
}

rows("duration", duration, [
  [0, "0s"],
  [-1, "0s"],
  [0.0001, "1ms"],
  [0.32, "320ms"],
  [0.9994, "999ms"],
  [0.9996, "1.0s"],
  [4.24, "4.2s"],
  [9.96, "10s"],
  [59.4, "59s"],
  [59.6, "1m00s"],
  [125, "2m05s"],
  [3599.6, "1h00m"],
  [3900, "1h05m"],
  [47.99 * 3600, "47h59m"],
  [48 * 3600, "2d00h"],
  [51 * 3600, "2d03h"],
]);

rows("frequency", frequency, [
  [1234.5, "1235/s"],
  [34.24, "34.2/s"],
  [3.04, "3/s"],
  [1, "1/s"],
  [0.2, "12/min"],
  [0.0066, "0.4/min"],
  [0, "0/min"],
]);

rows("size", size, [
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1 kB"],
  [341_234, "341 kB"],
  [999_600, "1 MB"],
  [4.2e9, "4.2 GB"],
  [3e18, "3000 PB"],
]);

rows("whole", whole, [[0, "0"], [9999, "9999"], [10_000, "10,000"], [1_234_567, "1,234,567"]]);

rows("figures", figures, [[0.0263, "0.026"], [3.44, "3.4"], [34.24, "34.2"], [99.97, "100"], [
  12_345,
  "12,345",
]]);

rows("metric", metric, [
  [0, "0"],
  [1, "1"],
  [12_000, "12,000"],
  [0.8125, "0.8125"],
  [1 / 3, "0.3333"],
  [0.0123456, "0.01235"],
  [123.456, "123.5"],
  [-1234.56, "-1234.6"],
  [0.99999, "1"],
  [0.00001, "1e-5"],
  [1.2345e-7, "1.23e-7"],
  [1e21, "1e+21"],
  [NaN, "NaN"],
]);

Deno.test("plural() says one row and two rows", () => {
  assert.deepEqual([plural(1, "row"), plural(0, "row"), plural(12_000, "row")], [
    "1 row",
    "0 rows",
    "12,000 rows",
  ]);
});
