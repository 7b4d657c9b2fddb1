import assert from "node:assert/strict";
import fc from "fast-check";
import { textOf } from "../../src/json/text.ts";

const bytes = (json: string) => new TextEncoder().encode(json);

for (
  const [json, want] of [
    [`""`, ""],
    [`"no sandbox"`, "no sandbox"],
    [`"t\\u00e9 \\ud83d\\ude00"`, "té 😀"],
    [`"12345678901"`, "1234567890…"],
    [`"1234567890"`, "1234567890"],
    [`"😀😀😀😀😀😀😀😀😀😀😀"`, "😀😀😀😀😀😀😀😀😀😀…"],
    [`"a\\n\\tb\\u0000\\u001bc\u2028d"`, "a b c d"],
    [`"\\ud83d"`, "\ufffd"],
    [`"\\"\\\\\\/"`, `"\\/`],
    ["null", "null"],
    ["1e400", "1e400"],
    ["-0.0", "-0.0"],
    [`{"toString": 1}`, `{"toString…`],
    ["[[[]]]", "[[[]]]"],
    [`[ 1,\n2 ]`, "[ 1, 2 ]"],
  ] as const
) {
  Deno.test(`textOf() of ${json}, ten characters of it, is ${JSON.stringify(want)}`, () => {
    assert.equal(textOf(bytes(json), 10), want);
  });
}

for (
  const [what, json] of [
    ["an object whose toString is not a function", `{"toString":null,"valueOf":"x"}`],
    ["an object that claims another prototype", `{"__proto__":{"toString":1}}`],
    ["lists in lists, a million deep", "[".repeat(1e6) + "]".repeat(1e6)],
    ["objects in objects, a million deep", `{"a":`.repeat(1e6) + "1" + "}".repeat(1e6)],
    ["a string of 50 million characters", `"${"x".repeat(5e7)}"`],
    ["a string of escapes only", `"${"\\u0000".repeat(1e6)}"`],
    ["a number of a million digits", "9".repeat(1e6)],
  ] as const
) {
  Deno.test(`textOf() of ${what} is short and printable`, () => {
    const text = textOf(bytes(json), 200);
    assert.ok([...text].length <= 201, `${text.length} characters`);
    assert.doesNotMatch(text, /\p{Cc}/u);
  });
}

Deno.test("textOf() reads no more than it needs: anything may follow", () => {
  const json = bytes(`"${"x".repeat(5000)}"`);
  json.fill(0xff, 2000);
  assert.equal(textOf(json, 100), `${"x".repeat(100)}…`);
});

Deno.test("textOf() of any string is its beginning, of any other value that of its JSON", () => {
  const limit = fc.integer({ min: 0, max: 40 });
  const beginning = (text: string, characters: number) => {
    const all = [...text.toWellFormed()], kept = all.slice(0, characters).join("");
    const shown = kept.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
    return shown + (all.length > characters ? "…" : "");
  };
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 60 }), limit, (text, characters) => {
    assert.equal(textOf(bytes(JSON.stringify(text)), characters), beginning(text, characters));
  }));
  fc.assert(fc.property(fc.jsonValue(), limit, (value, characters) => {
    const json = JSON.stringify(value);
    if (typeof value === "string") return;
    assert.equal(textOf(bytes(json), characters), beginning(json, characters));
  }));
});
