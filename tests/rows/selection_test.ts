/** Which tasks are run: `tasks`, `task_ids` and `sample`. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { readObject } from "../../src/json/object.ts";
import { UsageFault } from "../../src/kit/fault.ts";
import { RowFault } from "../../src/rows/problems.ts";
import { Sample } from "../../src/rows/sample.ts";
import { Selection } from "../../src/rows/selection.ts";
import { bytes, config } from "./_rows.ts";

const seeds = fc.maxSafeNat(), sizes = fc.integer({ min: 1, max: 40 });

/** The sample of the tasks 0 to `count - 1`. */
function drawn(size: number, seed: number, tasks: Iterable<number>): number[] {
  const sample = new Sample(size, seed), all = [...tasks];
  for (const task of all) sample.offer(task);
  return [...new Set(all)].filter((task) => sample.has(task)).sort((a, b) => a - b);
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

Deno.test("a sample has as many tasks as were asked for, or all, whatever their order and however often they come", () => {
  fc.assert(
    fc.property(sizes, seeds, fc.array(fc.maxSafeInteger(), { maxLength: 60 }), (size, seed, tasks) => {
      const once = drawn(size, seed, tasks);
      assert.equal(once.length, Math.min(size, new Set(tasks).size));
      assert.deepEqual(drawn(size, seed, [...tasks].reverse()), once);
      assert.deepEqual(drawn(size, seed, [...tasks, ...tasks]), once);
    }),
  );
});

Deno.test("a smaller sample is part of a larger one of the same seed", () => {
  fc.assert(fc.property(sizes, sizes, seeds, fc.nat(60), (a, b, seed, count) => {
    const larger = drawn(a + b, seed, upTo(count));
    assert.ok(drawn(a, seed, upTo(count)).every((task) => larger.includes(task)));
  }));
});

Deno.test("of an input that grows a sample keeps its tasks, except as many as new ones come in", () => {
  fc.assert(fc.property(sizes, seeds, fc.nat(60), fc.nat(60), (size, seed, count, more) => {
    const before = drawn(size, seed, upTo(count)), after = drawn(size, seed, upTo(count + more));
    const old = after.filter((task) => task < count);
    assert.ok(old.every((task) => before.includes(task)));
    if (before.length === size) assert.equal(before.length - old.length, after.length - old.length);
  }));
});

Deno.test("offer() says no only of tasks that are not in the sample at the end", () => {
  fc.assert(fc.property(sizes, seeds, fc.array(fc.nat(80)), (size, seed, tasks) => {
    const sample = new Sample(size, seed), refused = tasks.filter((task) => !sample.offer(task));
    assert.ok(refused.every((task) => !sample.has(task)));
  }));
});

Deno.test("seeds draw evenly: over 2,000 of them every task of 20 is in a quarter of the samples, and in pairs as often", () => {
  const counts = new Array(20).fill(0);
  let together = 0;
  for (let seed = 0; seed < 2000; seed++) {
    const sample = drawn(5, seed, upTo(20));
    for (const task of sample) counts[task]++;
    if (sample.includes(3) && sample.includes(4)) together++;
  }
  // Five standard deviations.
  for (const count of counts) {
    assert.ok(Math.abs(count - 500) < 5 * Math.sqrt(2000 * 0.25 * 0.75), String(counts));
  }
  const share = (5 / 20) * (4 / 19);
  assert.ok(Math.abs(together - 2000 * share) < 5 * Math.sqrt(2000 * share * (1 - share)), String(together));
});

Deno.test("the sample of a seed never changes between versions", () => {
  assert.deepEqual(drawn(5, 0, upTo(100)), [5, 42, 83, 91, 93]);
  assert.deepEqual(drawn(3, 42, upTo(1000)), [80, 108, 520]);
});

const row = (id: string) => readObject(bytes(JSON.stringify({ id })));

function selected(
  set: Parameters<typeof config>[0],
  ids: readonly string[] | undefined,
  rows: readonly [number, string][],
) {
  const selection = new Selection({ config: config(set), ids: ids && new Set(ids) });
  const taken = rows.filter(([task, id]) => selection.takes(task, row(id)));
  selection.finish();
  return taken.filter(([task]) => selection.has(task)).map(([task]) => task);
}

const FIVE: readonly [number, string][] = [[0, "a"], [1, "b"], [2, "c"], [3, "d"], [1, "b"]];

Deno.test("tasks are chosen by number, by id, and drawn of what is chosen, with all their rows", () => {
  assert.deepEqual(selected({}, undefined, FIVE), [0, 1, 2, 3, 1]);
  assert.deepEqual(selected({ tasks: "1-2" }, undefined, FIVE), [1, 2, 1]);
  assert.deepEqual(selected({ task_ids: "ids" }, ["b", "d"], FIVE), [1, 3, 1]);
  assert.deepEqual(selected({ tasks: "0-2", task_ids: "ids" }, ["b", "a"], FIVE), [0, 1, 1]);
  assert.deepEqual(selected({ tasks: "1", sample: 3 }, undefined, FIVE), [1, 1]);
  assert.equal(new Set(selected({ sample: 2, sample_seed: 7 }, undefined, FIVE)).size, 2);
});

Deno.test("a shard is of what is selected, by numbers of the whole input, with all rows of a task", () => {
  assert.deepEqual(selected({ shard: "1/2" }, undefined, FIVE), [1, 3, 1]);
  assert.deepEqual(selected({ shard: "0/2", tasks: "1-2" }, undefined, FIVE), [2]);
  assert.deepEqual(selected({ shard: "1/2", task_ids: "ids" }, ["b", "c"], FIVE), [1, 1]);
  assert.deepEqual(selected({ shard: "1/2", tasks: "0,2", task_ids: "ids" }, ["a", "c"], FIVE), []);
  assert.deepEqual(selected({ shard: "2/3" }, undefined, [[-1, "a"], [-4, "b"], [2, "c"], [0, "d"]]), [
    -1,
    -4,
    2,
  ]);
});

Deno.test("the shards of any selection are its tasks, each in one", () => {
  const sets = fc.record({
    tasks: fc.constantFrom(null, "0-30", "3,7,9-20"),
    sample: fc.option(sizes),
    sample_seed: seeds,
  });
  fc.assert(fc.property(sets, fc.integer({ min: 1, max: 70 }), (set, count) => {
    const rows = [...upTo(31), ...upTo(10)].map((task): [number, string] => [task, String(task)]);
    const parts = upTo(count).map((index) =>
      selected({ ...set, shard: `${index}/${count}` }, undefined, rows)
    );
    const sorted = (tasks: number[]) => tasks.sort((a, b) => a - b);
    assert.deepEqual(sorted(parts.flat()), sorted(selected(set, undefined, rows)));
    parts.forEach((part, index) => assert.ok(part.every((task) => task % count === index)));
  }));
});

Deno.test("what is named and not there is an error that names it", () => {
  const refused = (set: Parameters<typeof config>[0], ids?: string[]) => {
    try {
      selected(set, ids, FIVE);
    } catch (error) {
      assert.ok(error instanceof UsageFault);
      return error.message;
    }
    return assert.fail("nothing was refused");
  };
  assert.match(
    refused({ tasks: "2-9,17,20-29" }),
    /there is no task 17; the last one is 3\n.*there is no task 20-29;/,
  );
  assert.match(
    refused({ task_ids: "ids.txt" }, ["b", "x"]),
    /\(--task-ids ids\.txt\): no row has the id "x"/,
  );
});

Deno.test("rows of one task are named together or not at all", () => {
  assert.throws(() => selected({ task_ids: "ids" }, ["y"], [[3, "x"], [3, "y"]]), RowFault);
});
