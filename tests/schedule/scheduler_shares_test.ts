/** Which server's rows start when there is not room for all. */
import assert from "node:assert/strict";
import { Bench } from "./_bench.ts";
import { rule } from "./_rule.ts";

rule("lets later rows of others go first only where a server holds its share", {
  rows: "AAABBB",
  inFlight: 3,
}, function* (b) {
  yield [b.tick(), ["start 0", "start 1", "start 3"]];
  yield [b.done(3), ["start 4"]]; // A hangs: it has its two
  yield [b.done(4), ["start 5"]];
  yield [b.done(5), ["start 2"]]; // no other has rows left
});

rule(
  "keeps to the order while every server is below its share",
  { rows: "ABBA", inFlight: 4 },
  function* (b) {
    yield [b.tick(), ["start 0", "start 1", "start 2", "start 3"]];
  },
);

rule("lends the share of a server that is paused, and gives it back as others end", {
  rows: "AAABBBBB",
  inFlight: 2,
}, function* (b) {
  yield [b.tick(), ["start 0", "start 3"]];
  yield [b.unsent(0), ["paused A: refused", "start 4", "wake 250"]];
  yield [b.tick(250), []];
  yield [b.done(3), ["start 0", "wake 5250"]];
  yield [b.done(4), ["start 5"]];
});

rule("does not hold a share for a server without rows", { rows: "AAAAB", inFlight: 4 }, function* (b) {
  yield [b.tick(), ["start 0", "start 1", "start 4", "start 2"]];
  yield [b.done(4), ["start 3"]];
});

rule(
  "lets no attempt that is due take more than its server's share",
  { rows: "AABBBB", inFlight: 2 },
  function* (b) {
    yield [b.tick(), ["start 0", "start 2"]];
    yield [b.tell({ kind: "lost", row: 0 }), ["start 1", "wake 250"]];
    b.now = 250;
    yield [b.done(2), ["start 3"]];
    yield [b.done(1), ["start 0 again 1"]];
  },
);

rule("shares the limit of residents where that is lower", { rows: "AAABBB", resident: 2 }, function* (b) {
  yield [b.tick(), ["start 0", "start 3"]];
});

rule("keeps to the limit of each server", { rows: "AAAABB", inFlight: 4, perServer: 1 }, function* (b) {
  yield [b.tick(), ["start 0", "start 4"]];
  yield [b.done(0), ["start 1"]];
  yield [b.done(4), ["start 5"]];
  yield [b.done(5), []];
});

Deno.test("Scheduler lets a server through behind a hundred thousand rows of one that hangs", () => {
  const rows = 100_000, b = new Bench({ rows: "A".repeat(rows) + "B".repeat(100), inFlight: 10 });
  const inFlight = b.tick().map((text) => Number(text.replace("start ", "")));
  assert.deepEqual(inFlight, [0, 1, 2, 3, 4, rows, rows + 1, rows + 2, rows + 3, rows + 4]);
  for (let row = rows; row < rows + 95; row++) assert.deepEqual(b.done(row), [`start ${row + 5}`]);
});
