import assert from "node:assert/strict";
import fc from "fast-check";
import { summaryJson } from "../../src/report/summary_json.ts";
import { anyTally, summaryOf } from "./samples.ts";

Deno.test("summaryJson() is one line with all keys in their order", () => {
  const text = summaryJson(summaryOf({ notes: ["two\nlines"] }));
  assert.ok(!text.includes("\n"));
  assert.deepEqual(Object.keys(JSON.parse(text)), [
    "ending",
    "error",
    "signal",
    "materialized",
    "done_before",
    "terminal",
    "at_cap",
    "failed_before",
    "owed",
    "done",
    "failed",
    "exhausted",
    "unrecorded",
    "given_up",
    "not_persisted",
    "drained",
    "left",
    "to_run",
    "scored",
    "missing",
    "imputed",
    "coverage",
    "failures",
    "attempts_again",
    "repeats",
    "outages",
    "unscored",
    "bytes",
    "elapsed_s",
    "busy_s",
    "task_hours",
    "latency_s",
    "live",
    "metrics",
    "health",
    "notes",
    "files",
  ]);
});

Deno.test("summaryJson() of a run whose server died after 3 of 10 adds up", () => {
  const told = JSON.parse(summaryJson(
    summaryOf({ ending: "failed", error: { kind: "fault", message: "gone" }, metrics: null }, {
      materialized: 10,
      owed: 10,
      done: 3,
      failed: 1,
      inFlight: 2,
      waiting: 4,
      failures: { agent_request_failed: 1 },
      busyS: 7200,
    }),
  ));
  assert.equal(told.materialized, told.done_before + told.terminal + told.at_cap + told.owed);
  assert.equal(told.owed, told.done + told.failed + told.not_persisted + told.drained + told.left);
  assert.deepEqual([told.left, told.to_run, told.scored, told.missing, told.imputed], [6, 7, 3, 7, 0]);
  assert.deepEqual([told.ending, told.error, told.signal, told.metrics], ["failed", "gone", null, null]);
  assert.deepEqual([told.failures, told.task_hours], [{ agent_request_failed: 1 }, 2]);
});

Deno.test("summaryJson() counts rows beyond the rollouts file as imputed", () => {
  const metrics = [{
    label: "x",
    rows: 400,
    key_metrics: { "mean/reward": 0.5 },
    computed_by: "server" as const,
  }];
  const told = JSON.parse(summaryJson(summaryOf({ metrics }, { done: 385, failed: 15 })));
  assert.deepEqual([told.scored, told.missing, told.imputed, told.metrics], [400, 0, 15, metrics]);
});

Deno.test("summaryJson() is snake_case throughout its own keys, for any tally", () => {
  fc.assert(fc.property(anyTally, (tally) => {
    const text = summaryJson(summaryOf({ tally }));
    assert.ok(!text.includes("\n"));
    for (const key of Object.keys(JSON.parse(text))) assert.match(key, /^[a-z0-9_]+$/);
  }));
});
