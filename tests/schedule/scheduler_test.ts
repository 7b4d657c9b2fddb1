import assert from "node:assert/strict";
import { Bench } from "./_bench.ts";
import { rule } from "./_rule.ts";

rule("starts everything at once when there is no limit", { rows: "AAA" }, function* (b) {
  yield [b.tick(), ["start 0", "start 1", "start 2"]];
  yield [b.done(1), []];
  yield [b.done(0), []];
  yield [b.tell({ kind: "answered", row: 2 }), []];
  yield [b.tell({ kind: "written", row: 2 }), ["over"]];
});

rule("is over at once when nothing is owed", { rows: "" }, function* (b) {
  yield [b.tick(), ["over"]];
  yield [b.tick(), []];
});

rule("says over once, whatever is told afterwards", { rows: "A" }, function* (b) {
  yield [b.tick(), ["start 0"]];
  yield [b.done(0), ["over"]];
  yield [b.tick(10), []];
  yield [b.stop("drain"), []];
  yield [b.stop("abort"), []];
});

rule("starts rows in the order given, not in that of the file", {
  rows: "AAAA",
  order: [3, 1, 2],
  inFlight: 2,
}, function* (b) {
  yield [b.tick(), ["start 3", "start 1"]];
  yield [b.done(1), ["start 2"]];
});

rule("keeps to the limit in flight; an answer makes room before it is written", {
  rows: "AAAA",
  inFlight: 2,
}, function* (b) {
  yield [b.tick(), ["start 0", "start 1"]];
  yield [b.tell({ kind: "answered", row: 0 }), ["start 2"]];
  yield [b.tell({ kind: "written", row: 0 }), []];
  yield [b.tell({ kind: "answered", row: 2 }), ["start 3"]];
});

rule("keeps to the limit of residents; only what is written makes room", {
  rows: "AAAA",
  inFlight: 2,
  resident: 3,
}, function* (b) {
  yield [b.tick(), ["start 0", "start 1"]];
  yield [b.tell({ kind: "answered", row: 0 }), ["start 2"]];
  yield [b.tell({ kind: "answered", row: 1 }), []];
  yield [b.tell({ kind: "written", row: 0 }), ["start 3"]];
});

rule("drains: starts nothing, lets what is in flight end", { rows: "AAA", inFlight: 2 }, function* (b) {
  yield [b.tick(), ["start 0", "start 1"]];
  yield [b.stop("drain"), ["wake 30000"]];
  yield [b.done(0), []];
  yield [b.done(1), ["over"]];
});

rule("cancels what is in flight when the grace is over", { rows: "AA", graceMs: 5000 }, function* (b) {
  yield [b.tick(), ["start 0", "start 1"]];
  yield [b.tick(1000), []];
  yield [b.stop("drain"), ["wake 6000"]];
  yield [b.tick(5999), ["wake 6000"]];
  yield [b.tick(6000), ["abort"]];
  yield [b.tell({ kind: "aborted", row: 0 }), []];
  yield [b.tell({ kind: "aborted", row: 1 }), ["over"]];
});

rule("cancels at once on a second stop", { rows: "AA" }, function* (b) {
  yield [b.tick(), ["start 0", "start 1"]];
  yield [b.stop("drain"), ["wake 30000"]];
  yield [b.stop("drain"), []];
  yield [b.stop("abort"), ["abort"]];
  yield [b.stop("abort"), []];
  yield [b.tell({ kind: "aborted", row: 1 }), []];
  yield [b.done(0), ["over"]]; // an answer may win the race
});

rule("cancels at once when there is no grace", { rows: "A", graceMs: 0 }, function* (b) {
  yield [b.tick(), ["start 0"]];
  yield [b.stop("drain"), ["abort"]];
  yield [b.tell({ kind: "aborted", row: 0 }), ["over"]];
});

rule("waits for what is being written, also after an abort", { rows: "AA" }, function* (b) {
  yield [b.tick(), ["start 0", "start 1"]];
  yield [b.tell({ kind: "answered", row: 0 }), []];
  yield [b.stop("abort"), ["abort"]];
  yield [b.tell({ kind: "aborted", row: 1 }), []];
  yield [b.tell({ kind: "written", row: 0 }), ["over"]];
});

rule("is over at once when it is stopped before its first event", { rows: "AA" }, function* (b) {
  yield [b.stop("drain"), ["over"]];
  yield [b.tick(), []];
});

rule("starts a lost row again, later each time, and before rows that are new", {
  rows: "AAA",
  inFlight: 1,
}, function* (b) {
  yield [b.tick(), ["start 0"]];
  yield [b.tell({ kind: "lost", row: 0 }), ["start 1", "wake 250"]];
  yield [b.tick(250), []]; // no room: the end of row 1 makes it
  b.now = 400;
  yield [b.done(1), ["start 0 again 1"]];
  yield [b.tell({ kind: "lost", row: 0 }), ["start 2", "wake 900"]];
  yield [b.done(2), []];
  yield [b.tick(900), ["start 0 again 2"]];
  yield [b.done(0), ["over"]];
});

rule("does not take an old request that was never answered for a sign that its server is back", {
  rows: "AAA",
  inFlight: 2,
}, function* (b) {
  yield [b.tick(), ["start 0", "start 1"]];
  yield [b.tell({ kind: "unsent", row: 1, reason: "refused" }), ["paused A: refused", "wake 250"]];
  yield [b.tell({ kind: "unanswered", row: 0 }), []];
  yield [b.tell({ kind: "written", row: 0 }), []];
  yield [b.tick(250), ["start 1", "wake 5250"]];
});

rule("leaves a lost row undone when it is stopped meanwhile", { rows: "A" }, function* (b) {
  yield [b.tick(), ["start 0"]];
  yield [b.stop("drain"), ["wake 30000"]];
  yield [b.tell({ kind: "lost", row: 0 }), ["over"]];
});

rule("pauses a server that is unreachable and probes it with one row at a time", {
  rows: "AAAA",
  inFlight: 2,
}, function* (b) {
  yield [b.tick(), ["start 0", "start 1"]];
  yield [b.unsent(0), ["paused A: refused", "wake 250"]];
  yield [b.unsent(1), []]; // sent together, so it does not count again
  yield [b.tick(250), ["start 0", "wake 5250"]];
  yield [b.unsent(0), ["wake 750"]];
  yield [b.tick(750), ["start 1", "wake 5750"]];
  b.now = 1000;
  yield [b.tell({ kind: "answered", row: 1 }), ["resumed A after 1000", "start 0", "start 2"]];
});

rule("lets more probes follow one that stays silent, twice as many each time", {
  rows: "AAAAAA",
  inFlight: 5,
}, function* (b) {
  yield [b.tick(), ["start 0", "start 1", "start 2", "start 3", "start 4"]];
  for (let row = 0; row < 5; row++) b.unsent(row);
  yield [b.tick(250), ["start 0", "wake 5250"]];
  yield [b.tick(5249), ["wake 5250"]];
  yield [b.tick(5250), ["start 1", "wake 10250"]];
  yield [b.tick(10_250), ["start 2", "start 3", "wake 15250"]];
  yield [b.unsent(1), ["wake 10750"]]; // they have not been taken after all
  yield [b.unsent(2), []];
  yield [b.tick(10_750), ["start 4", "wake 15750"]];
  yield [b.done(4), ["resumed A after 10750", "start 1", "start 2"]];
});

rule("lets rows of other servers go on meanwhile, past those that have to wait", {
  rows: "AAABAB",
  inFlight: 2,
}, function* (b) {
  yield [b.tick(), ["start 0", "start 3"]];
  yield [b.unsent(0), ["paused A: refused", "start 5", "wake 250"]];
  yield [b.done(3), []];
  yield [b.done(5), []];
  yield [b.tick(250), ["start 0", "wake 5250"]];
  yield [b.done(0), ["resumed A after 250", "start 1", "start 2"]];
});

rule("waits for each server by itself", { rows: "AB", inFlight: 2 }, function* (b) {
  yield [b.tick(), ["start 0", "start 1"]];
  yield [b.unsent(0), ["paused A: refused", "wake 250"]];
  b.now = 100;
  yield [b.unsent(1), ["paused B: refused"]];
  yield [b.tick(250), ["start 0", "wake 350"]];
  yield [b.tick(350), ["start 1", "wake 5250"]];
  yield [b.done(1), ["resumed B after 250"]];
  yield [b.done(0), ["resumed A after 350", "over"]];
});

rule("asks for no time that has passed already: a slot that becomes free is an event", {
  rows: "AB",
  inFlight: 1,
}, function* (b) {
  yield [b.tick(), ["start 0"]];
  yield [b.unsent(0), ["paused A: refused", "start 1", "wake 250"]];
  yield [b.tick(250), []];
  yield [b.tick(9000), []];
  yield [b.done(1), ["start 0", "wake 14000"]];
});

rule("still wakes for a row that is due after one that waits for its server", { rows: "ABC" }, function* (b) {
  yield [b.tick(), ["start 0", "start 1", "start 2"]];
  yield [b.tell({ kind: "lost", row: 0 }), ["wake 250"]];
  b.attempts[1] = 1; // its second
  yield [b.tell({ kind: "lost", row: 1 }), []];
  yield [b.tick(250), ["start 0 again 1", "wake 500"]];
});

rule("fails what was tried for the whole window, and leaves what was not", {
  rows: "AAAA",
  inFlight: 2,
  retryWindowMs: 2000,
}, function* (b) {
  yield [b.tick(), ["start 0", "start 1"]];
  yield [b.unsent(0), ["paused A: refused", "wake 250"]];
  yield [b.unsent(1), []];
  yield [b.tick(250), ["start 0", "wake 5250"]];
  yield [b.unsent(0), ["wake 750"]];
  yield [b.tick(750), ["start 1", "wake 5750"]];
  yield [b.unsent(1), ["wake 1750"]];
  yield [b.tick(1750), ["start 0", "wake 6750"]];
  yield [b.unsent(0), ["wake 2000"]]; // the last try goes at the end of the window, not after it
  yield [b.tick(2000), ["start 1", "wake 7000"]];
  yield [b.unsent(1), ["fail 1", "abandoned A: refused", "fail 0"]];
  yield [b.tell({ kind: "written", row: 1 }), []];
  yield [b.tell({ kind: "written", row: 0 }), ["over"]];
  assert.equal(b.scheduler.waiting, 2);
});

rule(
  "abandons a server at once without a window",
  { rows: "AA", inFlight: 1, retryWindowMs: 0 },
  function* (b) {
    yield [b.tick(), ["start 0"]];
    yield [b.unsent(0), ["fail 0", "abandoned A: refused"]];
    yield [b.tell({ kind: "written", row: 0 }), ["over"]];
  },
);

rule("goes on with other servers when one is abandoned, and fails its stragglers", {
  rows: "AABB",
  inFlight: 3,
  retryWindowMs: 100,
}, function* (b) {
  yield [b.tick(), ["start 0", "start 1", "start 2"]];
  yield [b.unsent(0), ["paused A: refused", "start 3", "wake 100"]];
  yield [b.done(3), []];
  yield [b.tick(100), ["start 0", "wake 5100"]];
  yield [b.unsent(0), ["fail 0", "abandoned A: refused"]];
  yield [b.tell({ kind: "written", row: 0 }), []];
  yield [b.unsent(1), ["fail 1"]];
  yield [b.tell({ kind: "written", row: 1 }), []];
  yield [b.done(2), ["over"]];
});

rule("says nothing more of a server that was abandoned", {
  rows: "AAA",
  inFlight: 2,
  retryWindowMs: 100,
}, function* (b) {
  yield [b.tick(), ["start 0", "start 1"]];
  yield [b.unsent(0), ["paused A: refused", "wake 100"]];
  yield [b.tick(100), ["start 0", "wake 5100"]];
  yield [b.unsent(0), ["fail 0", "abandoned A: refused"]];
  yield [b.tell({ kind: "written", row: 0 }), []];
  yield [b.done(1), ["over"]];
});

rule("counts a row's window anew once it has been sent", { rows: "A", retryWindowMs: 1000 }, function* (b) {
  yield [b.tick(), ["start 0"]];
  yield [b.unsent(0), ["paused A: refused", "wake 250"]];
  yield [b.tick(250), ["start 0", "wake 5250"]];
  b.now = 60_000;
  yield [b.tell({ kind: "lost", row: 0 }), ["resumed A after 60000", "wake 60250"]];
  yield [b.tick(60_250), ["start 0 again 1"]];
  yield [b.unsent(0), ["paused A: refused", "wake 60500"]];
});

rule("does not take a connection of before the outage that breaks for a sign of life", {
  rows: "AAA",
  inFlight: 2,
}, function* (b) {
  yield [b.tick(), ["start 0", "start 1"]];
  yield [b.unsent(0), ["paused A: refused", "wake 250"]];
  yield [b.tell({ kind: "lost", row: 1 }), []];
  yield [b.tick(250), ["start 1 again 1", "wake 5250"]];
});

rule("starts nothing of a server before the time it asked for, jittered", {
  rows: "AA",
  inFlight: 1,
}, function* (b) {
  b.chance = 1;
  yield [b.tick(), ["start 0"]];
  yield [b.unsent(0, 10_000), ["paused A: refused", "wake 11000"]];
  yield [b.tick(10_999), ["wake 11000"]];
  yield [b.tick(11_000), ["start 0", "wake 16000"]];
});

rule("waits the backoff when the server asks for less", { rows: "A" }, function* (b) {
  yield [b.tick(), ["start 0"]];
  yield [b.unsent(0, 1), ["paused A: refused", "wake 250"]];
});

rule("keeps to the time a server asked for, although it answers other rows meanwhile", {
  rows: "AAAA",
  inFlight: 2,
}, function* (b) {
  yield [b.tick(), ["start 0", "start 1"]];
  yield [b.unsent(0, 10_000), ["paused A: refused", "wake 10000"]];
  b.now = 50;
  yield [b.done(1), []];
  yield [b.tick(9999), ["wake 10000"]];
  yield [b.tick(10_000), ["start 0", "wake 15000"]];
  yield [b.unsent(0, 10_000), ["wake 20000"]];
  yield [b.tick(20_000), ["start 0", "wake 25000"]];
  yield [b.done(0), ["resumed A after 19950", "start 2", "start 3"]];
});

rule("honours the longest of several times asked for", { rows: "AAA", inFlight: 3 }, function* (b) {
  yield [b.tick(), ["start 0", "start 1", "start 2"]];
  yield [b.unsent(0, 5000), ["paused A: refused", "wake 5000"]];
  yield [b.unsent(1, 9000), ["wake 9000"]];
  yield [b.unsent(2, 1000), []];
  yield [b.tick(5000), ["wake 9000"]];
  yield [b.tick(9000), ["start 0", "wake 14000"]];
});

rule("leaves unsent rows undone when it is stopped, without pausing", { rows: "AA" }, function* (b) {
  yield [b.tick(), ["start 0", "start 1"]];
  yield [b.stop("drain"), ["wake 30000"]];
  yield [b.unsent(0), []];
  yield [b.unsent(1), ["over"]];
  assert.equal(b.scheduler.waiting, 2);
});

rule("is stopped while it waits for a server", { rows: "AA", inFlight: 1 }, function* (b) {
  yield [b.tick(), ["start 0"]];
  yield [b.unsent(0), ["paused A: refused", "wake 250"]];
  yield [b.stop("drain"), ["over"]];
});

rule("drains what is left once the budget is used up", {
  rows: "AAAA",
  inFlight: 1,
  budgetMs: 1000,
}, function* (b) {
  b.now = 5000; // the budget counts from the first event
  yield [b.tick(), ["start 0"]];
  b.now = 5999;
  yield [b.done(0), ["start 1"]];
  b.now = 6000;
  yield [b.done(1), ["over"]];
  assert.equal(b.scheduler.drained, 2);
  assert.equal(b.scheduler.waiting, 0);
});

rule("drains everything with a budget of nothing", { rows: "AAA", budgetMs: 0 }, function* (b) {
  yield [b.tick(), ["over"]];
  assert.equal(b.scheduler.drained, 3);
});

rule("starts nothing with less than the margin left", {
  rows: "AAA",
  inFlight: 1,
  budgetMs: 1000,
  marginMs: 300,
}, function* (b) {
  yield [b.tick(), ["start 0"]];
  b.now = 700;
  yield [b.done(0), ["start 1"]];
  b.now = 701;
  yield [b.done(1), ["over"]];
  assert.equal(b.scheduler.drained, 1);
});

Deno.test("Scheduler asks for the margin anew before each start", () => {
  let margin = 0;
  const b = new Bench({ rows: "AAA", inFlight: 1, budgetMs: 1000, marginMs: () => margin });
  b.tick();
  margin = 1001;
  assert.deepEqual(b.done(0), ["over"]);
  assert.equal(b.scheduler.drained, 2);
});

rule("drains rows that wait for a server or for their time as well", {
  rows: "AAB",
  inFlight: 3,
  budgetMs: 100,
}, function* (b) {
  yield [b.tick(), ["start 0", "start 1", "start 2"]];
  yield [b.unsent(0), ["paused A: refused", "wake 100"]];
  yield [b.unsent(1), []];
  yield [b.tell({ kind: "lost", row: 2 }), []];
  yield [b.tick(100), ["over"]];
  assert.equal(b.scheduler.drained, 3);
});

Deno.test("Scheduler.outages() names the unreachable servers, since when and why", () => {
  const b = new Bench({ rows: "AB" });
  b.tick(10);
  b.now = 20;
  b.unsent(1);
  const [outage, ...others] = b.scheduler.outages();
  assert.deepEqual([outage?.route, outage?.since, outage?.reason, others], [1, 20, "refused", []]);
  b.tick(270);
  b.done(1);
  assert.deepEqual(b.scheduler.outages(), []);
});

rule("is not over while more rows may be offered", { rows: "AAA", isOpen: true, inFlight: 2 }, function* (b) {
  yield [b.tick(), []];
  yield [b.offer(0), ["start 0"]];
  yield [b.done(0), []];
  yield [b.offer(1, 2), ["start 1", "start 2"]];
  yield [b.done(1), []];
  yield [b.done(2), []];
  yield [b.close(), ["over"]];
});

rule("is over when it is stopped, whether or not more rows may be offered", {
  rows: "AA",
  isOpen: true,
}, function* (b) {
  yield [b.offer(0), ["start 0"]];
  yield [b.stop("drain"), ["wake 30000"]];
  yield [b.done(0), ["over"]];
  yield [b.offer(1), []];
  assert.equal(b.scheduler.waiting, 1);
});

rule("is over when no server is left, whether or not more rows may be offered", {
  rows: "AA",
  isOpen: true,
  retryWindowMs: 0,
}, function* (b) {
  yield [b.offer(0), ["start 0"]];
  yield [b.unsent(0), ["fail 0", "abandoned A: refused"]];
  yield [b.tell({ kind: "written", row: 0 }), ["over"]];
  assert.equal(b.scheduler.wanted, 0);
});

rule("drains rows that are offered after the budget is used up", {
  rows: "AA",
  isOpen: true,
  budgetMs: 100,
}, function* (b) {
  yield [b.offer(0), ["start 0"]];
  yield [b.done(0), []];
  b.now = 100;
  yield [b.offer(1), []];
  assert.equal(b.scheduler.drained, 1);
  yield [b.close(), ["over"]];
});

Deno.test("Scheduler asks for a bounded number of rows in advance, however many a stream has", () => {
  const rows = 20_000, b = new Bench({ rows: "AB".repeat(rows / 2), isOpen: true, inFlight: 10 });
  const inFlight: number[] = [], max = b.scheduler.wanted;
  const note = (said: string[]) =>
    said.forEach((text) => text.startsWith("start ") && inFlight.push(Number(text.slice(6))));
  let offered = 0, done = 0;
  assert.equal(max, 1010);
  while (offered < rows) {
    const more = Math.min(b.scheduler.wanted, rows - offered, 300);
    note(b.offer(...Array.from({ length: more }, (_, k) => offered + k)));
    offered += more;
    assert.ok(offered - done <= max + 10);
    for (let k = 0; k < 100 && inFlight.length; k++, done++) note(b.done(inFlight.shift()!));
  }
  b.close();
  for (let row = inFlight.shift(); row !== undefined; row = inFlight.shift()) note(b.done(row));
  assert.equal(b.scheduler.waiting, 0);
});

rule("wants no more while the rows of a paused server wait in front", {
  rows: "AB",
  isOpen: true,
  inFlight: 1,
}, function* (b) {
  const wanted = () => b.scheduler.wanted;
  yield [b.offer(0), ["start 0"]];
  yield [b.unsent(0), ["paused A: refused", "wake 250"]];
  assert.equal(wanted(), 1001);
  b.offer(...Array(400).fill(0), ...Array(600).fill(1));
  assert.equal(wanted(), 1);
});
