import assert from "node:assert/strict";
import fc from "fast-check";
import { isBlank, LineSplitter } from "../../src/kit/lines.ts";

const encoder = new TextEncoder(), decoder = new TextDecoder("utf-8", { ignoreBOM: true });

interface Line {
  text: string;
  offset: number;
  number: number;
  whole: boolean;
}

/** The lines of a stream of chunks. Each chunk is overwritten once it was pushed, as a reader's buffer is. */
function split(chunks: Iterable<Uint8Array>): Line[] {
  const splitter = new LineSplitter(), lines: Line[] = [];
  const take = (found: ReturnType<LineSplitter["push"]>) => {
    for (const { bytes, ...rest } of found) lines.push({ text: decoder.decode(bytes), ...rest });
  };
  for (const chunk of chunks) {
    take(splitter.push(chunk));
    chunk.fill(0x21);
  }
  take(splitter.end());
  return lines;
}

/** What `split("\n")` makes of the same text. */
function plainly(text: string): Line[] {
  let offset = 0;
  const lines = text.split("\n").map((line, i, all) => {
    const at = offset;
    offset += encoder.encode(line).length + 1;
    return { text: line, offset: at, number: i + 1, whole: i + 1 < all.length };
  });
  return lines.at(-1)!.text === "" ? lines.slice(0, -1) : lines;
}

/** Cuts bytes at these places, given as shares of the length; equal places make empty chunks. */
function chunked(bytes: Uint8Array, shares: readonly number[]): Uint8Array[] {
  const cuts = [...shares.map((share) => Math.floor(share * (bytes.length + 1))), bytes.length];
  let from = 0;
  return cuts.sort((a, b) => a - b).map((cut) => bytes.slice(from, from = Math.min(cut, bytes.length)));
}

const textOfLines = fc.array(
  fc.oneof(fc.constantFrom("\n", "\n\n", "\r\n", "\r", "\u2028", "é", "😀"), fc.string({ maxLength: 6 })),
  { maxLength: 12 },
).map((pieces) => pieces.join(""));

Deno.test("LineSplitter gives the lines of split('\\n') and their offsets, however the stream is chunked", () => {
  fc.assert(
    fc.property(
      textOfLines,
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }),
      (text, shares) => {
        assert.deepEqual(split(chunked(encoder.encode(text), shares)), plainly(text));
      },
    ),
    { numRuns: 2000 },
  );
});

Deno.test("LineSplitter gives the same lines for chunks of any one size", () => {
  const text = "one\r\n\n{}\n\u2028two\ntail", bytes = encoder.encode(text);
  for (let size = 1; size <= bytes.length; size++) {
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.slice(at, at + size));
    assert.deepEqual(split(chunks), plainly(text), `chunks of ${size}`);
  }
});

for (
  const [text, want] of [
    ["", []],
    ["\n", [["", 0, true]]],
    ["a", [["a", 0, false]]],
    ["a\n", [["a", 0, true]]],
    ["a\nb", [["a", 0, true], ["b", 2, false]]],
    ["a\r\nb\r\n", [["a\r", 0, true], ["b\r", 3, true]]],
    ["\n\na", [["", 0, true], ["", 1, true], ["a", 2, false]]],
    ["\ufeff{}\n", [["\ufeff{}", 0, true]]],
    ["é\nb\n", [["é", 0, true], ["b", 3, true]]],
  ] as const
) {
  Deno.test(`LineSplitter finds ${want.length} lines in ${JSON.stringify(text)}`, () => {
    const lines = split([encoder.encode(text)]).map(({ text, offset, whole }) => [text, offset, whole]);
    assert.deepEqual(lines, want);
  });
}

Deno.test("LineSplitter assembles a line of 20 MB in linear time", () => {
  const chunk = new Uint8Array(64 * 1024).fill(0x78), chunks = (20 << 20) / chunk.length;
  const splitter = new LineSplitter();
  // Counted, not timed: a byte that is moved once costs nothing here, one that is moved again with every chunk shows.
  let moved = 0;
  const { set, slice } = Uint8Array.prototype;
  Uint8Array.prototype.set = function (this: Uint8Array, from: ArrayLike<number>, at?: number) {
    moved += from.length;
    return set.call(this, from, at);
  };
  Uint8Array.prototype.slice = function (this: Uint8Array<ArrayBuffer>, from?: number, to?: number) {
    const part = slice.call(this, from, to) as Uint8Array<ArrayBuffer>;
    moved += part.length;
    return part;
  };
  try {
    for (let i = 0; i < chunks; i++) assert.deepEqual([...splitter.push(chunk)], []);
    const [line, ...more] = splitter.push(encoder.encode("yz\nnext"));
    assert.equal(line!.bytes.length, (20 << 20) + 2);
    assert.equal(line!.bytes.at(-1), 0x7a);
    assert.deepEqual(more, []);
  } finally {
    Object.assign(Uint8Array.prototype, { set, slice });
  }
  assert.ok(moved < 3 * (20 << 20), `${moved} bytes were moved`);
});

for (
  const [text, blank] of [
    ["", true],
    [" ", true],
    ["\t \r", true],
    ["\u00a0", false],
    ["\ufeff", false],
    [" {}", false],
    ["\0", false],
  ] as const
) {
  Deno.test(`isBlank() of ${JSON.stringify(text)} is ${blank}`, () => {
    assert.equal(isBlank(encoder.encode(text)), blank);
  });
}
