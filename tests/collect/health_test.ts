/** The health checks at the end of a run. */
import assert from "node:assert/strict";
import { begin } from "./_run.ts";

const HEALTH = { plan: { health: { ignored: [] } } };

Deno.test("collect() checks the rollouts after the metrics, and tells where the report is", async () => {
  using run = begin({ rows: "aa", ...HEALTH });
  const { ending, health, notes } = await run.end();
  assert.deepEqual([ending, notes], ["complete", []]);
  assert.deepEqual([health?.checked, health?.unobserved, health?.summary], [
    2,
    2,
    "/runs/quality_summary.json",
  ]);
  const report = JSON.parse(run.files.text(run.paths.qualitySummary)!);
  assert.equal(report.run.artifacts.records, 2);
  assert.equal(run.files.text(run.paths.verdicts)!.split("\n").length, 3);
});

Deno.test("collect() without metrics, or without checks, writes no report", async () => {
  for (const plan of [{ health: null }, { aggregate: false, health: { ignored: [] } }]) {
    using run = begin({ rows: "a", plan });
    const { health } = await run.end();
    assert.deepEqual([health, run.files.text(run.paths.qualitySummary)], [null, undefined]);
  }
});

Deno.test("collect() does not fail with the checks: a note says how to do them again", async () => {
  using run = begin({ rows: "a", ...HEALTH });
  run.files.before = ({ what, path }) => {
    if (what === "append" && path === run.paths.verdictsNew) throw new Error("No space left on device");
  };
  const { ending, error, health, notes } = await run.end();
  assert.deepEqual([ending, error, health], ["complete", null, null]);
  assert.match(notes.join(), /No space left on device.*`?rollcall health \/runs --rollouts-file a\.jsonl/);
});

Deno.test("collect() whose metrics fail checks nothing", async () => {
  using run = begin({ rows: "a", ...HEALTH, metrics: () => ({ status: 500, body: "no" }) });
  const { ending, health } = await run.end();
  assert.deepEqual([ending, health], ["failed", null]);
});

Deno.test("collect() of a fresh run leaves the reports of the run before, until it has its own", async () => {
  using run = begin({
    rows: "a",
    plan: { health: null },
    files: { "quality_summary.json": "earlier", "rollout_verdicts.jsonl": "earlier" },
  });
  await run.end();
  assert.equal(run.files.text(run.paths.qualitySummary), "earlier");
  assert.equal(run.files.text(run.paths.verdicts), "earlier");
});
