/** Outages that something in front of a server answers for, the way back from any, and times that are asked for. */
import assert from "node:assert/strict";
import { Bench, type BenchOptions } from "./_bench.ts";
import { rule } from "./_rule.ts";

const outage = { inARow: 3, maxAttempts: 3 };

rule(
  "takes a single row that is turned away for a failure",
  { rows: "AAAAA", inFlight: 1, outage },
  function* (b) {
    yield [b.tick(), ["start 0"]];
    yield [b.turnedAway(0), ["fail 0", "start 1"]];
    yield [b.recorded(0), []];
    yield [b.turnedAway(1), ["fail 1", "start 2"]];
    yield [b.recorded(1), []];
    yield [b.done(2), ["start 3"]]; // another answer: they are not in a row
    yield [b.turnedAway(3), ["fail 3", "start 4"]];
    yield [b.turnedAway(4), ["fail 4"]];
    yield [b.recorded(3), []];
    yield [b.recorded(4), ["over"]];
    assert.deepEqual(b.scheduler.outageCosts(b.now), []);
  },
);

rule("pauses a server when so many are turned away in a row, and runs these again", {
  rows: "AAAAAA",
  inFlight: 4,
  outage,
}, function* (b) {
  yield [b.tick(), ["start 0", "start 1", "start 2", "start 3"]];
  yield [b.turnedAway(0), ["fail 0", "start 4"]];
  yield [b.recorded(0), []];
  yield [b.turnedAway(1), ["fail 1", "start 5"]];
  yield [b.turnedAway(2), ["fail 2", "paused A: 502", "again 0", "wake 250"]];
  yield [b.recorded(1), ["again 1"]]; // once its failure is in its file
  yield [b.turnedAway(3), []]; // known by now: nothing is written, no attempt is counted
  yield [b.tick(250), ["start 0 again 1", "wake 5250"]];
  b.now = 300;
  yield [b.turnedAway(0), ["wake 800"]];
  yield [b.recorded(2), ["again 2"]];
  yield [b.tick(800), ["start 1 again 1", "wake 5800"]];
  b.now = 1000;
  yield [b.done(1), ["resumed A after 1000", "start 3", "start 0 again 1", "wake 6000"]];
  yield [b.done(4), ["start 2 again 1"]];
  assert.deepEqual(b.scheduler.outageCosts(b.now), [{ route: 0, turnedAway: 5, ranAgain: 3, ms: 1000 }]);
});

rule("does not run rows again that have no attempt left", {
  rows: "AA",
  inFlight: 2,
  outage: { inARow: 2, maxAttempts: 1 },
}, function* (b) {
  yield [b.tick(), ["start 0", "start 1"]];
  yield [b.turnedAway(0), ["fail 0"]];
  yield [b.turnedAway(1), ["fail 1", "paused A: 502", "wake 250"]];
  yield [b.recorded(0), []];
  yield [b.recorded(1), ["over"]];
});

rule(
  "counts answers of each server by itself",
  { rows: "ABAB", outage: { inARow: 2, maxAttempts: 3 } },
  function* (b) {
    yield [b.tick(), ["start 0", "start 1", "start 2", "start 3"]];
    yield [b.turnedAway(0), ["fail 0"]];
    yield [b.turnedAway(1), ["fail 1"]];
    yield [b.done(2), []];
    yield [b.turnedAway(3), ["fail 3", "paused B: 502", "wake 250"]];
  },
);

rule("counts a response that asks us to back off as another response", {
  rows: "AAA",
  outage: { inARow: 2, maxAttempts: 3 },
}, function* (b) {
  yield [b.tick(), ["start 0", "start 1", "start 2"]];
  yield [b.turnedAway(0), ["fail 0"]];
  yield [b.unsent(1, 100), ["paused A: refused", "wake 250"]];
  yield [b.done(2), []]; // the time asked for holds
  yield [b.tick(250), ["start 1", "wake 5250"]];
});

rule("abandons a server that turns rows away for the whole window, and leaves what was not tried again", {
  rows: "AAAA",
  inFlight: 2,
  retryWindowMs: 200,
  outage: { inARow: 2, maxAttempts: 3 },
}, function* (b) {
  yield [b.tick(), ["start 0", "start 1"]];
  yield [b.turnedAway(0), ["fail 0", "start 2"]];
  yield [b.turnedAway(1), ["fail 1", "paused A: 502", "wake 200"]];
  yield [b.recorded(0), ["again 0"]];
  yield [b.recorded(1), ["again 1"]];
  yield [b.turnedAway(2), []];
  yield [b.tick(200), ["start 0 again 1", "wake 5200"]];
  yield [b.turnedAway(0), ["abandoned A: 502", "fail 2", "fail 0"]];
  yield [b.recorded(2), []];
  yield [b.recorded(0), ["over"]];
  assert.equal(b.scheduler.waiting, 2); // 1 and 3 are owed: a resume runs them
  assert.equal(b.scheduler.outageCosts(9999)[0]?.ms, 200);
});

rule(
  "runs nothing again once it is stopped",
  { rows: "AA", outage: { inARow: 1, maxAttempts: 3 } },
  function* (b) {
    yield [b.tick(), ["start 0", "start 1"]];
    yield [b.turnedAway(0), ["fail 0", "paused A: 502", "wake 250"]];
    yield [b.stop("drain"), ["wake 30000"]];
    yield [b.recorded(0), []];
    yield [b.turnedAway(1), ["over"]]; // left as it was
    assert.equal(b.scheduler.waiting, 1);
  },
);

rule("takes whatever is turned away for a failure when outages are not asked for", {
  rows: "AAAA",
  inFlight: 2,
}, function* (b) {
  yield [b.tick(), ["start 0", "start 1"]];
  yield [b.turnedAway(0), ["fail 0", "start 2"]];
  yield [b.turnedAway(1), ["fail 1", "start 3"]];
  yield [b.turnedAway(2), ["fail 2"]];
});

rule("holds what is turned away while its server cannot be reached anyway", {
  rows: "AA",
  inFlight: 1,
  outage,
}, function* (b) {
  yield [b.tick(), ["start 0"]];
  yield [b.unsent(0), ["paused A: refused", "wake 250"]];
  yield [b.tick(250), ["start 0", "wake 5250"]];
  yield [b.turnedAway(0), ["wake 750"]];
  yield [b.tick(750), ["start 0", "wake 5750"]];
  yield [b.done(0), ["resumed A after 750", "start 1"]];
});

/** Lets a server refuse all its rows at 0, and be back with the first probe at 250. */
function back(options: BenchOptions): { b: Bench; said: string[] } {
  const b = new Bench(options);
  const started = b.tick().length;
  for (let row = 0; row < started; row++) b.unsent(row);
  b.tick(250);
  return { b, said: b.done(0) };
}

const startsIn = (said: string[]) => said.filter((text) => text.startsWith("start ")).length;

Deno.test("Scheduler sends a server that is back one row, then twice as many with each answer", () => {
  const { b, said } = back({ rows: "A".repeat(200), inFlight: 40 });
  assert.equal(startsIn(said), 2);
  let inFlight = 2;
  for (const [row, want] of [[1, 4], [2, 8], [3, 16], [4, 32], [5, 40], [6, 40]] as const) {
    inFlight += startsIn(b.done(row)) - 1;
    assert.equal(inFlight, want);
  }
});

Deno.test("Scheduler sends a server one row again when it refuses on the way back, and remembers how wide it was", () => {
  const { b } = back({ rows: "A".repeat(200), inFlight: 40 });
  b.done(1); // four in flight: 2, 3, 4, 5
  assert.deepEqual(b.unsent(2, 1000), ["paused A: refused", "wake 1250"]);
  for (const row of [3, 4, 5]) b.unsent(row, 1000);
  assert.equal(startsIn(b.tick(1250)), 1);
  const said = b.done(6);
  assert.equal(startsIn(said), 2, said.join());
});

Deno.test("Scheduler counts five seconds without a refusal as a response on the way back", () => {
  const { b } = back({ rows: "A".repeat(200), inFlight: 40 });
  assert.equal(startsIn(b.tick(5249)), 0);
  assert.equal(startsIn(b.tick(5250)), 2);
  assert.equal(startsIn(b.tick(10_250)), 4);
});

rule("abandons a server that asks for more time than the window has, without waiting first", {
  rows: "AAA",
  inFlight: 2,
  retryWindowMs: 4000,
}, function* (b) {
  yield [b.tick(), ["start 0", "start 1"]];
  yield [b.unsent(0, 60_000), ["abandoned A: refused (asked 60000 of 4000)", "fail 0"]];
  yield [b.recorded(0), []];
  yield [b.unsent(1, 60_000), ["over"]]; // one reports it; the others are left, with no attempt counted
  assert.equal(b.scheduler.waiting, 2);
});

rule("leaves what waits with no attempt counted when a server asks for more time than is left", {
  rows: "AAA",
  inFlight: 2,
  retryWindowMs: 4000,
}, function* (b) {
  yield [b.tick(), ["start 0", "start 1"]];
  yield [b.unsent(0), ["paused A: refused", "wake 250"]];
  b.now = 1000;
  yield [b.unsent(1, 3500), ["abandoned A: refused (asked 3500 of 4000)", "fail 1"]];
  yield [b.recorded(1), ["over"]];
  assert.equal(b.scheduler.waiting, 2);
});

rule(
  "waits for a server that asks for all the time the window has",
  { rows: "A", retryWindowMs: 4000 },
  function* (b) {
    yield [b.tick(), ["start 0"]];
    yield [b.unsent(0, 4000), ["paused A: refused", "wake 4000"]];
    yield [b.tick(4000), ["start 0", "wake 9000"]];
  },
);
