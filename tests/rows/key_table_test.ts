import assert from "node:assert/strict";
import fc from "fast-check";
import { KeyTable } from "../../src/rows/key_table.ts";

const part = fc.oneof(fc.constantFrom(0, 1, -1, 0xffffffff, -0x80000000), fc.integer());
type Key = [number, number, number, number];

Deno.test("KeyTable numbers keys in order of appearance, like a Map", () => {
  fc.assert(fc.property(fc.array(fc.tuple(part, part, part, part)), (keys: Key[]) => {
    const table = new KeyTable(), want = new Map<string, number>();
    for (const key of keys) {
      // 0xffffffff and -1 are the same 32 bits.
      const name = key.map((n) => n >>> 0).join();
      assert.equal(table.find(...key), want.get(name) ?? -1);
      if (!want.has(name)) want.set(name, want.size);
      assert.equal(table.add(...key), want.get(name));
      assert.equal(table.size, want.size);
    }
  }));
});

Deno.test("KeyTable finds every key again after it has grown", () => {
  const table = new KeyTable();
  const key = (i: number): Key => [i, Math.imul(i, 0x9e3779b1), i >> 3, ~i];
  for (let i = 0; i < 20_000; i++) assert.equal(table.add(...key(i)), i);
  for (let i = 0; i < 20_000; i++) assert.equal(table.find(...key(i)), i);
  assert.equal(table.find(...key(20_000)), -1);
});
