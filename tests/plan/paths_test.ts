import assert from "node:assert/strict";
import { join } from "node:path";
import { runPaths } from "../../src/plan/paths.ts";

for (
  const [output, stem] of [
    ["/runs/a.jsonl", "/runs/a"],
    ["/runs/run.v2.jsonl", "/runs/run.v2"],
    ["/runs/a", "/runs/a"],
    ["/runs.d/a", "/runs.d/a"],
    ["/runs/a.json", "/runs/a"],
    ["/runs/a.jsonl.jsonl", "/runs/a.jsonl"],
    ["/runs/.hidden", "/runs/.hidden"],
    ["/runs/.hidden.jsonl", "/runs/.hidden"],
    ["/runs/läufe 模型.jsonl", "/runs/läufe 模型"],
    ["/runs/a b%20.jsonl", "/runs/a b%20"],
    ["/a.jsonl", "/a"],
  ] as const
) {
  Deno.test(`runPaths() of ${output} puts its files next to it, named after ${stem}`, () => {
    const paths = runPaths(output), folder = output.slice(0, output.lastIndexOf("/")) || "/";
    assert.deepEqual(paths, {
      folder,
      rollouts: output,
      rolloutsOld: `${output}.old`,
      failures: `${stem}_failures.jsonl`,
      failuresOld: `${stem}_failures.jsonl.old`,
      inputs: `${stem}_materialized_inputs.jsonl`,
      inputsNew: `${stem}_materialized_inputs.jsonl.new`,
      inputsUnordered: `${stem}_materialized_inputs.jsonl.new.unordered`,
      rolloutsNew: `${output}.new`,
      failuresNew: `${stem}_failures.jsonl.new`,
      quarantine: `${stem}_quarantine.jsonl`,
      manifest: `${stem}_manifest.json`,
      manifestNew: `${stem}_manifest.json.new`,
      metrics: `${stem}_aggregate_metrics.json`,
      metricsNew: `${stem}_aggregate_metrics.json.new`,
      metricsIndex: `${stem}_aggregate_metrics.json.index`,
      qualitySummary: join(folder, "quality_summary.json"),
      qualitySummaryNew: `${stem}_quality_summary.json.new`,
      verdicts: join(folder, "rollout_verdicts.jsonl"),
      verdictsNew: `${stem}_rollout_verdicts.jsonl.new`,
      findings: `${stem}_health_findings.jsonl.new`,
      verdictsIndex: `${stem}_rollout_verdicts.jsonl.index`,
      lock: `${stem}.lock`,
    });
    const { folder: _, ...files } = paths;
    assert.equal(new Set(Object.values(files)).size, Object.keys(files).length, "no two files share a name");
  });
}
