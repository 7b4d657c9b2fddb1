/**
 * Replays the recordings of Gym's collector against the sources.
 *
 * A case in testdata/cases is either listed as passing here, or under LATER with what it waits for.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { checkCase } from "./conformance/case.ts";
import { shellWord } from "./conformance/command.ts";

const PASSING: readonly string[] = [
  "aggregate-count-both",
  "aggregate-count-classes",
  "aggregate-disabled",
  "aggregate-empty-shard",
  "aggregate-failing",
  "aggregate-labels",
  "aggregate-malformed",
  "aggregate-no-match",
  "aggregate-no-merge",
  "aggregate-shards-collected",
  "aggregate-shards-glob",
  "aggregate-two-servers",
  "aggregate-unstamped",
  "dispatch-budget-part-way",
  "dispatch-budget-unbounded",
  "dispatch-budget-zero",
  "dispatch-margin-over-budget",
  "dispatch-not-retained",
  "dispatch-parallel-limit",
  "dispatch-resident-limit",
  "dispatch-resident-limit-error",
  "dispatch-unlimited",
  "dispatch-zero-resident",
  "failures-500",
  "failures-all",
  "failures-all-not-persisted",
  "failures-count-classes",
  "failures-count-missing",
  "failures-declared",
  "failures-long-body",
  "failures-long-body-unicode",
  "failures-no-persist",
  "failures-not-json",
  "failures-not-utf8-body",
  "failures-require-complete",
  "failures-statuses",
  "failures-without-flag",
  "health-call-failed",
  "health-capture-mismatch",
  "health-duplicates",
  "health-error-statistics",
  "health-failed-call",
  "health-healthy",
  "health-hollow-turns",
  "health-hollow-turns-shapes",
  "health-identity",
  "health-ignored-checks",
  "health-ignored-unknown",
  "health-incomplete-capture",
  "health-missing-turns",
  "health-no-folder",
  "health-runaway",
  "health-task-level",
  "health-token-mismatch",
  "health-tokens",
  "health-unreadable",
  "input-malformed",
  "input-missing-file",
  "input-no-head-server",
  "input-numbers-and-text",
  "input-output-folder-made",
  "repeats-duplicate-rows",
  "repeats-in-order",
  "repeats-limit",
  "repeats-limit-zero",
  "repeats-three",
  "results-keys-overwritten",
  "results-masked",
  "results-numbers",
  "results-stamps",
  "resume-all-done",
  "resume-attempts-cap-env",
  "resume-attempts-cap-env-bad",
  "resume-attempts-capped",
  "resume-blank-lines",
  "resume-counts-old-failures",
  "resume-cut-off-lines",
  "resume-fresh-run-clears",
  "resume-judge-migration",
  "resume-longest-first",
  "resume-longest-first-sources",
  "resume-nothing-yet",
  "resume-part-done",
  "resume-retry-terminal-timeouts",
  "resume-reuse-deliverable",
  "resume-terminal",
  "resume-two-runs",
  "resume-without-rollouts",
  "routing-agent-name-override",
  "routing-agent-ref",
];

/** Cases that are not replayed yet, and why. */
const LATER: Readonly<Record<string, string>> = {
  "aggregate-request": "needs the trajectory of a result",
};

const project = join(import.meta.dirname!, "..");
const cases = join(project, "testdata", "cases");
const command = [
  shellWord(Deno.execPath()),
  "run --no-prompt --config",
  shellWord(join(project, "deno.json")),
  "-P=rollcall",
  shellWord(join(project, "main.ts")),
].join(" ");

for (const name of PASSING) {
  Deno.test(`collector does what Gym's did, in case ${name}`, async () => {
    const { differences, outputs } = await checkCase(join(cases, name), { command });
    assert.ok(
      differences.length === 0,
      `\n${differences.join("\n")}\n--- output\n${outputs.join("--- next step\n")}`,
    );
  });
}

Deno.test("every case in testdata/cases is replayed, or listed with what it waits for", async () => {
  const present = (await Array.fromAsync(Deno.readDir(cases))).map((entry) => entry.name).sort();
  assert.deepEqual([...PASSING, ...Object.keys(LATER)].sort(), present);
  for (const [name, reason] of Object.entries(LATER)) assert.ok(reason.trim(), `${name} needs a reason`);
});
