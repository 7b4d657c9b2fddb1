import assert from "node:assert/strict";
import { UsageFault } from "../../src/kit/fault.ts";
import { aggregate, type AggregateSummary } from "../../src/metrics/aggregate.ts";
import { type AggregatePlan } from "../../src/plan/aggregate_plan.ts";
import { aggregatePermissions } from "../../src/plan/permissions.ts";
import { ManualClock } from "../fakes/manual_clock.ts";
import type { MemoryFiles } from "../fakes/memory_files.ts";
import { type Scripted, ScriptedWire } from "../fakes/scripted_wire.ts";
import { disk, failure, input, paths, rollout, scorers, type Shard } from "./_shards.ts";

async function aggregated(
  shards: readonly Shard[],
  changes: Partial<AggregatePlan> = {},
  answer: () => Scripted = () => ({ body: `{"key_metrics":{"a":1}}` }),
  stop = new AbortController(),
): Promise<{ summary: AggregateSummary; files: MemoryFiles }> {
  const { files, paths: shardPaths } = disk(shards);
  const plan = {
    shards: shardPaths,
    paths,
    merge: true,
    scorers: scorers("solver_env"),
    counting: { classes: [], missing: false, unplanned: false },
    requireComplete: false,
    health: null,
    wire: { reuse: "auto" as const, proxy: null, authorities: [], idleTimeoutMs: null, maxBytes: null },
    ...changes,
  };
  const summary = await aggregate({ ...plan, permissions: aggregatePermissions(plan) }, {
    files,
    wire: new ScriptedWire(answer),
    clock: new ManualClock(),
    signal: stop.signal,
  });
  return { summary, files };
}

const incomplete: Shard = {
  rollouts: [rollout(0)],
  failures: [failure(1)],
  inputs: [input(0), input(1), input(2)],
};

Deno.test("aggregate() says what it did and which files there are", async () => {
  const { summary } = await aggregated([{ rollouts: [rollout(1)] }, { rollouts: [rollout(0)] }]);
  assert.deepEqual([summary.ending, summary.error, summary.shards, summary.rows], ["complete", null, 2, 2]);
  assert.deepEqual(summary.files, { rollouts: paths.rollouts, aggregate_metrics: paths.metrics });
  assert.deepEqual(summary.metrics!.map(({ label, key_metrics }) => [label, key_metrics]), [["solver", {
    a: 1,
  }]]);
});

Deno.test("aggregate() without merging writes the metrics only", async () => {
  const { summary, files } = await aggregated([{ rollouts: [rollout(1)] }], { merge: false });
  assert.deepEqual(summary.files, { aggregate_metrics: paths.metrics });
  assert.equal(files.text(paths.rollouts), undefined);
});

Deno.test("aggregate() of incomplete shards fails only under require_complete, after writing everything", async () => {
  const { summary } = await aggregated([incomplete]);
  assert.deepEqual([summary.ending, summary.coverage!.missing], ["complete", 2]);
  for (const missing of [false, true]) {
    const counting = { classes: ["lost"], missing, unplanned: false };
    const { summary, files } = await aggregated([incomplete], { requireComplete: true, counting });
    assert.equal(summary.ending, "failed");
    assert.match(summary.error!, /^2 of 3 rollouts are missing \(require_complete\)/);
    assert.ok(files.text(paths.metrics) && files.text(paths.rollouts), "all files are there");
  }
  const complete = await aggregated([{ rollouts: [rollout(0)], inputs: [input(0)] }], {
    requireComplete: true,
  });
  assert.equal(complete.summary.ending, "complete");
});

Deno.test("aggregate() reports a server that fails, and a signal", async () => {
  const failed = await aggregated([{ rollouts: [rollout(0)] }], {}, () => ({ status: 500 }));
  assert.equal(failed.summary.ending, "failed");
  assert.match(failed.summary.error!, /answered 500/);
  assert.deepEqual([failed.summary.metrics, failed.summary.coverage], [null, null]);
  assert.deepEqual(failed.summary.files, { rollouts: paths.rollouts });

  const stop = new AbortController();
  const stopped = await aggregated([{ rollouts: [rollout(0)] }], {}, () => {
    stop.abort("SIGTERM");
    return { body: "{}" };
  }, stop);
  assert.deepEqual(
    [stopped.summary.ending, stopped.summary.error, stopped.summary.signal],
    ["stopped", null, "SIGTERM"],
  );
});

Deno.test("aggregate() refuses shards that it cannot score, and touches nothing", async () => {
  await assert.rejects(
    aggregated([{ rollouts: [rollout(0, 0, { _ng_environment_server: "gone" })] }]),
    (fault) => fault instanceof UsageFault && /"gone"/.test(fault.message),
  );
});
