import assert from "node:assert/strict";
import fc from "fast-check";
import { ByteReader, type ByteSource } from "./byte_reader.ts";

/** A stream that arrives in pieces of the given sizes, over and over. */
function source(text: string, sizes: readonly number[]): ByteSource {
  let rest = new TextEncoder().encode(text), turn = 0;
  return {
    read(into) {
      if (!rest.length) return Promise.resolve(null);
      const piece = rest.subarray(0, Math.min(into.length, sizes[turn++ % sizes.length]!));
      into.set(piece);
      rest = rest.subarray(piece.length);
      return Promise.resolve(piece.length);
    },
  };
}

Deno.test("ByteReader reads the same however the stream is cut", async () => {
  const long = "x".repeat(40_000); // longer than the first buffer
  const sizes = fc.array(fc.integer({ min: 1, max: 30_000 }), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(sizes, async (sizes) => {
      const reader = new ByteReader(source(`head\r\nmore\r\n\r\n${long}tail\r\n`, sizes));
      assert.equal(await reader.until("\r\n\r\n"), "head\r\nmore");
      assert.equal(new TextDecoder().decode(await reader.exactly(long.length)), long);
      assert.equal(await reader.until("\r\n"), "tail");
      assert.equal(await reader.until("\r\n"), undefined);
    }),
    { numRuns: 20, examples: [[[1]]] },
  );
});

Deno.test("ByteReader.exactly() rejects when the stream ends too early", async () => {
  await assert.rejects(new ByteReader(source("abc", [2])).exactly(4), Deno.errors.UnexpectedEof);
});
