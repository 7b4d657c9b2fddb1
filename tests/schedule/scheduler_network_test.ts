/** What the scheduler does about connections that are under way, hopeless servers, and a budget that ends while rows wait. */
import assert from "node:assert/strict";
import { Bench } from "./_bench.ts";

const starts = (said: string[]) => said.filter((text) => text.startsWith("start ")).length;

const OPENING = { most: 3, mostOnceSlow: 2, slowMs: 500 };

Deno.test("Scheduler starts no request to a server while as many as may be have no connection yet", () => {
  const b = new Bench({ rows: "AAAAAABB", opening: OPENING });
  assert.deepEqual(b.tick(), ["start 0", "start 1", "start 6", "start 7"]);
  assert.deepEqual(b.connected(1), ["start 2", "start 3"]); // in time: there may be more
  assert.deepEqual(b.connected(6), []); // had room anyway
  assert.deepEqual(b.done(0), ["start 4"]); // an answer that came without a word of its connection
  assert.deepEqual(b.tell({ kind: "lost", row: 2 }), ["start 5", "wake 250"]);
});

Deno.test("Scheduler starts fewer at a time once a connection took long", () => {
  const b = new Bench({ rows: "AAAAAAAA", opening: OPENING });
  b.tick();
  assert.deepEqual(b.connected(0), ["start 2", "start 3"]);
  b.now = 501;
  assert.deepEqual(b.connected(1), []); // two have none yet
  assert.deepEqual(b.connected(2), ["start 4"]);
});

Deno.test("Scheduler waits for no connection in a steady state, however fast answers come", () => {
  const rows = 20_000, b = new Bench({ rows: "A".repeat(rows), inFlight: 64, opening: OPENING });
  b.tick();
  for (let row = 0; row < 64; row++) b.connected(row);
  for (let row = 0; row < rows - 64; row++) {
    assert.deepEqual(b.done(row), [`start ${row + 64}`]);
    assert.deepEqual(b.connected(row + 64), []);
  }
});

Deno.test("Scheduler probes a server in an outage, whatever is still on its way to a connection there", () => {
  const b = new Bench({ rows: "A".repeat(50), opening: OPENING });
  assert.equal(starts(b.tick()), 2);
  b.unsent(0);
  assert.deepEqual(b.tick(250), ["start 0", "wake 5250"]); // one hangs, and another one
  assert.deepEqual(starts(b.done(0)), 1); // the answer ends the outage, and then there is room for one
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
