import assert from "node:assert/strict";
import fc from "fast-check";
import { Kind, type LineRecord, Records } from "../../src/shards/records.ts";
import { MemoryFiles } from "../fakes/memory_files.ts";

const PATH = "/runs/a.index";

const anyRecord: fc.Arbitrary<LineRecord> = fc.record({
  task: fc.oneof(fc.integer({ min: -3, max: 5 }), fc.maxSafeInteger()),
  rollout: fc.oneof(fc.nat(3), fc.constant(0xffffffff)),
  kind: fc.constantFrom(Kind.ROLLOUT, Kind.FAILURE, Kind.INPUT),
  shard: fc.oneof(fc.nat(2), fc.constant(0xffff)),
  group: fc.oneof(fc.nat(2), fc.constant(0xffff)),
  failureClass: fc.oneof(fc.nat(2), fc.constant(0xffff)),
  offset: fc.maxSafeInteger().map(Math.abs),
  length: fc.oneof(fc.nat(), fc.constant(0xffffffff)),
}, { noNullPrototype: true });

function sorted(records: readonly LineRecord[]): LineRecord[] {
  return records.map((record, at) => ({ record, at }))
    .sort((a, b) =>
      a.record.task - b.record.task || a.record.rollout - b.record.rollout ||
      a.record.kind - b.record.kind || a.at - b.at
    ).map(({ record }) => record);
}

Deno.test("Records gives all lines by identity and kind, equal ones in insertion order, however few fit in memory", () => {
  fc.assert(fc.property(
    fc.array(anyRecord, { maxLength: 80 }),
    fc.integer({ min: 1, max: 100 }),
    (given, capacity) => {
      const files = new MemoryFiles(), records = new Records(files, PATH, capacity);
      for (const record of given) records.add(record);
      records.finish();
      assert.equal(records.size, given.length);
      assert.deepEqual([...records], sorted(given));
      assert.deepEqual([...records], sorted(given), "a second time");
      records.close();
      assert.equal(files.open, 0);
      assert.deepEqual(files.all(), {});
    },
  ));
});

Deno.test("Records touches no file as long as memory suffices", () => {
  const files = new MemoryFiles(), records = new Records(files, PATH, 10);
  files.before = () => assert.fail("a file was touched");
  for (let task = 9; task >= 0; task--) records.add(line(task));
  records.finish();
  assert.deepEqual([...records].map(({ task }) => task), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  records.close();
});

Deno.test("Records can be read by several at a time, and left half-way", () => {
  const files = new MemoryFiles(), records = new Records(files, PATH, 5000);
  for (let task = 20_000; task > 0; task--) records.add(line(task));
  records.finish();
  const [a, b] = [records[Symbol.iterator](), records[Symbol.iterator]()];
  for (let task = 1; task <= 20_000; task++) {
    assert.equal(a.next().value!.task, task);
    if (task % 2) assert.equal(b.next().value!.task, (task + 1) / 2);
  }
  assert.ok(a.next().done);
  records.close();
});

Deno.test("Records replaces what an earlier, killed run left on disk", () => {
  const files = new MemoryFiles({ [PATH]: "rubbish" }), records = new Records(files, PATH, 1);
  for (const task of [3, 1, 2]) records.add(line(task));
  records.finish();
  assert.deepEqual([...records].map(({ task }) => task), [1, 2, 3]);
  records.close();
  assert.equal(files.text(PATH), undefined);
});

function line(task: number): LineRecord {
  return { task, rollout: 0, kind: Kind.ROLLOUT, shard: 0, group: 1, failureClass: 0, offset: 0, length: 1 };
}
