import assert from "node:assert/strict";
import { keyOf, NAMES } from "../../src/config/keys.ts";
import { keysReference } from "../../src/config/reference.ts";

Deno.test("keysReference() has a row of six cells for every key, with all of its flags", () => {
  const rows = keysReference().split("\n").filter((line) => line.startsWith("| `"));
  assert.equal(rows.length, NAMES.length);
  for (const name of NAMES) {
    const row = rows.find((row) => row.startsWith(`| \`${name}\``))!;
    assert.equal(row.split(/(?<!\\)\|/).length, 8, row);
    for (const { spelling } of keyOf(name).flags) assert.ok(row.includes(`\`${spelling}\``), spelling);
  }
});
