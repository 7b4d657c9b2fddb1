import assert from "node:assert/strict";
import fc from "fast-check";
import { Kind, type LineRecord } from "../../src/shards/records.ts";
import { ShardReader } from "../../src/shards/shard_reader.ts";
import { shardOf } from "../../src/plan/score_plan.ts";
import { runPaths } from "../../src/plan/paths.ts";
import { MemoryFiles } from "../fakes/memory_files.ts";

const text = new TextDecoder();

/** A place in the rollouts of a shard. */
function at(shard: number, offset: number, length: number): LineRecord {
  return { task: 0, rollout: 0, kind: Kind.ROLLOUT, shard, group: 1, failureClass: 0, offset, length };
}

function reading(contents: readonly string[]) {
  const shards = contents.map((_, k) => shardOf(runPaths(`/runs/${k}.jsonl`)));
  const files = new MemoryFiles(
    Object.fromEntries(contents.map((content, k) => [shards[k]!.rollouts, content])),
  );
  return { files, reader: new ShardReader(files, shards) };
}

Deno.test("ShardReader reads any range of any file, in any order", () => {
  const content = Array.from({ length: 30_000 }, (_, k) => String.fromCharCode(97 + k * 7919 % 26)).join("");
  const place = fc.tuple(fc.nat(2), fc.nat(29_999), fc.nat(20_000));
  fc.assert(fc.property(fc.array(place, { maxLength: 30 }), (places) => {
    const { reader, files } = reading([content, content.slice(0, 100), content.slice(5)]);
    for (const [shard, from, most] of places) {
      const whole = [content, content.slice(0, 100), content.slice(5)][shard]!;
      const offset = from % whole.length, length = Math.min(most, whole.length - offset);
      assert.equal(text.decode(reader.read(at(shard, offset, length))), whole.slice(offset, offset + length));
    }
    reader.close();
    assert.equal(files.open, 0);
  }));
});

Deno.test("ShardReader keeps few files open, however many shards there are", () => {
  const { reader, files } = reading(Array.from({ length: 500 }, (_, k) => `shard ${k}`));
  let most = 0;
  for (let round = 0; round < 2; round++) {
    for (let shard = 0; shard < 500; shard++) {
      const name = `shard ${shard}`;
      assert.equal(text.decode(reader.read(at(shard, 0, name.length))), name);
      most = Math.max(most, files.open);
    }
  }
  assert.ok(most < 64, `${most} files were open`);
  reader.close();
  assert.equal(files.open, 0);
});

Deno.test("ShardReader says when a file was truncated", () => {
  const { reader } = reading(["short"]);
  assert.throws(() => reader.read(at(0, 2, 10)), /\/runs\/0\.jsonl was truncated/);
});
