/** The texts are in testdata/report; `deno test -P=test tests/report -- --update` rewrites them. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { CheckedAggregate } from "../../src/collect/aggregate.ts";
import { aggregateJson, aggregateText } from "../../src/report/summary_aggregate.ts";
import { anyCoverage, anyHealth, coverageOf, foreignText } from "./samples.ts";

function aggregatedOf(changes: Partial<CheckedAggregate> = {}): CheckedAggregate {
  return {
    ending: "complete",
    error: null,
    signal: null,
    shards: 4,
    rows: 400,
    unscored: 0,
    elapsedS: 2.4,
    metrics: [{
      label: "demo_agent",
      rows: 400,
      key_metrics: { "mean/reward": 0.8575 },
      computed_by: "server",
    }],
    coverage: coverageOf({ shards: { all: 4, withInputs: 4 } }),
    health: null,
    notes: [],
    files: { rollouts: "runs/all.jsonl", aggregate_metrics: "runs/all_aggregate_metrics.json" },
    ...changes,
  };
}

const incomplete = coverageOf({
  scored: 397,
  counted: 10,
  imputed: 2,
  missing: 3,
  failures: { sandbox_lost: 3 },
  unscoredTasks: { count: 1, listed: [{ task: 17, group: "math_env", missing: 3 }] },
  shards: { all: 4, withInputs: 3 },
});

const cases: Record<string, CheckedAggregate> = {
  aggregated: aggregatedOf(),
  aggregated_incomplete: aggregatedOf({
    ending: "failed",
    error: "15 of 400 rollouts are missing (require_complete).",
    coverage: incomplete,
    notes: ["Rollouts that left no row cannot be counted where nobody knows what was owed:\n  runs/b.jsonl"],
  }),
  aggregated_nothing: aggregatedOf({
    shards: 1,
    rows: 0,
    metrics: [],
    coverage: coverageOf({
      expected: 1,
      scored: 0,
      missing: 1,
      failures: { agent_run_error: 1 },
      unscoredTasks: { count: 1, listed: [{ task: 0, group: "solver_env", missing: 1 }] },
      shards: { all: 1, withInputs: 0 },
    }),
    files: {},
  }),
  aggregated_failed: aggregatedOf({
    ending: "failed",
    error: "No metrics from server math_env: \x1b[2Jboom",
    rows: null,
    metrics: null,
    coverage: null,
  }),
  aggregated_stopped: aggregatedOf({
    ending: "stopped",
    signal: "SIGINT",
    rows: null,
    metrics: null,
    coverage: null,
    files: {},
  }),
};

for (const [name, summary] of Object.entries(cases)) {
  Deno.test(`aggregateText() of an aggregation: ${name}`, async () => {
    const file = new URL(`../../testdata/report/${name}.txt`, import.meta.url);
    const text = aggregateText(summary, { columns: 80, colour: false });
    if (Deno.args.includes("--update")) await Deno.writeTextFile(file, text);
    assert.equal(text, await Deno.readTextFile(file));
  });
}

Deno.test("aggregateText() passes no control on to the terminal, whatever the shards hold", () => {
  const any: fc.Arbitrary<CheckedAggregate> = fc.record({
    ending: fc.constantFrom("complete", "failed", "stopped"),
    error: fc.option(foreignText),
    signal: fc.option(foreignText),
    shards: fc.nat(),
    rows: fc.option(fc.nat()),
    unscored: fc.option(fc.nat()),
    elapsedS: fc.double({ min: 0, max: 1e6, noNaN: true }),
    metrics: fc.constant([]),
    coverage: fc.option(anyCoverage),
    health: fc.option(anyHealth),
    notes: fc.array(foreignText, { maxLength: 3 }),
    files: fc.dictionary(fc.constantFrom("rollouts", "other"), foreignText),
  });
  fc.assert(fc.property(any, fc.integer({ min: 0, max: 200 }), (summary, columns) => {
    const text = aggregateText(summary, { columns, colour: false });
    assert.doesNotMatch(text.replaceAll("\n", ""), /\p{Cc}/u);
    assert.ok(text.endsWith("\n") && !text.endsWith("\n\n"));
  }));
});

Deno.test("aggregateJson() is one line with all keys in their order", () => {
  const text = aggregateJson(aggregatedOf({ coverage: incomplete }));
  assert.ok(!text.includes("\n"));
  const told = JSON.parse(text);
  assert.deepEqual(Object.keys(told), [
    "ending",
    "error",
    "signal",
    "shards",
    "rows",
    "unscored",
    "coverage",
    "elapsed_s",
    "metrics",
    "health",
    "notes",
    "files",
  ]);
  assert.deepEqual(told.coverage, {
    expected: 400,
    scored: 397,
    counted: 10,
    imputed: 2,
    missing: 3,
    failures: { sandbox_lost: 3 },
    other_failures: { classes: 0, count: 0 },
    without_trace: 0,
    unscored_tasks: { count: 1, listed: [{ task: 17, group: "math_env", missing: 3 }] },
    shards: { all: 4, with_inputs: 3 },
  });
  assert.equal(told.metrics[0].computed_by, "server");
});
