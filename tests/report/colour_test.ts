import assert from "node:assert/strict";
import { palette } from "../../src/report/colour.ts";

Deno.test("palette() colours a text when on", () => {
  assert.equal(palette(true).red("no"), "\x1b[31mno\x1b[39m");
});

Deno.test("palette() leaves texts as they are when off, and an empty text empty", () => {
  assert.deepEqual([palette(false).red("no"), palette(true).red("")], ["no", ""]);
});
