import assert from "node:assert/strict";
import fc from "fast-check";
import { numberAt } from "../../src/json/number.ts";

function read(json: string): number | undefined {
  const bytes = new TextEncoder().encode(`[${json}]`);
  return numberAt(bytes, 1, bytes.length - 1);
}

Deno.test("numberAt() reads numbers as JSON.parse does", () => {
  fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
    assert.equal(read(JSON.stringify(number)), JSON.parse(JSON.stringify(number)));
  }));
  fc.assert(fc.property(fc.integer(), fc.nat(999_999_999), fc.boolean(), (whole, rest, negative) => {
    const json = `${negative && whole >= 0 ? "-" : ""}${whole}.${rest}`;
    assert.ok(Object.is(read(json), JSON.parse(json)), json);
  }));
});

for (
  const json of [
    "0",
    "-0",
    "0.0",
    "-0.0",
    "1.0",
    "0.1",
    "999999999999999",
    "9007199254740993",
    "12345678901234567890",
    "0.30000000000000004",
    "123456789012345.6",
    "1e-07",
    "2.5E+3",
    "-1.7976931348623157e308",
    "5e-324",
  ]
) {
  Deno.test(`numberAt() reads ${json}`, () => assert.ok(Object.is(read(json), JSON.parse(json))));
}

Deno.test("numberAt() reads booleans as 0 and 1, and nothing else as a number", () => {
  assert.deepEqual([read("true"), read("false")], [1, 0]);
  for (const json of ["null", '"1"', "[1]", "{}", "1e400", "-1e400"]) {
    assert.equal(read(json), undefined, json);
  }
});
