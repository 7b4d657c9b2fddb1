import assert from "node:assert/strict";
import type { AggregatePlan } from "../../src/plan/aggregate_plan.ts";
import { aggregatePermissions } from "../../src/plan/permissions.ts";
import { countingOf, shardOf } from "../../src/plan/score_plan.ts";
import { runPaths } from "../../src/plan/paths.ts";

const shard = (name: string) => shardOf(runPaths(`/runs/${name}.jsonl`));

const PLAN: Omit<AggregatePlan, "permissions"> = {
  shards: [shard("a"), shard("b")],
  paths: runPaths("/out/all.jsonl"),
  merge: true,
  scorers: { routes: [{ server: "e", url: "http://env" }], byServer: { e: 0 }, byAgent: {} },
  counting: countingOf({
    count_failure_classes_as_zero: ["x"],
    count_missing_rollouts_as_zero: false,
    score_unplanned: false,
  }),
  requireComplete: false,
  health: null,
  wire: { reuse: "auto", proxy: null, authorities: [], idleTimeoutMs: null, maxBytes: null },
};

const ofShards = ["a", "b"].flatMap((name) => [
  `/runs/${name}.jsonl`,
  `/runs/${name}_materialized_inputs.jsonl`,
  `/runs/${name}_failures.jsonl`,
]);
const metrics = [
  "/out/all_aggregate_metrics.json",
  "/out/all_aggregate_metrics.json.new",
  "/out/all_aggregate_metrics.json.index",
];
const merged = [
  "/out/all.jsonl",
  "/out/all.jsonl.new",
  "/out/all_manifest.json",
  "/out/all_manifest.json.new",
];

Deno.test("aggregatePermissions() reads the shards and writes its own files, and nothing else", () => {
  const { net, read, write } = aggregatePermissions(PLAN);
  assert.deepEqual(net, ["env:80"]);
  assert.deepEqual([...write].sort(), [...merged, ...metrics].sort());
  assert.deepEqual([...read].sort(), [...ofShards, ...merged, ...metrics].sort());
});

Deno.test("aggregatePermissions() without a merge does not touch the rollouts, without servers no network", () => {
  const { net, read, write } = aggregatePermissions({
    ...PLAN,
    merge: false,
    scorers: null,
    wire: { ...PLAN.wire, proxy: "http://proxy:3128" },
  });
  assert.deepEqual(net, []);
  assert.deepEqual([...write].sort(), [...metrics].sort());
  assert.deepEqual([...read].sort(), [...ofShards, ...metrics].sort());
});

Deno.test("aggregatePermissions() with health checks writes their reports, next to the output", () => {
  const reports = [
    "/out/quality_summary.json",
    "/out/all_quality_summary.json.new",
    "/out/rollout_verdicts.jsonl",
    "/out/all_rollout_verdicts.jsonl.new",
    "/out/all_rollout_verdicts.jsonl.index",
    "/out/all_health_findings.jsonl.new",
  ];
  const { write } = aggregatePermissions({ ...PLAN, health: { ignored: [] } });
  assert.deepEqual([...write].sort(), [...merged, ...metrics, ...reports].sort());
});

Deno.test("aggregatePermissions() names the proxy, and each file once even if it is both shard and output", () => {
  const { net, read } = aggregatePermissions({
    ...PLAN,
    shards: [shard("a"), shardOf(runPaths("/out/all.jsonl"))],
    wire: { ...PLAN.wire, proxy: "http://proxy:3128" },
  });
  assert.deepEqual(net, ["env:80", "proxy:3128"]);
  assert.equal(new Set(read).size, read.length);
});

Deno.test("countingOf() takes the three keys of the configuration", () => {
  assert.deepEqual(PLAN.counting, { classes: ["x"], missing: false, unplanned: false });
});
