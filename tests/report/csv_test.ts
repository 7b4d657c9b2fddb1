/** Comma-separated values. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { type Cell, csvLine } from "../../src/report/csv.ts";

for (
  const [cells, line] of [
    [["a", 1.5, null, "b"], "a,1.5,,b\n"],
    [['say "x"', "a,b", "two\nlines", " spaced "], '"say ""x""","a,b","two\nlines"," spaced "\n'],
    [[NaN, Infinity, -0.001], ",,-0.001\n"],
  ] as [Cell[], string][]
) Deno.test(`${JSON.stringify(cells)} is a line`, () => assert.equal(csvLine(cells), line));

/** A reader of RFC 4180, for one line. */
function read(line: string): string[] {
  const cells: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\n$)/gy;
  for (let found = cell.exec(line); found; found = cell.exec(line)) {
    cells.push(found[1]?.replaceAll('""', '"') ?? found[2]!);
    if (found[3] === "\n") return cells;
  }
  throw new Error(`no line: ${JSON.stringify(line)}`);
}

Deno.test("any texts are read back as they were", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom('"', ",", "\n", "\r", " ", "a") }),
  );
  fc.assert(
    fc.property(fc.array(text, { minLength: 1 }), (texts) => assert.deepEqual(read(csvLine(texts)), texts)),
  );
});
