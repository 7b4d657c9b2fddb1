/** What the scheduler does about the pace of connections, hopeless servers, and a budget that ends while rows wait. */
import assert from "node:assert/strict";
import { Bench } from "./_bench.ts";

const starts = (said: string[]) => said.filter((text) => text.startsWith("start ")).length;

/** Tells a tick at every wake until there is none before `until`. Returns how many rows started. */
function run(bench: Bench, said: string[], until: number): number {
  let count = starts(said);
  for (;;) {
    const wake = said.findLast((text) => text.startsWith("wake "));
    if (!wake || Number(wake.slice(5)) > until) return count;
    said = bench.tick(Number(wake.slice(5)));
    count += starts(said);
  }
}

Deno.test("Scheduler opens connections at a pace: ten thousand rows are in flight after ten seconds", () => {
  const b = new Bench({ rows: "A".repeat(12_000), inFlight: 10_000, pace: { perSecond: 1000, burst: 100 } });
  assert.equal(run(b, b.tick(), 5000), 5100);
  assert.equal(run(b, b.tick(), 9899), 4899);
  assert.equal(run(b, b.tick(), 60_000), 1);
});

Deno.test("Scheduler paces each server by itself, and rows of one do not wait for another's", () => {
  const b = new Bench({ rows: "AAAABB", pace: { perSecond: 10, burst: 2 } });
  assert.deepEqual(b.tick(), ["start 0", "start 1", "start 4", "start 5", "wake 100"]);
  assert.deepEqual(b.tick(100), ["start 2", "wake 200"]);
});

Deno.test("Scheduler does not pace a steady state, however fast answers come", () => {
  const rows = 20_000,
    b = new Bench({ rows: "A".repeat(rows), inFlight: 64, pace: { perSecond: 1, burst: 64 } });
  assert.equal(starts(b.tick()), 64);
  for (let row = 0; row < rows - 64; row++) assert.deepEqual(b.done(row), [`start ${row + 64}`]);
});

Deno.test("Scheduler reaches its width anew, at a pace, when a server comes back", () => {
  const b = new Bench({ rows: "A".repeat(50), pace: { perSecond: 100, burst: 3 } });
  assert.equal(run(b, b.tick(), 1000), 50);
  for (let row = 0; row < 50; row++) b.unsent(row);
  assert.deepEqual(b.tick(b.now + 300), ["start 0", `wake ${b.now + 5000}`]);
  const said = b.done(0);
  assert.equal(said[0], `resumed A after 300`);
  assert.equal(starts(said), 2); // one answer, so two
  assert.deepEqual(b.done(1), ["start 3", "start 4", `wake ${b.now + 10}`]); // four in flight, were it not for the pace
  assert.deepEqual(b.tick(b.now + 10), ["start 5", `wake ${b.now + 4990}`]);
});

Deno.test("Scheduler abandons a hopeless server at once; one row reports it", () => {
  const b = new Bench({ rows: "AAAAB", inFlight: 3 });
  assert.deepEqual(b.tick(), ["start 0", "start 1", "start 4"]);
  const hopeless = (row: number) => b.tell({ kind: "unsent", row, reason: "no such name", hopeless: true });
  assert.deepEqual(hopeless(0), ["fail 0", "abandoned A: no such name"]);
  assert.deepEqual(hopeless(1), []);
  assert.deepEqual(b.tell({ kind: "written", row: 0 }), []);
  assert.deepEqual(b.done(4), ["over"]);
  assert.equal(b.scheduler.waiting, 3);
});

Deno.test("Scheduler keeps retrying a server that has answered before", () => {
  const b = new Bench({ rows: "AA", inFlight: 1 });
  b.tick();
  b.done(0);
  const said = b.tell({ kind: "unsent", row: 1, reason: "no such name", hopeless: true });
  assert.deepEqual(said, ["paused A: no such name", "wake 250"]);
  assert.deepEqual(b.tick(250), ["start 1", "wake 5250"]);
});

Deno.test("Scheduler drains what waits for a server when the budget ends, not when the server is back", () => {
  const b = new Bench({ rows: "AAAB", inFlight: 1, budgetMs: 1000 });
  b.tick();
  assert.deepEqual(b.unsent(0, 60_000), ["paused A: refused", "start 3", "wake 60000"]);
  assert.deepEqual(b.done(3), ["wake 1000"]);
  assert.deepEqual(b.tick(1000), ["over"]);
  assert.equal(b.scheduler.drained, 3);
});

Deno.test("Scheduler counts rows of a server that was abandoned as left, not as drained", () => {
  const b = new Bench({ rows: "AAAB", inFlight: 2, budgetMs: 1000, retryWindowMs: 0 });
  assert.deepEqual(b.tick(), ["start 0", "start 3"]);
  b.unsent(0);
  b.recorded(0);
  b.now = 1000;
  b.done(3);
  assert.equal(b.scheduler.drained, 0);
  assert.equal(b.scheduler.waiting, 2);
});

Deno.test("Scheduler asks for the margin with the time that is left", () => {
  const asked: number[] = [];
  const b = new Bench({
    rows: "AA",
    inFlight: 1,
    budgetMs: 1000,
    marginMs: ((left: number) => (asked.push(left), 0)) as () => number,
  });
  b.tick(500);
  b.now = 900;
  b.done(0);
  assert.deepEqual([...new Set(asked)], [1000, 600]);
});
