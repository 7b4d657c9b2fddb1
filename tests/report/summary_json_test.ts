import assert from "node:assert/strict";
import { summaryJson } from "../../src/report/summary_json.ts";
import { summaryOf } from "./samples.ts";

Deno.test("summaryJson() is one line, and its notes begin with what was told before", () => {
  const text = summaryJson(summaryOf({ notes: ["two\nlines"] }), { told: ["Warning: one"] });
  assert.ok(!text.includes("\n"));
  assert.deepEqual(JSON.parse(text).notes, ["Warning: one", "two\nlines"]);
});

Deno.test("summaryJson() says what was left undone, and why", () => {
  const undone = (signal: string | null, bySlurm: boolean) =>
    JSON.parse(summaryJson(summaryOf({ signal }, { drained: 3, waiting: 2 }), { bySlurm })).undone;
  assert.deepEqual(undone(null, true), [{ rollouts: 3, why: "slurm_end" }, { rollouts: 2, why: "error" }]);
  assert.deepEqual(undone("SIGTERM", false), [
    { rollouts: 3, why: "dispatch_budget" },
    { rollouts: 2, why: "signal" },
  ]);
  assert.deepEqual(JSON.parse(summaryJson(summaryOf())).undone, []);
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
