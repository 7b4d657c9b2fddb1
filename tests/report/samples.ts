/** Tallies and summaries for the tests of this folder. */
import fc from "fast-check";
import { loadColumns } from "../../src/report/columns.ts";
import type { Coverage, HealthSummary, LiveMeans, SoFar, Summary, Tally } from "../../src/collect/tally.ts";

// Some of these texts are wide; what `inColumns` is for is tested elsewhere.
await loadColumns();

/** A run of 400 that went well, with some of it told otherwise. */
export function tallyOf(changes: Partial<Tally> = {}): Tally {
  return {
    materialized: 400,
    before: 0,
    terminal: 0,
    atCap: 0,
    failedBefore: 0,
    owed: 400,
    done: 400,
    failed: 0,
    exhausted: 0,
    newlyAtCap: 0,
    unrecorded: 0,
    givenUp: 0,
    notPersisted: 0,
    drained: 0,
    inFlight: 0,
    waiting: 0,
    failures: {},
    attemptsAgain: 0,
    repeats: 0,
    unscored: 0,
    bytes: 341_234,
    elapsedS: 8.31,
    busyS: 52.3,
    latency: { median: 0.112, p90: 0.31, p99: 0.62, max: 1.3 },
    live: [],
    paused: [],
    outages: [],
    standstill: null,
    stopping: null,
    ...changes,
  };
}

/** A run of 1000, half way. */
export function halfWay(changes: Partial<Tally> = {}): Tally {
  return tallyOf({
    materialized: 1000,
    owed: 1000,
    done: 497,
    failed: 15,
    inFlight: 64,
    waiting: 424,
    failures: { sandbox_lost: 3, agent_run_error: 12 },
    latency: { median: 1.2, p90: 4.04, p99: 9, max: 12 },
    elapsedS: 130,
    ...changes,
  });
}

/** The summary of {@link tallyOf}. */
export function summaryOf(changes: Partial<Summary> = {}, tally: Partial<Tally> = {}): Summary {
  return {
    ending: "complete",
    error: null,
    signal: null,
    tally: tallyOf(tally),
    soFar: [],
    metrics: [{
      label: "demo_agent",
      rows: 400,
      key_metrics: { "mean/reward": 0.8575, "pass@1": 0.8575, "pass@4": 0.99 },
      computed_by: "server",
    }],
    coverage: null,
    health: null,
    found: [],
    notes: [],
    files: {
      rollouts: "runs/a.jsonl",
      "materialized inputs": "runs/a_materialized_inputs.jsonl",
      metrics: "runs/a_aggregate_metrics.json",
    },
    ...changes,
  };
}

/** What is known of a run of 400 of which everything was scored, with some of it told otherwise. */
export function coverageOf(changes: Partial<Coverage> = {}): Coverage {
  return {
    expected: 400,
    scored: 400,
    counted: 0,
    imputed: 0,
    missing: 0,
    failures: {},
    withoutTrace: 0,
    unscoredTasks: { count: 0, listed: [] },
    shards: { all: 1, withInputs: 1 },
    ...changes,
  };
}

/** Any text a server could send: graphemes of all scripts, lone surrogates, controls, colours. */
export const foreignText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.constantFrom(
    "数学サーバー",
    "\x1b[2J\x1b[31mred\x1b]0;title\x07",
    "👩‍👩‍👧👍🏽🇫🇷",
    "e\u0301\u0302",
    "a\r\nb\tc",
    "\u202eabc",
    "",
  ),
);

const count = fc.oneof(fc.nat(20), fc.nat(10_000_000));
const seconds = fc.double({ min: 0, max: 1e7, noNaN: true });

const anyLive: fc.Arbitrary<LiveMeans> = fc.record({
  name: foreignText,
  owed: count,
  finished: count,
  perMinute: seconds,
  scored: count,
  unscored: count,
  means: fc.dictionary(foreignText, seconds, { maxKeys: 4 }),
  maskedPct: seconds,
  rewardUnmasked: seconds,
  failed: count,
  omitted: count,
}, { requiredKeys: ["name", "owed", "finished", "perMinute", "scored", "means"] })
  .map((live) => ({ ...live, owed: live.owed + live.finished }));

/** What the file may say of a server. */
export const anySoFar: fc.Arbitrary<SoFar> = fc.record({
  name: foreignText,
  rows: count,
  expected: count,
  unscored: count,
  means: fc.dictionary(foreignText, seconds, { maxKeys: 4 }),
  maskedPct: seconds,
  rewardUnmasked: seconds,
}, { requiredKeys: ["name", "rows", "expected", "unscored", "means"] });

/** Any coverage; its counts need not add up. */
export const anyCoverage: fc.Arbitrary<Coverage> = fc.record({
  expected: count,
  scored: count,
  counted: count,
  imputed: count,
  missing: count,
  failures: fc.dictionary(foreignText, count, { maxKeys: 8 }),
  withoutTrace: count,
  unscoredTasks: fc.record({
    count,
    listed: fc.array(fc.record({ task: fc.integer(), group: foreignText, missing: count }), { maxLength: 4 }),
  }),
  shards: fc.record({ all: count, withInputs: count }),
});

/** Any health summary; its counts need not add up. */
export const anyHealth: fc.Arbitrary<HealthSummary> = fc.record({
  checked: count,
  healthy: count,
  unhealthy: count,
  unobserved: count,
  ignored: fc.array(fc.constantFrom("model_call_failed", "agent_turn_hollow"), { maxLength: 2 }),
  issues: fc.dictionary(fc.constantFrom("model_call_failed", "agent_turn_hollow"), count),
  summary: foreignText,
  verdicts: foreignText,
});

/** Any tally; its counts need not add up. */
export const anyTally: fc.Arbitrary<Tally> = fc.record({
  materialized: count,
  before: count,
  terminal: count,
  atCap: count,
  failedBefore: count,
  exhausted: count,
  newlyAtCap: count,
  unrecorded: count,
  givenUp: count,
  owed: count,
  done: count,
  failed: count,
  notPersisted: count,
  drained: count,
  inFlight: count,
  waiting: count,
  failures: fc.dictionary(foreignText, count, { maxKeys: 8 }),
  attemptsAgain: count,
  repeats: count,
  unscored: count,
  bytes: count,
  elapsedS: seconds,
  busyS: seconds,
  latency: fc.record({
    median: fc.option(seconds),
    p90: fc.option(seconds),
    p99: fc.option(seconds),
    max: fc.option(seconds),
  }),
  live: fc.array(anyLive, { maxLength: 3 }),
  paused: fc.array(fc.record({ server: foreignText, reason: foreignText, seconds }), { maxLength: 4 }),
  outages: fc.array(fc.record({ server: foreignText, rows: count, ranAgain: count, seconds }), {
    maxLength: 3,
  }),
  standstill: fc.option(fc.record({
    seconds,
    oldest: fc.option(fc.record({ task: count, rollout: count })),
  })),
  stopping: fc.option(foreignText),
}).map((tally) => ({
  ...tally,
  // Of those that failed.
  exhausted: Math.min(tally.exhausted, tally.failed),
  newlyAtCap: Math.min(tally.newlyAtCap, tally.exhausted, tally.failed),
  unrecorded: Math.min(tally.unrecorded, tally.failed),
}));
