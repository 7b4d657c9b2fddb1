import assert from "node:assert/strict";
import { headersOf } from "../../src/config/headers.ts";
import { UsageFault } from "../../src/kit/fault.ts";

const HIDDEN = "hunter2";
const env = (name: string) => ({ KEY: ` ${HIDDEN} `, EMPTY: "", TORN: `a\n${HIDDEN}` })[name];

Deno.test("headersOf() takes values and variables, names in lower case and values without spaces around", () => {
  const headers = { "X-Team": " red team ", authorization: "Bearer é" };
  assert.deepEqual(headersOf({ headers, header_env: { "X-Key": "KEY" } }, env), {
    "x-team": "red team",
    authorization: "Bearer é",
    "x-key": HIDDEN,
  });
});

const WRONG: readonly [
  what: string,
  headers: Record<string, string>,
  variables: Record<string, string>,
  message: RegExp,
][] = [
  ...[
    "Host",
    "content-length",
    "Transfer-Encoding",
    "connection",
    "Content-Type",
    "Proxy-Authorization",
    "TE",
  ]
    .map((name) => [name, { [name]: HIDDEN }, {}, /cannot be set/] as const)
    .map(([name, ...rest]) =>
      [name, ...rest] as [string, Record<string, string>, Record<string, string>, RegExp]
    ),
  ["a name with a space", { "X Team": HIDDEN }, {}, /"X Team" \(headers\) is not the name of a header/],
  ["a name with a line break", { "X\r\nA": HIDDEN }, {}, /"X\\r\\nA" \(headers\) is not the name/],
  ["a line break in a value", { "X-A": `a\r\nX-B: ${HIDDEN}` }, {}, /a character that a header cannot carry/],
  ["a NUL in a value", { "X-A": `${HIDDEN}\0` }, {}, /a character that a header cannot carry/],
  ["a value beyond Latin-1", { "X-A": `${HIDDEN}→` }, {}, /a character that a header cannot carry/],
  ["a line break in a variable", {}, { "X-A": "TORN" }, /a character that a header cannot carry/],
  ["an empty value", { "X-A": " " }, {}, /the value of "X-A" \(headers\) is empty/],
  ["an empty variable", {}, { "X-A": "EMPTY" }, /the value of "X-A" \(header_env\) is empty/],
  ["a variable that is not set", {}, { "X-A": "NONE" }, /the environment variable NONE is not set/],
  ["a value instead of a variable", {}, { "X-A": `Bearer ${HIDDEN}` }, /is not the name of an environment/],
  ["one name twice", { "X-A": HIDDEN, "x-a": HIDDEN }, {}, /"x-a" \(headers\) is given twice/],
  ["a name in both keys", { "X-A": HIDDEN }, { "x-a": "KEY" }, /"x-a" \(header_env\) is given twice/],
];

for (const [what, headers, header_env, message] of WRONG) {
  Deno.test(`headersOf() refuses ${what}, and shows no value`, () => {
    assert.throws(() => headersOf({ headers, header_env }, env), (error) => {
      assert.ok(error instanceof UsageFault);
      assert.match(error.message, message);
      assert.ok(!error.message.includes(HIDDEN), error.message);
      return true;
    });
  });
}
