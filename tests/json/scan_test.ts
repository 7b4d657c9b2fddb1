import assert from "node:assert/strict";
import fc from "fast-check";
import { JsonFault, skipKey, skipSpace, skipString, skipValue, unexpected } from "../../src/json/scan.ts";
import { bytes, isJson, mutated, stringText, valueText } from "./_texts.ts";

/** Whether the scanner takes bytes for one JSON value. */
function scans(given: Uint8Array): boolean {
  try {
    return skipSpace(given, skipValue(given, skipSpace(given, 0))) === given.length;
  } catch (error) {
    if (error instanceof JsonFault) return false;
    throw error;
  }
}

const VALID = [
  ..."0 -0 1 -1 10 1.0 0.5 -0.5 1e5 1E5 1e+5 1e-07 0e0 1.5E-300 1e400 12345678901234567890 9007199254740993"
    .split(" "),
  "null",
  "true",
  "false",
  `""`,
  `"a"`,
  `"\\"\\\\\\/\\b\\f\\n\\r\\t"`,
  `"\\u0000\\uFFFF\\uabcd"`,
  `"\\ud83d"`, // half a surrogate pair as an escape: JSON allows it
  `"\\ude00\\ud83d"`,
  `"\u2028\u2029\u0085"`,
  `"\u007f"`,
  `"é€😀"`,
  `"\ufeff"`,
  "[]",
  "[ ]",
  "[1]",
  "[1,2]",
  "[ 1 , 2 ]",
  "[[],[[]],{}]",
  "{}",
  "{ }",
  `{"a":1}`,
  `{ "a" : 1 , "a" : 2 }`,
  `{"":""}`,
  `{"a":{"b":[{"c":null}]}}`,
  " \t\r\n1 \t\r\n",
];

const INVALID = [
  "",
  " ",
  "NaN",
  "Infinity",
  "-Infinity",
  "-",
  "-a",
  "+1",
  "01",
  "-01",
  "00",
  "1.",
  ".5",
  "-.5",
  "1.e5",
  "1e",
  "1e+",
  "1e1.5",
  "0x10",
  "1_000",
  "1n",
  "1 2",
  "nul",
  "nulll",
  "Null",
  "True",
  "undefined",
  "tru",
  "truefalse",
  `"`,
  `"a`,
  `'a'`,
  `"\\`,
  `"\\"`,
  `"\\x41"`,
  `"\\u"`,
  `"\\u12"`,
  `"\\u123g"`,
  `"\\U0041"`,
  `"\\u 041"`,
  `"\\a"`,
  `"\\'"`,
  `"\t"`,
  `"\n"`,
  `"\0"`,
  `"\u001f"`,
  "[",
  "]",
  "[1",
  "[1,",
  "[1,]",
  "[,1]",
  "[,]",
  "[1 2]",
  "[1:2]",
  "[1}",
  "{",
  "}",
  "{1:2}",
  "{a:1}",
  `{"a"}`,
  `{"a":}`,
  `{"a":1,}`,
  `{,"a":1}`,
  `{"a":1 "b":2}`,
  `{"a":1]`,
  `{"a" 1}`,
  `{"a":1`,
  `{"a"`,
  `{"a":1,`,
  `{null:1}`,
  `["a":1]`,
  "// note\n1",
  "1 // note",
  "/**/1",
  "\ufeff1",
  "\u00a01",
  "\u20281",
  "\v1",
  "\f1",
  "1\0",
];

for (const json of VALID) {
  Deno.test(`skipValue() takes ${JSON.stringify(json)}`, () => {
    assert.ok(isJson(bytes(json)), "the table is wrong");
    assert.ok(scans(bytes(json)));
    // Inside a container too, where it has neighbours.
    assert.ok(scans(bytes(`[${json},${json}]`)));
    assert.ok(scans(bytes(`{"k":${json}}`)));
  });
}

for (const json of INVALID) {
  Deno.test(`skipValue() refuses ${JSON.stringify(json)}`, () => {
    assert.ok(!isJson(bytes(json)), "the table is wrong");
    assert.ok(!scans(bytes(json)));
    assert.ok(!scans(bytes(`{"k":${json}`)));
    assert.equal(scans(bytes(`[${json}]`)), isJson(bytes(`[${json}]`)));
  });
}

/** UTF-8 as bytes inside a JSON string, and whether it is well-formed. */
const UTF8: readonly [name: string, hex: string, valid: boolean][] = [
  ["first of two bytes", "c280", true],
  ["last of two bytes", "dfbf", true],
  ["first of three bytes", "e0a080", true],
  ["before the surrogates", "ed9fbf", true],
  ["after the surrogates", "ee8080", true],
  ["last of three bytes", "efbfbf", true],
  ["first of four bytes", "f0908080", true],
  ["last of all", "f48fbfbf", true],
  ["over-long slash, two bytes", "c0af", false],
  ["over-long, c1", "c1bf", false],
  ["over-long NUL", "c080", false],
  ["over-long slash, three bytes", "e080af", false],
  ["over-long, last of three bytes", "e09fbf", false],
  ["over-long slash, four bytes", "f08080af", false],
  ["over-long, last of four bytes", "f08fbfbf", false],
  ["first surrogate", "eda080", false],
  ["last surrogate", "edbfbf", false],
  ["a surrogate pair (CESU-8)", "eda0bdedb880", false],
  ["past the last character", "f4908080", false],
  ["f5", "f5808080", false],
  ["fe", "fe", false],
  ["ff", "ff", false],
  ["a tail alone", "80", false],
  ["another tail alone", "bf", false],
  ["two bytes without tail", "c3", false],
  ["two bytes, wrong tail", "c328", false],
  ["three bytes cut after one", "e2", false],
  ["three bytes cut after two", "e282", false],
  ["three bytes, wrong last", "e28228", false],
  ["three bytes, wrong second", "e228a1", false],
  ["four bytes cut after three", "f09f98", false],
  ["four bytes, wrong last", "f09f9828", false],
  ["four bytes, wrong third", "f09f2880", false],
  ["one tail too many", "c3a9a9", false],
];

for (const [name, hex, valid] of UTF8) {
  Deno.test(`skipString() ${valid ? "takes" : "refuses"} UTF-8: ${name}`, () => {
    const json = new Uint8Array([0x22, ...Uint8Array.fromHex(hex), 0x22]);
    assert.equal(isJson(json), valid, "the table is wrong");
    assert.equal(scans(json), valid);
    // Cut off inside the sequence, nothing beyond the end is read.
    for (let cut = 0; cut < json.length; cut++) assert.ok(!scans(json.subarray(0, cut)));
  });
}

Deno.test("skipString() agrees with the runtime on every byte, and on what may follow it", () => {
  const seconds = [0, 0x1f, 0x20, 0x22, 0x5c, 0x6e, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff];
  for (let first = 0; first < 256; first++) {
    for (const second of seconds) {
      const json = new Uint8Array([0x22, first, second, 0x22]);
      if (endsAt(json) !== isJson(json)) assert.fail(`wrong about ${json.toHex()}`);
    }
  }

  function endsAt(json: Uint8Array): boolean {
    try {
      return skipString(json, 0) === json.length;
    } catch (error) {
      if (error instanceof JsonFault) return false;
      throw error;
    }
  }
});

Deno.test("skipValue() agrees with the runtime on every text of up to two ASCII characters", () => {
  for (let a = 0; a < 128; a++) {
    assert.equal(scans(new Uint8Array([a])), isJson(new Uint8Array([a])), `${a}`);
    for (let b = 0; b < 128; b++) {
      const json = new Uint8Array([a, b]);
      if (scans(json) !== isJson(json)) assert.fail(`wrong about ${json.toHex()}`);
    }
  }
});

Deno.test("skipValue() takes any JSON text", () => {
  fc.assert(
    fc.property(valueText, (json) => {
      assert.ok(isJson(bytes(json)), "the arbitrary is wrong");
      assert.equal(skipValue(bytes(json), 0), bytes(json).length);
    }),
    { numRuns: 1000 },
  );
});

Deno.test("skipValue() takes what JSON.stringify writes, indented or not", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom("", " ", "\t"), (value, indent) => {
      assert.ok(scans(bytes(JSON.stringify(value, null, indent))));
    }),
  );
});

Deno.test("skipValue() agrees with the runtime on JSON texts with mistakes", () => {
  fc.assert(
    fc.property(mutated(valueText.map(bytes)), (given) => {
      assert.equal(scans(given), isJson(given));
    }),
    { numRuns: 5000 },
  );
});

Deno.test("skipString() agrees with the runtime on strings with mistakes", () => {
  fc.assert(
    fc.property(mutated(stringText.map(bytes)), (given) => {
      assert.equal(scans(given), isJson(given));
    }),
    { numRuns: 5000 },
  );
});

Deno.test("skipValue() ends where the value ends, whatever follows", () => {
  for (
    const [json, rest] of [
      [`{"a":[1,2]}`, `{"b":1}`],
      ["[1]", "]"],
      [`"a"`, `"b"`],
      ["12", " 3"],
      ["12", "a"],
      ["true", "false"],
      ["0", "1"],
    ] as const
  ) assert.equal(skipValue(bytes(json + rest), 0), json.length, json + rest);
});

for (
  const [name, open, inner, close] of [
    ["arrays", "[", "", "]"],
    ["objects", `{"a":`, "1", "}"],
    ["both", `[{"":`, `[]`, "}]"],
    ["spaced", "[ \n", "", " \n]"],
  ] as const
) {
  Deno.test(`skipValue() takes a million ${name} inside each other, and refuses them unclosed`, () => {
    const depth = 1_000_000, whole = bytes(open.repeat(depth) + inner + close.repeat(depth));
    assert.equal(skipValue(whole, 0), whole.length);
    assert.ok(!scans(whole.subarray(0, whole.length - 1)));
    assert.ok(!scans(bytes(open.repeat(depth))));
    whole[whole.length - 1] = 0x7c;
    assert.ok(!scans(whole));
  });
}

Deno.test("skipKey() finds the value after key, space and colon", () => {
  assert.equal(skipKey(bytes(`"a":1`), 0), 4);
  assert.equal(skipKey(bytes(`"a" :\n 1`), 0), 7);
  assert.equal(skipKey(bytes(`"\\":": 1`), 0), 7);
  for (const wrong of [`"a"`, `"a" 1`, "a:1", `"a`, ""]) {
    assert.throws(() => skipKey(bytes(wrong), 0), JsonFault, wrong);
  }
});

Deno.test("skipSpace() knows the four kinds of white space that JSON has, and no other", () => {
  for (let c = 0; c < 256; c++) {
    assert.equal(skipSpace(new Uint8Array([c]), 0), [0x20, 0x09, 0x0a, 0x0d].includes(c) ? 1 : 0, `${c}`);
  }
  assert.equal(skipSpace(bytes("  x"), 0), 2);
  assert.equal(skipSpace(bytes("x  "), 1), 3);
});

for (
  const [json, reason, offset] of [
    [`{"a": NaN}`, `unexpected "NaN}"`, 6],
    [`{"a": 1,}`, `unexpected "}"`, 8],
    [`{"a": "x`, "a string that does not end", 8],
    [`{"a": [1`, "unexpected end", 8],
    [`{"é": 1x}`, `unexpected "x}"`, 8],
    [`{"a": "\n"}`, "a control character inside a string", 7],
    [`{"a": "\\q"}`, "an escape that JSON does not have", 7],
    [`{"a": "\\u00"}`, "a broken \\u escape", 7],
    [`<html><body>Bad gateway`, `unexpected "<html><body>"`, 0],
  ] as const
) {
  Deno.test(`skipValue() says what is wrong with ${JSON.stringify(json)}, and where`, () => {
    assert.throws(() => skipValue(bytes(json), 0), { name: "JsonFault", reason, offset });
  });
}

Deno.test("skipValue() says where UTF-8 is invalid", () => {
  const json = new Uint8Array([...bytes(`["é`), 0xff, ...bytes(`"]`)]);
  assert.throws(() => skipValue(json, 0), { reason: "invalid UTF-8", offset: 4 });
});

Deno.test("unexpected() quotes what is there, however it is cut or broken", () => {
  assert.equal(unexpected(bytes("ab"), 2).message, "unexpected end at byte 2");
  assert.equal(unexpected(bytes("ab"), 9).message, "unexpected end at byte 2");
  assert.equal(unexpected(bytes("01234567890é"), 0).reason, `unexpected "01234567890\ufffd"`);
  assert.equal(unexpected(new Uint8Array([0xff]), 0).reason, `unexpected "\ufffd"`);
});
