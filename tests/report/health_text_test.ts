import assert from "node:assert/strict";
import fc from "fast-check";
import type { HealthSummary } from "../../src/collect/tally.ts";
import { healthJson, healthSentence, healthText } from "../../src/report/health_text.ts";
import { summaryText } from "../../src/report/summary.ts";
import { summaryJson } from "../../src/report/summary_json.ts";
import { anyHealth, summaryOf } from "./samples.ts";

const HEALTH: HealthSummary = {
  checked: 1200,
  healthy: 1000,
  unhealthy: 150,
  unobserved: 50,
  ignored: [],
  issues: {
    agent_turn_hollow: 4,
    model_call_failed: 1400,
    model_call_zero_completion_tokens: 9,
    record_unreadable: 1,
  },
  summary: "runs/quality_summary.json",
  verdicts: "runs/rollout_verdicts.jsonl",
};

for (
  const [what, health, sentence] of [
    ["no checks", null, ""],
    [
      "many findings",
      HEALTH,
      "1200 checked: 1000 healthy, 150 unhealthy, 50 unobserved, as their results lack the trajectory that a check needs (model_call_failed 1400, " +
      "model_call_zero_completion_tokens 9, agent_turn_hollow 4, 1 more); see runs/quality_summary.json",
    ],
    [
      "nothing found",
      { ...HEALTH, unhealthy: 0, issues: {}, ignored: ["a", "b"] },
      "1200 checked: 1000 healthy, 50 unobserved, as their results lack the trajectory that a check needs; left out: a, b; see runs/quality_summary.json",
    ],
    [
      "no rollouts",
      { ...HEALTH, checked: 0, healthy: 0, unhealthy: 0, unobserved: 0, issues: {} },
      "0 checked; see runs/quality_summary.json",
    ],
  ] as [string, HealthSummary | null, string][]
) {
  Deno.test(`healthSentence() of ${what}`, () => assert.equal(healthSentence(health), sentence));
}

Deno.test("healthText() lists every check that found something, the one that found most first", () => {
  const finds = new Map([["model_call_failed", "a model call that failed"]]);
  const text = healthText(HEALTH, finds, ["A note."], { columns: 80, colour: false });
  assert.equal(
    text,
    [
      "Checked 1200 rollouts: 1000 healthy, 150 unhealthy, 50 unobserved, as their",
      "results lack the trajectory that a check needs.",
      "",
      "found       1400  model_call_failed                  a model call that failed",
      "            9     model_call_zero_completion_tokens",
      "            4     agent_turn_hollow",
      "            1     record_unreadable",
      "notes       A note.",
      "files       summary   runs/quality_summary.json",
      "            verdicts  runs/rollout_verdicts.jsonl",
      "",
    ].join("\n"),
  );
});

Deno.test("healthText() and healthSentence() pass no control on to the terminal", () => {
  fc.assert(fc.property(anyHealth, fc.integer({ min: 0, max: 200 }), (health, columns) => {
    const text = healthText(health, new Map(), [], { columns, colour: false });
    assert.doesNotMatch(text.replaceAll("\n", "") + healthSentence(health), /\p{Cc}/u);
  }));
});

Deno.test("healthJson() has every number of the summary", () => {
  assert.deepEqual(healthJson(HEALTH), HEALTH);
  assert.equal(healthJson(null), null);
});

Deno.test("the summary of a run has a line for its health checks when there were some", () => {
  const options = { columns: 200, colour: false };
  assert.match(summaryText(summaryOf({ health: HEALTH }), options), /^health +1200 checked: 1000 healthy, /m);
  assert.doesNotMatch(summaryText(summaryOf(), options), /^health/m);
  assert.deepEqual(JSON.parse(summaryJson(summaryOf({ health: HEALTH }))).health, HEALTH);
});
