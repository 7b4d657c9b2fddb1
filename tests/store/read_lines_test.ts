import assert from "node:assert/strict";
import { readLines } from "../../src/store/read_lines.ts";
import { MemoryFiles } from "../fakes/memory_files.ts";

const decoder = new TextDecoder();

/** The lines of a file of that content: length, first characters, place, and whether each is whole. */
function linesOf(content: string) {
  const file = new MemoryFiles({ "/a": content }).read("/a");
  return Array.from(readLines(file), ({ bytes, offset, number, whole }) => ({
    text: decoder.decode(bytes),
    offset,
    number,
    whole,
  }));
}

Deno.test("readLines() of an empty file has none", () => assert.deepEqual(linesOf(""), []));

Deno.test("readLines() marks a last line without a line break", () => {
  assert.deepEqual(linesOf("a\n\nb"), [
    { text: "a", offset: 0, number: 1, whole: true },
    { text: "", offset: 2, number: 2, whole: true },
    { text: "b", offset: 3, number: 3, whole: false },
  ]);
});

Deno.test("readLines() reads any number of chunks, with lines longer than a chunk among them", () => {
  const lines = [
    "first",
    "x".repeat(300_000),
    "",
    "y".repeat(262_144),
    "z".repeat(262_143),
    "é".repeat(400_000),
  ];
  const content = lines.map((line) => `${line}\n`).join(""), found = linesOf(content);
  assert.deepEqual(found.map(({ text }) => text.length), lines.map((line) => line.length));
  assert.ok(found.every(({ text }, i) => text === lines[i]));
  const bytes = new TextEncoder().encode(content);
  for (const { text, offset } of found.filter(({ text }) => text)) {
    assert.equal(decoder.decode(bytes.subarray(offset, offset + 2))[0], text[0]);
  }
});

Deno.test("readLines() can be left early", () => {
  const file = new MemoryFiles({ "/a": "a\nb\n" }).read("/a");
  for (const line of readLines(file)) {
    assert.equal(decoder.decode(line.bytes), "a");
    break;
  }
});
