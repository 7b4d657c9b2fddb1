/** Parts of numbered things, and the names of their files. */
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  isInShard,
  parseShard,
  shardFault,
  shardOfName,
  shardSuffix,
  shardText,
} from "../../src/kit/shard.ts";

const shards = fc.integer({ min: 1, max: 99_999 }).chain((count) =>
  fc.integer({ min: 0, max: count - 1 }).map((index) => ({ index, count }))
);

Deno.test("a shard is written and read back, as text and in a name", () => {
  fc.assert(fc.property(shards, fc.string(), (shard, stem) => {
    assert.deepEqual(parseShard(shardText(shard)), shard);
    assert.deepEqual(shardOfName(stem + shardSuffix(shard)), { stem, shard });
  }));
});

Deno.test("every number is in one shard of any count", () => {
  fc.assert(fc.property(fc.maxSafeInteger(), fc.integer({ min: 1, max: 50 }), (n, count) => {
    const all = Array.from({ length: count }, (_, index) => ({ index, count }));
    assert.equal(all.filter((shard) => isInShard(n, shard)).length, 1);
  }));
});

Deno.test("names sort as their shards do, whatever the count", () => {
  assert.equal(shardSuffix({ index: 3, count: 64 }), "-shard-0003-of-0064");
  assert.equal(shardSuffix({ index: 12, count: 12_000 }), "-shard-00012-of-12000");
});

Deno.test("what is not a shard says why", () => {
  const says: readonly [string, RegExp][] = [
    ["8/8", /shards count from 0, so the last of 8 is 7\/8, and there is no 8\/8/],
    ["9/8", /there is no 9\/8/],
    ["0/0", /n 1 or more/],
    ["3", /must be i\/n, as in 3\/64, or auto/],
    ["-1/8", /must be i\/n/],
    ["1/8/2", /must be i\/n/],
    ["1.5/8", /must be i\/n/],
  ];
  for (const [text, why] of says) {
    assert.equal(parseShard(text), undefined, text);
    assert.match(shardFault(text), why);
  }
  for (const name of ["a", "a-shard-3-of-64", "a-shard-0064-of-0064", "a-shard-00003-of-00064"]) {
    assert.equal(shardOfName(name), undefined, name);
  }
});
