import assert from "node:assert/strict";
import fc from "fast-check";
import { Backlog } from "../../src/schedule/backlog.ts";

/** Takes the rows of a server until there are none. */
function takeAll({ queues }: Backlog, route: number): (number | undefined)[] {
  const queue = queues[route]!;
  return Array.from({ length: queue.size }, () => queue.shift());
}

Deno.test("Backlog gives each server its rows in the order offered, and says which of all comes first", () => {
  const backlog = new Backlog(2, (row) => row % 2);
  backlog.offer([4, 1]);
  backlog.offer([3, 2, 5]);
  const [even, odd] = backlog.queues;
  assert.deepEqual([even!.size, even!.position, odd!.size, odd!.position], [2, 0, 3, 1]);
  assert.equal(even!.shift(), 4);
  assert.equal(even!.position, 3);
  assert.deepEqual(takeAll(backlog, 1), [1, 3, 5]);
  assert.deepEqual([odd!.position, odd!.shift()], [Infinity, undefined]);
  backlog.offer([7]);
  assert.equal(odd!.position, 5);
  assert.deepEqual([takeAll(backlog, 0), takeAll(backlog, 1)], [[2], [7]]);
});

Deno.test("Backlog takes anything that yields rows", () => {
  const backlog = new Backlog(2, (row) => row % 2);
  backlog.offer(Uint32Array.of(0, 1, 2));
  backlog.offer([3, 4, 5].values());
  backlog.offer(new Set([6, 7]));
  assert.deepEqual([takeAll(backlog, 1), takeAll(backlog, 0)], [[1, 3, 5, 7], [0, 2, 4, 6]]);
});

Deno.test("Backlog's span reaches from the first row that has not started to the last one offered", () => {
  const backlog = new Backlog(2, (row) => row % 2);
  assert.equal(backlog.span, 0);
  backlog.offer([0, 2, 4, 1]);
  assert.equal(backlog.span, 4);
  backlog.queues[0]!.shift();
  assert.equal(backlog.span, 3);
  backlog.queues[0]!.close();
  assert.equal(backlog.span, 1);
  backlog.offer([6, 8]);
  assert.deepEqual([backlog.span, backlog.queues[0]!.size, backlog.offered], [3, 0, 6]);
});

Deno.test("Backlog gives out what a list for each server would, however rows are offered and taken", () => {
  const steps = fc.array(fc.oneof(
    fc.array(fc.nat(99), { maxLength: 8 }),
    fc.nat(2),
  ));
  fc.assert(fc.property(steps, (steps) => {
    const backlog = new Backlog(3, (row) => row % 3);
    const lists: { row: number; position: number }[][] = [[], [], []];
    let offered = 0;
    for (const step of steps) {
      if (typeof step === "number") assert.equal(backlog.queues[step]!.shift(), lists[step]!.shift()?.row);
      else {
        backlog.offer(step);
        for (const row of step) lists[row % 3]!.push({ row, position: offered++ });
      }
      lists.forEach((list, k) => {
        const { size, position } = backlog.queues[k]!;
        assert.deepEqual([size, position], [list.length, list[0]?.position ?? Infinity]);
      });
    }
  }));
});
