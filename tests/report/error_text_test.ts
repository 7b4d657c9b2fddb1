import assert from "node:assert/strict";
import type { Tally } from "../../src/collect/tally.ts";
import type { RunError } from "../../src/events/run_error.ts";
import { errorText } from "../../src/report/error_text.ts";
import { summaryOf, tallyOf } from "./samples.ts";

const id = { task: 3, rollout: 1 }, math = { server: "math", url: "http://m:1" };
const end = { budgetS: 60, failures: "runs/a_failures.jsonl" } as const;

const OTHERS = { done: 0, waiting: 400 };

const texts: readonly (readonly [RunError, string, Partial<Tally>?])[] = [
  [
    {
      kind: "rollout_failed",
      id,
      failure: { failureClass: "agent_run_error", message: "http://m:1/run answered 500", body: "oops" },
    },
    "Rollout 3-1 failed: http://m:1/run answered 500: oops\nThe finished rollouts are kept; with " +
    "--route-failures-to-sidecar a failed one does not end the run.",
  ],
  [
    {
      kind: "rollout_failed",
      id,
      failure: { failureClass: "agent_run_error", message: "http://m:1/run answered 500", body: null },
    },
    "Rollout 3-1 failed: http://m:1/run answered 500\nWith --route-failures-to-sidecar a failed one does not end the run.",
    { done: 0, failed: 1, waiting: 399 },
  ],
  [
    { kind: "server_abandoned", ...math, reason: "HTTP 503", afterMs: 3000 },
    "Server math (http://m:1) turned rows away for 3.0 s, as long as the retry window allows: HTTP 503. Its other " +
    "rollouts were not tried; fix the cause, then continue with --resume.",
    OTHERS,
  ],
  [
    {
      kind: "server_abandoned",
      ...math,
      reason: "HTTP 429",
      afterMs: 0,
      asked: { forMs: 3_600_000, windowMs: 600_000 },
    },
    "Server math (http://m:1) asked us to wait 3600 s, longer than the retry window of 600 s has left. Its other " +
    "rollouts were not tried; fix the cause, then continue with --resume.",
    OTHERS,
  ],
  [
    { kind: "server_abandoned", ...math, reason: "connection reset", afterMs: 3000 },
    "Server math (http://m:1) was unreachable for 3.0 s: connection reset. Its other rollouts were not tried; fix the cause, " +
    "then continue with --resume.",
    OTHERS,
  ],
  [
    { kind: "server_abandoned", ...math, reason: "dns error: unknown name", afterMs: 0 },
    "Server math (http://m:1) is unreachable: dns error: unknown name. Fix the cause, then continue with --resume.",
  ],
  [
    { kind: "unusable_answer", ...math, id, why: "its result is not an object" },
    "Server math (http://m:1), rollout 3-1: its result is not an object",
  ],
  [
    { kind: "cannot_send", id: { ...id, own: "django__django-11099" }, why: "runs/a.jsonl was cut short" },
    "Cannot send rollout 3-1 (django__django-11099): runs/a.jsonl was cut short.",
  ],
  [
    { kind: "fault", message: "Cannot write to a: No space left on device (os error 28). Free space." },
    "Cannot write to a: No space left on device. Free space.",
  ],
  [
    { kind: "no_results", ...end },
    "None of 5 rollouts has a result: 2 agent_run_error, 3 not run (dispatch_budget_s=60). " +
    "See runs/a_failures.jsonl.",
    { materialized: 5, owed: 5, done: 0, failed: 2, drained: 3, failures: { agent_run_error: 2 } },
  ],
  [
    { kind: "no_results", ...end },
    "The only rollout has no result: 1 not kept, as the server asked (_ng_no_persist).",
    { materialized: 1, owed: 1, done: 0, notPersisted: 1 },
  ],
  [
    { kind: "incomplete", ...end },
    "1 of 400 rollouts is missing (require_complete): 1 sandbox_lost. See runs/a_failures.jsonl; --resume retries " +
    "those that may run again.",
    { done: 399, failed: 1, failures: { sandbox_lost: 1 } },
  ],
  [
    { kind: "incomplete", ...end },
    "2 of 400 rollouts are missing (require_complete): 2 had already failed permanently or reached the attempt " +
    "limit. See runs/a_failures.jsonl.",
    { owed: 398, done: 398, terminal: 1, atCap: 1 },
  ],
];

for (const [error, text, tally = {}] of texts) {
  Deno.test(`errorText() of ${error.kind}: ${text.slice(0, 60)}`, () => {
    assert.equal(errorText({ error, tally: tallyOf(tally) }), text);
    assert.deepEqual(structuredClone(error), error, "an error is plain data");
  });
}

Deno.test("errorText() names the Slurm job's end where that was the budget", () => {
  const error: RunError = { kind: "no_results", budgetS: 0, failures: "f" };
  const summary = summaryOf({ error }, { materialized: 5, owed: 5, done: 0, drained: 5 });
  assert.equal(
    errorText(summary, true),
    "None of 5 rollouts has a result: 5 not run (the Slurm job ends too soon).",
  );
});
