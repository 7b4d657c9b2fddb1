import assert from "node:assert/strict";
import fc from "fast-check";
import { Scratch } from "../../src/store/scratch.ts";
import { MemoryFiles } from "../fakes/memory_files.ts";

const PATH = "/runs/scratch";

Deno.test("Scratch reads in any order what was appended, however much it is", () => {
  const anyPiece = fc.oneof(
    fc.uint8Array({ maxLength: 50 }),
    fc.nat(300_000).map((n) => new Uint8Array(n).fill(n)),
  );
  fc.assert(
    fc.property(fc.array(anyPiece, { maxLength: 8 }), (pieces) => {
      const files = new MemoryFiles({ [PATH]: "left by an earlier one" });
      const scratch = new Scratch(files, PATH);
      const places = pieces.map((piece) => [scratch.append(piece), piece] as const);
      scratch.seal();
      for (const [offset, piece] of places.toReversed()) {
        if (piece.length > 0) assert.deepEqual(scratch.read(offset, piece.length), piece);
      }
      scratch.close();
      assert.deepEqual([files.all(), files.open], [{}, 0]);
    }),
    { numRuns: 50 },
  );
});

Deno.test("Scratch makes no file as long as there is nothing in it", () => {
  const files = new MemoryFiles();
  const scratch = new Scratch(files, PATH);
  scratch.seal();
  assert.deepEqual(files.all(), {});
  scratch.close();
});

Deno.test("Scratch says when the file was truncated while in use", () => {
  const files = new MemoryFiles();
  const scratch = new Scratch(files, PATH);
  scratch.append(new Uint8Array(9));
  scratch.seal();
  assert.throws(() => scratch.read(5, 9), /\/runs\/scratch became shorter while it was in use/);
  scratch.close();
});

Deno.test("Scratch closes its file when writing fails, and when removing does", () => {
  const files = new MemoryFiles();
  const scratch = new Scratch(files, PATH);
  scratch.append(new Uint8Array(9));
  files.before = ({ what }) => {
    if (what === "write" || what === "remove") throw new Error("no");
  };
  assert.throws(() => scratch.seal(), /^Error: no$/);
  scratch.close();
  assert.equal(files.open, 0);
});
