import assert from "node:assert/strict";
import fc from "fast-check";
import { RowReader } from "../../src/dispatch/row_reader.ts";
import { MemoryFiles } from "../fakes/memory_files.ts";

const decoder = new TextDecoder();

Deno.test("RowReader.read() gives the bytes of any row, in any order, however long they are", () => {
  // Lengths around and beyond the window that is read ahead.
  const lengths = fc.array(fc.oneof(fc.nat(50), fc.integer({ min: 100_000, max: 600_000 })), {
    minLength: 1,
    maxLength: 8,
  });
  fc.assert(
    fc.property(lengths, fc.array(fc.nat(7), { maxLength: 20 }), (sizes, order) => {
      const rows = sizes.map((size, n) => String.fromCharCode(97 + n).repeat(size));
      const offsets = rows.map((_, n) => rows.slice(0, n).reduce((sum, row) => sum + row.length + 1, 0));
      const files = new MemoryFiles({ "/in": rows.map((row) => `${row}\n`).join("") });
      const reader = new RowReader(files.read("/in"), "/in");
      for (const turn of [...order.map((n) => n % rows.length), ...rows.keys()]) {
        assert.ok(decoder.decode(reader.read(offsets[turn]!, rows[turn]!.length)) === rows[turn]);
      }
    }),
    { numRuns: 50 },
  );
});

Deno.test("RowReader.read() takes reads that bring less than was asked for", () => {
  const files = new MemoryFiles({ "/in": "abcdefgh\n" }), file = files.read("/in");
  const slow = {
    ...file,
    readAt: (into: Uint8Array, offset: number) => file.readAt(into.subarray(0, 3), offset),
  };
  assert.equal(decoder.decode(new RowReader(slow, "/in").read(0, 8)), "abcdefgh");
});

Deno.test("RowReader.read() says which file is shorter than it was", () => {
  const reader = new RowReader(new MemoryFiles({ "/in": "abc\n" }).read("/in"), "/in");
  assert.throws(() => reader.read(2, 10), /\/in was truncated/);
  assert.equal(decoder.decode(reader.read(0, 3)), "abc");
});
