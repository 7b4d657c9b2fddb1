/** The texts are in testdata/report; `deno test -P=test tests/report -- --update` rewrites them. */
import assert from "node:assert/strict";
import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import type { GroupMetrics, Summary } from "../../src/collect/tally.ts";
import { summaryText } from "../../src/report/summary.ts";
import { anyCoverage, anyHealth, anySoFar, anyTally, coverageOf, foreignText, summaryOf } from "./samples.ts";

const fault = (message: string) => ({ kind: "fault", message }) as const;

const files = { ...summaryOf().files, failures: "runs/a_failures.jsonl" };
const { metrics: _, ...filesWithoutMetrics } = summaryOf().files;
const metricsOver = (rows: number): GroupMetrics[] => [
  { label: "demo_agent", rows, key_metrics: { "mean/reward": 0.75 }, computed_by: "server" },
];

const messy: Summary = summaryOf({
  ending: "stopped",
  signal: "SIGTERM",
  metrics: [
    {
      label: "math_agent",
      rows: 1502,
      key_metrics: { "mean/reward": 0.8125, "pass@1": 0.8125, "pass@4": 0.97 },
      computed_by: "server",
    },
    {
      label: "数学サーバー",
      rows: 500,
      key_metrics: { "mean/reward": 0.41, "pass@1": 0.41, tokens: 12345.678 },
      computed_by: "server",
    },
  ],
  found: [
    {
      kind: "lines_set_aside",
      path: "runs/a.jsonl",
      quarantine: "runs/a_quarantine.jsonl",
      lines: 1,
      first: ["line 7: unexpected end at byte 20"],
    },
  ],
  soFar: [{ name: "math_agent", rows: 2002, expected: 2400, unscored: 3, means: {} }],
  notes: [
    "2 tasks have no scored rollout:\n  task 17, 0 of 4\n  task 203, 0 of 4",
  ],
  files,
}, {
  materialized: 2400,
  before: 300,
  terminal: 8,
  atCap: 4,
  failedBefore: 25,
  exhausted: 6,
  newlyAtCap: 4,
  givenUp: 8,
  owed: 2088,
  done: 1702,
  failed: 31,
  notPersisted: 2,
  inFlight: 8,
  waiting: 345,
  failures: { agent_run_error: 24, agent_request_failed: 18, sandbox_lost: 9 },
  attemptsAgain: 20,
  repeats: 41,
  bytes: 4.2e9,
  elapsedS: 4210,
  busyS: 271_000,
  latency: { median: 104, p90: 411, p99: 1290, max: 2875 },
});

const nothingRun = {
  owed: 0,
  done: 0,
  bytes: 0,
  busyS: 0,
  elapsedS: 0.2,
  latency: { median: null, p90: null, p99: null, max: null },
};

const cases: Record<string, [Summary, columns?: number]> = {
  clean: [summaryOf()],
  messy: [messy],
  messy_narrow: [messy, 40],
  some_failed: [
    summaryOf({ metrics: metricsOver(385), files }, {
      done: 385,
      failed: 15,
      failures: { agent_run_error: 12, sandbox_lost: 3 },
    }),
  ],
  // What the files say of all that was owed: by class, and by task.
  coverage: [
    summaryOf({
      metrics: metricsOver(390),
      coverage: coverageOf({
        scored: 390,
        counted: 3,
        imputed: 2,
        missing: 10,
        failures: { agent_run_error: 7, sandbox_lost: 1 },
        withoutTrace: 2,
        unscoredTasks: {
          count: 22,
          listed: [{ task: 17, group: "math_env", missing: 4 }, { task: 203, group: "math_env", missing: 1 }],
        },
      }),
      files,
    }, { done: 385, failed: 11, drained: 4, failures: { agent_run_error: 9, sandbox_lost: 2 } }),
  ],
  so_far: [
    summaryOf({
      ending: "stopped",
      signal: "SIGINT",
      metrics: null,
      files: filesWithoutMetrics,
      soFar: [
        {
          name: "math_agent",
          rows: 100,
          expected: 300,
          unscored: 2,
          means: { reward: 0.8125, tokens: 512 },
          maskedPct: 2,
          rewardUnmasked: 0.9,
        },
        { name: "judge_agent", rows: 20, expected: 100, unscored: 0, means: { reward: 0.5 } },
        { name: "idle_agent", rows: 0, expected: 1, unscored: 0, means: {} },
      ],
    }, { done: 120, waiting: 280 }),
  ],
  drained: [
    summaryOf({ ending: "drained", metrics: metricsOver(4) }, {
      materialized: 10,
      owed: 10,
      done: 4,
      drained: 6,
      elapsedS: 3,
    }),
  ],
  failed: [
    summaryOf({
      ending: "failed",
      error: fault(
        "POST http://127.0.0.1:8000/run: status 500 (task 3, rollout 0)\n  the server said: \x1b[2Jboom",
      ),
      metrics: null,
      files: filesWithoutMetrics,
    }, { materialized: 10, owed: 10, done: 3, failed: 1, waiting: 6, failures: { agent_run_error: 1 } }),
  ],
  incomplete_metrics: [
    summaryOf({
      error: fault("POST http://127.0.0.1:8001/aggregate_metrics: connection refused"),
      metrics: metricsOver(300),
    }),
  ],
  nothing_owed: [
    summaryOf({ metrics: metricsOver(398), files }, { ...nothingRun, before: 398, terminal: 2 }),
  ],
  empty_input: [
    summaryOf({ metrics: null, files: {} }, { ...nothingRun, materialized: 0 }),
  ],
};

for (const [name, [summary, columns = 80]] of Object.entries(cases)) {
  Deno.test(`summaryText() of a run: ${name}`, async () => {
    const file = new URL(`../../testdata/report/${name}.txt`, import.meta.url);
    const text = summaryText(summary, { columns, colour: false });
    if (Deno.args.includes("--update")) await Deno.writeTextFile(file, text);
    assert.equal(text, await Deno.readTextFile(file));
  });
}

for (
  const [tally, step] of [
    [{ done: 395, failed: 5 }, "--resume to retry 5 failed rollouts"],
    [
      { done: 399, waiting: 1, givenUp: 1 },
      "--resume to run the one that is left (it was in flight; the server may have run it)",
    ],
    [
      { done: 390, failed: 2, waiting: 8, givenUp: 2, exhausted: 1, newlyAtCap: 1 },
      "--resume to run the 8 that are left (2 of them were in flight; the server may have run them) and retry " +
      "1 failed rollout; add --retry-exhausted for the 1 at the attempt limit",
    ],
    [{ owed: 0, done: 0, atCap: 2 }, "--resume and --retry-exhausted for the 2 at the attempt limit"],
    [
      { done: 397, failed: 3, exhausted: 3, newlyAtCap: 1 },
      "--resume and --retry-exhausted for the 1 at the attempt limit, --retry CLASS,… for the 2 that failed permanently",
    ],
    [{}, null],
  ] as const
) {
  Deno.test(`summaryText() says how to continue after ${JSON.stringify(tally)}`, () => {
    const text = summaryText(summaryOf({}, tally), { columns: 400, colour: false });
    const told = /^next step +rerun the same command with (.*)$/m.exec(text)?.[1] ?? null;
    assert.equal(told, step);
  });
}

Deno.test("summaryText() tells what was found in the files only where it was not shown during the run", () => {
  const text = (quiet: boolean) => summaryText(messy, { columns: 80, colour: false, quiet });
  assert.match(text(true), /notes {7}1 line of runs\/a\.jsonl is not a usable row/);
  assert.doesNotMatch(text(false), /is not a usable row/);
});

Deno.test("summaryText() says the same with colours", () => {
  for (const [summary] of Object.values(cases)) {
    const coloured = summaryText(summary, { columns: 80, colour: true });
    assert.ok(coloured.includes("\x1b["));
    assert.equal(stripVTControlCharacters(coloured), summaryText(summary, { columns: 80, colour: false }));
  }
});

Deno.test("summaryText() lists 20 notes and counts the rest", () => {
  const notes = Array.from({ length: 23 }, (_, i) => `note ${i}`);
  const text = summaryText(summaryOf({ notes }), { columns: 80, colour: false });
  assert.match(text, /note 19\n +… and 3 more\n/);
  assert.doesNotMatch(text, /note 20/);
});

Deno.test("summaryText() passes no control on to the terminal, whatever a run met", () => {
  const any: fc.Arbitrary<Summary> = fc.record({
    ending: fc.constantFrom(
      ...["complete", "drained", "token_budget", "too_many_failures", "stopped", "failed"] as const,
    ),
    error: fc.option(foreignText.map(fault)),
    signal: fc.option(foreignText),
    tally: anyTally,
    soFar: fc.array(anySoFar, { maxLength: 3 }),
    metrics: fc.option(fc.array(
      fc.record({
        label: foreignText,
        rows: fc.nat(),
        key_metrics: fc.dictionary(foreignText, fc.oneof(fc.double(), fc.jsonValue(), foreignText)),
        computed_by: fc.constantFrom("server", "rollcall"),
      }),
      { maxLength: 3 },
    )),
    coverage: fc.option(anyCoverage),
    health: fc.option(anyHealth),
    found: fc.constant([]),
    notes: fc.array(foreignText, { maxLength: 3 }),
    files: fc.dictionary(fc.constantFrom("rollouts", "failures", "other"), foreignText),
  });
  fc.assert(fc.property(any, fc.integer({ min: 0, max: 200 }), (summary, columns) => {
    const text = summaryText(summary, { columns, colour: false });
    assert.doesNotMatch(text.replaceAll("\n", ""), /\p{Cc}/u);
    assert.ok(text.endsWith("\n") && !text.endsWith("\n\n"));
  }));
});
