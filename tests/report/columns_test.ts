import assert from "node:assert/strict";
import fc from "fast-check";
import stringWidth from "string-width";
import { inColumns, loadColumns, width } from "../../src/report/columns.ts";

// The first test: the others load what measures any text.
Deno.test("inColumns() lays out again what was laid out with a guess, which is never too narrow", async () => {
  const widths: number[] = [];
  assert.equal(await inColumns(() => widths.push(width("数学"))), 2);
  assert.ok(widths[0]! >= 4);
  assert.equal(widths[1], 4);
  assert.equal(await inColumns(() => widths.push(width("数学"))), 3);
});

Deno.test("width() of a text that is not measured is what the library says", async () => {
  await loadColumns();
  for (const character of "\x1b[1m!~ ¡ÿ…–█░") {
    assert.equal(width(character), stringWidth(character), character);
  }
  for (let code = 0x20; code < 0x100; code++) {
    const character = String.fromCharCode(code);
    assert.equal(width(character), stringWidth(character), code.toString(16));
  }
  fc.assert(fc.property(fc.string({ unit: fc.constantFrom(..."a~é¡ÿ…–█░\x1b[1m\u0301数") }), (text) => {
    assert.equal(width(text), stringWidth(text));
  }));
});
