/** Comma-separated values. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { type Cell, csvLine } from "../../src/report/csv.ts";

for (
  const [cells, line] of [
    [["a", 1.5, null, "b"], "a,1.5,,b\n"],
    [['say "x"', "a,b", "two\nlines", " spaced "], '"say ""x""","a,b","two\nlines"," spaced "\n'],
    [[NaN, Infinity, -0.001], ",,-0.001\n"],
    [["\x1b[31mred", "\u202eevil", "a\tb"], "\ufffd[31mred,\ufffdevil,a\tb\n"],
    [["=cmd|'/c calc'!A1", "@x", "-1", "+2.5", "-x", "a=b"], "'=cmd|'/c calc'!A1,'@x,-1,+2.5,'-x,a=b\n"],
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

Deno.test("any texts that are no danger are read back as they were", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom('"', ",", "\n", "\r", " ", "a") }),
  );
  // deno-lint-ignore no-control-regex -- these are what is dangerous
  const dangers = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]|^[=@+-]/g;
  const harmless = text.map((text) => text.replace(dangers, "").replace(/^[=@+-]+/, ""));
  fc.assert(
    fc.property(
      fc.array(harmless, { minLength: 1 }),
      (texts) => assert.deepEqual(read(csvLine(texts)), texts),
    ),
  );
});
