/** The small rules: attempts, terminal failures, durations, deliverables. */
import assert from "node:assert/strict";
import { attemptsCap } from "../../src/record/attempts_cap.ts";
import { elapsedSeconds } from "../../src/record/elapsed.ts";
import { hasDeliverable } from "../../src/resume/judge_migration.ts";
import { isTerminal } from "../../src/record/final_failures.ts";

for (
  const [text, cap, warns] of [
    [undefined, 3, false],
    ["", 3, false],
    ["1", 1, false],
    [" 5 ", 5, false],
    ["+2", 2, false],
    ["100000", 65_535, false],
    ["0", 3, true],
    ["-1", 3, true],
    ["2.5", 3, true],
    ["three", 3, true],
    ["0x10", 3, true],
  ] as const
) {
  Deno.test(`attemptsCap() of ${JSON.stringify(text)} is ${cap}${warns ? ", with a warning" : ""}`, () => {
    const { cap: got, warning } = attemptsCap(text);
    assert.equal(got, cap);
    assert.equal(warning !== undefined, warns);
    if (warns) assert.match(warning!, /NEMO_GYM_MAX_ROLLOUT_ATTEMPTS/);
  });
}

for (
  const [failureClass, stamped, want, wantWithRetry] of [
    ["agent_run_error", false, false, false],
    ["agent_run_error", true, true, true],
    ["timeout_exceeded", true, true, false],
    ["timeout_exceeded", false, false, false],
    ["reference_missing", true, true, false],
    ["eval_missing", true, true, false],
    ["transport_ineligible", true, true, false],
    ["skipped", true, true, true],
    ["skipped", false, false, true],
    [undefined, true, true, true],
    [undefined, false, false, false],
  ] as const
) {
  const what = `${failureClass}${stamped ? ", stamped" : ""}`;
  Deno.test(`isTerminal() of ${what} is ${want}, and ${wantWithRetry} with retry_terminal_timeouts`, () => {
    assert.equal(isTerminal(failureClass, stamped, false), want);
    assert.equal(isTerminal(failureClass, stamped, true), wantWithRetry);
  });
}

const bytes = (json: string | undefined) => json === undefined ? undefined : new TextEncoder().encode(json);

for (
  const [elapsed, response, want] of [
    ["10", undefined, 10],
    ["30.5", undefined, 30.5],
    ['"40"', undefined, 40],
    ['" 1e2 "', undefined, 100],
    ["0", undefined, undefined],
    ["-1", undefined, undefined],
    ['"soon"', undefined, undefined],
    ["null", undefined, undefined],
    ["true", undefined, undefined],
    ["[3]", undefined, undefined],
    ["1e999", undefined, Infinity],
    [undefined, undefined, undefined],
    [undefined, '{"metadata":{"elapsed_seconds":"12.5"}}', 12.5],
    ["-1", '{"metadata":{"elapsed_seconds":99}}', 99],
    ["7", '{"metadata":{"elapsed_seconds":99}}', 7],
    [undefined, '{"metadata":null}', undefined],
    [undefined, '{"metadata":[1]}', undefined],
    [undefined, "null", undefined],
    [undefined, '"text"', undefined],
    [undefined, '{"metadata":{"elapsed_seconds":x}}', undefined],
  ] as const
) {
  Deno.test(`elapsedSeconds() of ${elapsed} and response ${response} is ${want}`, () => {
    assert.equal(elapsedSeconds(bytes(elapsed), bytes(response)), want);
  });
}

for (
  const [names, want] of [
    [[], false],
    [["report.docx"], true],
    [["log.txt", "metadata.json"], false],
    [
      ["finish_params.json", "history.json", "history.pkl", "inprogress_history.json", "reference_files"],
      false,
    ],
    [["log.txt", "answer.txt"], true],
    [["LOG.TXT"], true],
  ] as const
) {
  Deno.test(`hasDeliverable() of ${names.join(", ") || "nothing"} is ${want}`, () => {
    assert.equal(hasDeliverable(names), want);
  });
}
