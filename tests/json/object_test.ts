import assert from "node:assert/strict";
import fc from "fast-check";
import { type JsonObject, MEMBER, parse, readObject } from "../../src/json/object.ts";
import { JsonFault } from "../../src/json/scan.ts";
import { bytes, isJson, keyText, membersText, mutated, objectText, text } from "./_texts.ts";

/** Whether bytes hold an object, as far as the runtime's own parser can tell. */
function isObject(given: Uint8Array): boolean {
  return isJson(given) && /^[ \t\r\n]*\{/.test(text(given));
}

function read(given: Uint8Array): JsonObject | undefined {
  try {
    return readObject(given);
  } catch (error) {
    if (error instanceof JsonFault) return undefined;
    throw error;
  }
}

/** Every member as [name, text of the key, text of the value]. */
function spans(object: JsonObject): [string, string, string][] {
  const found: [string, string, string][] = [];
  for (let at = 0; at < object.members.length; at += MEMBER) {
    const [key, keyEnd, value, valueEnd] = object.members.slice(at, at + MEMBER);
    found.push([
      object.nameAt(at),
      text(object.bytes.subarray(key, keyEnd)),
      text(object.bytes.subarray(value, valueEnd)),
    ]);
  }
  return found;
}

Deno.test("readObject() finds the spans of all members, however they are written", () => {
  fc.assert(
    fc.property(membersText, fc.constantFrom("", " ", "\r\n\t "), (members, around) => {
      const object = readObject(bytes(around + objectText(members, around) + around));
      assert.equal(text(object.text()), objectText(members, around));
      assert.deepEqual(
        spans(object),
        members.map(({ key, value }) => [JSON.parse(key), key, value]),
      );
      assert.deepEqual(object.names(), members.map(({ key }) => JSON.parse(key)));
    }),
    { numRuns: 1000 },
  );
});

Deno.test("readObject() reads an object exactly where JSON.parse of the strictly decoded text finds one", () => {
  fc.assert(
    fc.property(mutated(membersText.map((members) => bytes(objectText(members)))), (given) => {
      const object = read(given);
      assert.equal(object !== undefined, isObject(given));
      if (!object) return;
      // The members are all there is: keys and values that are JSON themselves, and between them what must be.
      const members = spans(object).map(([, key, value]) => {
        assert.equal(typeof JSON.parse(key), "string");
        assert.ok(isJson(bytes(value)));
        return `${key}:${value}`;
      });
      assert.equal(unspaced(`{${members.join(",")}}`), unspaced(text(given)));
    }),
    { numRuns: 5000 },
  );
});

/** JSON without the white space between its tokens. */
const unspaced = (json: string) => json.replaceAll(/("(?:[^"\\]|\\.)*")|[ \t\r\n]+/g, "$1");

const RICH =
  ` { "a\\u0062\\"" : [1.0, -2e-07, {"é€😀": null}] ,\n\t"":"\\ud83d\\/\u2028", "t":true,"f" :false}`;

Deno.test("readObject() refuses an object that is cut short, at every byte", () => {
  const whole = bytes(RICH);
  assert.deepEqual(readObject(whole).names(), [`ab"`, "", "t", "f"]);
  for (let cut = 0; cut < whole.length; cut++) {
    assert.throws(() => readObject(whole.subarray(0, cut)), JsonFault, `cut at ${cut}`);
    // What lies behind the cut in the buffer is not looked at: a subarray ends where it ends.
    assert.throws(() => readObject(whole.slice(0, cut)), JsonFault, `cut at ${cut}`);
  }
});

Deno.test("readObject() refuses an object in which any byte is missing or changed, or reads what it then holds", () => {
  const whole = bytes(RICH);
  for (let at = 0; at < whole.length; at++) {
    const without = new Uint8Array([...whole.subarray(0, at), ...whole.subarray(at + 1)]);
    assert.equal(read(without) !== undefined, isObject(without), `without byte ${at}`);
    for (const byte of [0x00, 0x20, 0x22, 0x2c, 0x5c, 0x7d, 0x80, 0xc0, 0xff]) {
      const other = whole.slice();
      other[at] = byte;
      assert.equal(read(other) !== undefined, isObject(other), `byte ${at} is ${byte}`);
    }
  }
});

for (
  const [json, reason, offset] of [
    ["", "unexpected end", 0],
    [" \n", "unexpected end", 2],
    ["[1]", "a value that is not an object", 0],
    [" null", "a value that is not an object", 1],
    [`"x"`, "a value that is not an object", 0],
    ["1e-07", "a value that is not an object", 0],
    ["false \n", "a value that is not an object", 0],
    ["NaN", `unexpected "NaN"`, 0],
    ["[1", "unexpected end", 2],
    ["[1] x", "more text after the value", 4],
    ["404 page not found", "more text after the value", 4],
    [`{"a":1}{"b":2}`, "more text after the object", 7],
    [`{"a":1},`, "more text after the object", 7],
    [`{"a":1} \n null`, "more text after the object", 10],
    [`{"a":1}}`, "more text after the object", 7],
    ["\ufeff{}", "a byte-order mark", 0],
    [` \ufeff{"a":\ufeff1}`, "a byte-order mark", 1],
    [`{"a":\ufeff1}`, "a byte-order mark", 5],
    ["{}\ufeff", "more text after the object", 2],
    ["{}\0", "more text after the object", 2],
    [`{"a":Infinity}`, `unexpected "Infinity}"`, 5],
    [`{"a":1,,"b":2}`, `unexpected ",\\"b\\":2}"`, 7],
    [`{"a":1,}`, `unexpected "}"`, 7],
    [`{a:1}`, `unexpected "a:1}"`, 1],
    [`{"a":1;"b":2}`, `unexpected ";\\"b\\":2}"`, 6],
    [`{"a"=1}`, `unexpected "=1}"`, 4],
  ] as const
) {
  Deno.test(`readObject() refuses ${JSON.stringify(json)}: ${reason}`, () => {
    assert.throws(() => readObject(bytes(json)), { name: "JsonFault", reason, offset });
  });
}

Deno.test("readObject() takes a member of any depth and any size", () => {
  const depth = 1_000_000;
  for (
    const value of [
      "[".repeat(depth) + "]".repeat(depth),
      `{"a":`.repeat(depth) + "1" + "}".repeat(depth),
      `"${"x".repeat(5_000_000)}"`,
      `"${"\\n".repeat(1_000_000)}"`,
      "9".repeat(1_000_000),
    ]
  ) {
    const json = `{"deep":${value},"after":1}`;
    const object = readObject(bytes(json));
    assert.deepEqual([...object.members.slice(0, 4)], [1, 7, 8, 8 + value.length]);
    assert.equal(object.value("after"), 1);
  }
});

Deno.test("readObject() takes a hundred thousand members", () => {
  const members = Array.from({ length: 100_000 }, (_, i) => `"k${i}":${i}`);
  const object = readObject(bytes(`{${members.join(",")}}`));
  assert.equal(object.members.length, 100_000 * MEMBER);
  assert.equal(object.value("k99999"), 99_999);
});

Deno.test("readObject() reads inside the given bytes only: they may be a window on something larger", () => {
  const around = bytes(`{"x":1}{"a":[2]}{"y":3}`);
  const object = readObject(around.subarray(7, 16));
  assert.deepEqual(object.names(), ["a"]);
  assert.equal(text(object.raw("a")!), "[2]");
  assert.equal(text(object.text()), `{"a":[2]}`);
});

Deno.test("value() is the last of several members with one name, as for JSON.parse", () => {
  const object = readObject(bytes(`{"a":1,"b":2,"\\u0061":3}`));
  assert.equal(object.value("a"), 3);
  assert.equal(text(object.raw("a")!), "3");
  assert.deepEqual(object.names(), ["a", "b", "a"]);
});

Deno.test("value() and raw() of a name that is not there are undefined, and null is there", () => {
  const object = readObject(bytes(`{"a":null}`));
  assert.equal(object.value("b"), undefined);
  assert.equal(object.raw("b"), undefined);
  assert.equal(object.has("b"), false);
  assert.equal(object.value("a"), null);
  assert.equal(object.has("a"), true);
});

Deno.test("raw() keeps the text of a number", () => {
  const object = readObject(bytes(`{"a":1.0,"b":12345678901234567890,"c":1e-07,"d":-0.0}`));
  assert.deepEqual(["a", "b", "c", "d"].map((name) => text(object.raw(name)!)), [
    "1.0",
    "12345678901234567890",
    "1e-07",
    "-0.0",
  ]);
});

Deno.test("isNamed() compares decoded keys, for any name and any spelling", () => {
  fc.assert(
    fc.property(keyText, keyText, (key, other) => {
      const object = readObject(bytes(`{${key}:0}`));
      assert.equal(object.isNamed(0, JSON.parse(key)), true);
      assert.equal(object.isNamed(0, JSON.parse(other)), JSON.parse(key) === JSON.parse(other));
    }),
    { numRuns: 2000 },
  );
});

for (
  const [key, name, same] of [
    [`"a"`, "a", true],
    [`"a"`, "b", false],
    [`"a"`, "ab", false],
    [`"ab"`, "a", false],
    [`""`, "", true],
    [`"\\u0061"`, "a", true],
    [`"\\u0061"`, "\\u0061", false],
    [`"\\n"`, "\\n", false],
    [`"\\n"`, "\n", true],
    [`"\\\\n"`, "\\n", true],
    [`"\\/"`, "/", true],
    [`"é"`, "é", true],
    [`"\\u00E9"`, "é", true],
    [`"é"`, "e\u0301", false],
    [`"😀"`, "😀", true],
    [`"\\ud83d\\ude00"`, "😀", true],
    [`"\\ud83d"`, "\ud83d", true],
    [`"\\ud83d"`, "\ufffd", false],
    [`"__proto__"`, "__proto__", true],
    [`"A"`, "a", false],
  ] as const
) {
  Deno.test(`isNamed() finds ${key} ${same ? "" : "not "}to be named ${JSON.stringify(name)}`, () => {
    assert.equal(readObject(bytes(`{${key}:0}`)).isNamed(0, name), same);
  });
}

Deno.test("parse() reads a value strictly", () => {
  assert.deepEqual(parse(bytes(`{"a":[1,"é"]}`)), { a: [1, "é"] });
  assert.throws(() => parse(new Uint8Array([0x22, 0xff, 0x22])), TypeError);
  assert.throws(() => parse(bytes("\ufeff1")), SyntaxError);
});
