import assert from "node:assert/strict";
import fc from "fast-check";
import { width } from "../../src/report/columns.ts";
import { cut, manyLines, oneLine, pad, printableJson, wrap } from "../../src/report/text.ts";
import { foreignText } from "./samples.ts";

for (
  const [text, columns] of [
    ["", 0],
    ["abc", 3],
    ["数学", 4],
    ["e\u0301", 1],
    ["👩‍👩‍👧", 2],
    ["🇫🇷", 2],
    ["\x1b[31mred\x1b[39m", 3],
    ["█░…", 3],
  ] as const
) {
  Deno.test(`width() of ${JSON.stringify(text)} is ${columns}`, () => assert.equal(width(text), columns));
}

for (
  const [text, columns, want] of [
    ["abcdef", 6, "abcdef"],
    ["abcdef", 5, "abcd…"],
    ["abcdef", 1, "…"],
    ["abcdef", 0, ""],
    ["abcdef", -3, ""],
    ["abcdef", NaN, ""],
    ["数学サーバー", 6, "数学…"],
    ["数学サーバー", 7, "数学サ…"],
    ["👩‍👩‍👧👩‍👩‍👧", 3, "👩‍👩‍👧…"],
  ] as const
) {
  Deno.test(`cut() of "${text}" to ${columns} is "${want}"`, () => assert.equal(cut(text, columns), want));
}

Deno.test("cut() never exceeds its columns, whatever the text", () => {
  fc.assert(fc.property(foreignText, fc.integer({ min: 0, max: 40 }), (text, columns) => {
    assert.ok(width(cut(oneLine(text), columns)) <= columns);
  }));
});

Deno.test("oneLine() takes out colours, cursor moves, line breaks and turned writing directions", () => {
  assert.equal(oneLine("\x1b[31ma\x1b[0m\r\n\tb\u2028c\u202ed\x1b]0;title\x07\x1b[2J"), "a b cd");
});

Deno.test("oneLine() leaves nothing that could move a cursor, whatever the text", () => {
  fc.assert(fc.property(foreignText, (text) => assert.doesNotMatch(oneLine(text), /\p{Cc}|\p{Cs}/u)));
});

Deno.test("manyLines() keeps line breaks and indentation", () => {
  assert.deepEqual(manyLines("a\x1b[1m:\r\n  b \n\nc\n"), ["a:", "  b", "", "c"]);
});

Deno.test("pad() fills by columns, at either side", () => {
  assert.deepEqual([pad("数", 4), pad("数", 4, "end"), pad("long", 2)], ["数  ", "  数", "long"]);
});

for (
  const [text, columns, want] of [
    ["", 5, [""]],
    ["one two three", 7, ["one two", "three"]],
    ["see /a/very/long/path now", 8, ["see", "/a/very/long/path", "now"]],
    ["数学 数学", 8, ["数学", "数学"]],
  ] as const
) {
  Deno.test(`wrap() of "${text}" at ${columns}`, () => assert.deepEqual(wrap(text, columns), want));
}

Deno.test("oneLine() takes out what is not seen, and leaves emoji that are joined", () => {
  assert.equal(oneLine("a\u200bb\ufeffc\u200fd\u{e0041}e\u00adf\u200dg 👩‍👩‍👧 👩🏽‍🚀"), "abcdefg 👩‍👩‍👧 👩🏽‍🚀");
});

Deno.test("printableJson() says the same as JSON, with nothing that a terminal obeys", () => {
  fc.assert(fc.property(fc.array(foreignText), (texts) => {
    const json = printableJson(texts);
    assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify(texts)));
    assert.doesNotMatch(json, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  }));
});
