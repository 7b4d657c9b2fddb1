import assert from "node:assert/strict";
import { writeAll } from "../../src/store/write_all.ts";

/** A file that takes so many bytes with each write. */
function taking(...sizes: number[]) {
  const taken: number[] = [];
  return {
    taken,
    write(bytes: Uint8Array): number {
      const n = Math.min(bytes.length, sizes.shift() ?? 0);
      taken.push(...bytes.subarray(0, n));
      return n;
    },
  };
}

Deno.test("writeAll() writes as often as it takes", () => {
  for (const sizes of [[5], [1, 1, 1, 1, 1], [2, 3], [99]]) {
    const file = taking(...sizes);
    writeAll(file, new Uint8Array([1, 2, 3, 4, 5]));
    assert.deepEqual(file.taken, [1, 2, 3, 4, 5]);
  }
});

Deno.test("writeAll() of nothing writes nothing", () => {
  writeAll({ write: () => assert.fail("nothing is to be written") }, new Uint8Array());
});

Deno.test("writeAll() fails when nothing more is accepted, instead of looping forever", () => {
  const file = taking(2, 0);
  assert.throws(() => writeAll(file, new Uint8Array([1, 2, 3])), /accepts no more bytes/);
  assert.deepEqual(file.taken, [1, 2]);
});

Deno.test("writeAll() passes on what the file throws", () => {
  const write = () => {
    throw new Error("disk full");
  };
  assert.throws(() => writeAll({ write }, new Uint8Array(1)), /^Error: disk full$/);
});
