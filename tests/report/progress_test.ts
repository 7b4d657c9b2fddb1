import assert from "node:assert/strict";
import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { plainLine, progressLine, secondsLeft } from "../../src/report/progress.ts";
import type { Tally } from "../../src/collect/tally.ts";
import { accountOf } from "../../src/collect/accounting.ts";
import { width } from "../../src/report/columns.ts";
import { anyTally, halfWay, tallyOf } from "./samples.ts";

const paused = [{ server: "数学サーバー", reason: "connection refused", seconds: 12 }];

for (
  const [columns, want] of [
    [
      200,
      "██████████░░░░░░░░░░   512/1000 51%  34.2/s  p50 1.2s p90 4.0s  64 in flight  " +
      "12 agent_run_error, 3 sandbox_lost  paused: 数学サーバー (connection refused, 12s)  14s left",
    ],
    [
      120,
      "█████░░░░░   512/1000 51%  34.2/s  p50 1.2s p90 4.0s  " +
      "12 agent_run_error, 3 sandbox_lost  paused: 数学サーバー  14s left",
    ],
    [80, " 512/1000 51%  34.2/s  p50 1.2s  15 failures  paused: 数学サーバー  14s left"],
    [60, " 512/1000 51%  34.2/s  15 failures  1 paused  14s left"],
    [40, " 512/1000 51%  34.2/s  14s left"],
    [20, " 512/1000  14s left"],
    [9, " 512/1000"],
    [5, " 512…"],
    [0, ""],
  ] as const
) {
  Deno.test(`progressLine() at ${columns} columns`, () => {
    assert.equal(progressLine(halfWay({ paused }), { columns, colour: false, rate: 34.2 }), want);
  });
}

Deno.test("progressLine() never exceeds its columns and is one line, whatever the tally", () => {
  fc.assert(
    fc.property(
      anyTally,
      fc.integer({ min: 0, max: 250 }),
      fc.boolean(),
      fc.double({ min: 0, max: 1e6, noNaN: true }),
      (tally, columns, colour, rate) => {
        const line = progressLine(tally, { columns, colour, rate });
        assert.ok(width(line) <= columns, `${width(line)} > ${columns}: ${line}`);
        assert.doesNotMatch(stripVTControlCharacters(line), /\p{Cc}/u);
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("progressLine() says the same with and without colours", () => {
  fc.assert(fc.property(anyTally, fc.integer({ min: 1, max: 200 }), (tally, columns) => {
    const plain = progressLine(tally, { columns, colour: false, rate: 3 });
    assert.equal(stripVTControlCharacters(progressLine(tally, { columns, colour: true, rate: 3 })), plain);
  }));
});

Deno.test("progressLine() colours failures by what kind they are", () => {
  const failures = { agent_run_error: 3, agent_request_failed: 2, sandbox_lost: 1 };
  const line = progressLine(halfWay({ failures }), { columns: 200, colour: true, rate: 1 });
  assert.ok(line.includes("\x1b[31m3 agent_run_error\x1b[39m"));
  assert.ok(line.includes("\x1b[35m2 agent_request_failed\x1b[39m"));
  assert.ok(line.includes("\x1b[33m1 sandbox_lost\x1b[39m"));
});

Deno.test("progressLine() names three failure classes and counts the rest", () => {
  const failures = { a: 1, b: 4, c: 3, d: 2, e: 1 };
  const line = progressLine(halfWay({ failures }), { columns: 200, colour: false, rate: 0 });
  assert.match(line, /4 b, 3 c, 2 d, 2 more/);
});

Deno.test("progressLine() says why a run stops in place of the time left", () => {
  const line = progressLine(halfWay({ stopping: "SIGINT" }), { columns: 120, colour: false, rate: 34.2 });
  assert.match(line, /stopping: SIGINT/);
  assert.doesNotMatch(line, /left/);
});

Deno.test("progressLine() with nothing owed is full, and has no zeros to tell", () => {
  const nothing = tallyOf({ owed: 0, done: 0, latency: { median: null, p90: null, p99: null, max: null } });
  assert.equal(
    progressLine(nothing, { columns: 80, colour: false, rate: 0 }),
    "████████████████████  0/0 100%",
  );
});

Deno.test("progressLine() says 100 % only when all is finished", () => {
  const almost = progressLine(halfWay({ done: 984, failed: 15 }), { columns: 80, colour: false, rate: 0 });
  assert.match(almost, / 999\/1000 99%/);
});

Deno.test("finished are those done, failed, not persisted and drained", () => {
  assert.equal(accountOf(tallyOf({ done: 1, failed: 20, notPersisted: 300, drained: 4000 })).finished, 4321);
});

Deno.test("secondsLeft() is what is in flight or waits, at the present rate", () => {
  assert.equal(secondsLeft(halfWay(), 4), 122);
  assert.equal(secondsLeft(halfWay(), 0), null);
  assert.equal(secondsLeft(halfWay({ stopping: "budget" }), 4), null);
  assert.equal(secondsLeft(tallyOf(), 4), null);
});

for (const [rate, want] of [[1000, "1s"], [488 / 9.2, "10s"], [488 / 90, "1m30s"]] as const) {
  Deno.test(`progressLine() at ${rate} a second has ${want} left`, () => {
    const line = progressLine(halfWay(), { columns: 200, colour: false, rate });
    assert.ok(line.endsWith(`  ${want} left`), line);
  });
}

const standstill = { seconds: 40.9, oldest: { task: 3, rollout: 0 } };

Deno.test("progressLine() says how long nothing has moved in place of the time left", () => {
  const line = (tally: Partial<Tally>, columns = 200) =>
    progressLine(halfWay(tally), { columns, colour: false, rate: 34.2 });
  assert.ok(line({ standstill }).endsWith("  stalled 40 s, oldest 3-0"), line({ standstill }));
  assert.ok(line({ standstill }, 28).endsWith("  stalled 40 s"), line({ standstill }, 28));
  assert.match(line({ standstill: { seconds: 600, oldest: null } }), / {2}stalled 10m00s$/);
  assert.doesNotMatch(line({ standstill, stopping: "SIGTERM" }), /stalled/);
  assert.match(
    plainLine(halfWay({ standstill }), { rate: 34.2 }),
    /, stalled 40 s, oldest 3-0$/,
  );
  assert.equal(secondsLeft(halfWay({ standstill }), 4), null);
});

Deno.test("progressLine() counts results without a reward", () => {
  assert.match(
    progressLine(halfWay({ unscored: 3 }), { columns: 200, colour: false, rate: 1 }),
    / {2}3 unscored {2}/,
  );
  assert.match(plainLine(halfWay({ unscored: 3 }), { rate: 1 }), /, 3 unscored, /);
});

Deno.test("plainLine() tells all in plain words", () => {
  assert.equal(
    plainLine(halfWay({ paused }), { rate: 34.2 }),
    "[2m10s] 512 of 1000 (51%), 34.2/s, p50 1.2s, p90 4.0s, 64 in flight, " +
      "failures: 12 agent_run_error, 3 sandbox_lost, paused: 数学サーバー (connection refused, 12s), 14s left",
  );
});

Deno.test("plainLine() is one line without controls, whatever the tally", () => {
  fc.assert(fc.property(anyTally, (tally) => assert.doesNotMatch(plainLine(tally, { rate: 2 }), /\p{Cc}/u)));
});
