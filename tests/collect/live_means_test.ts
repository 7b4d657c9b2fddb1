import assert from "node:assert/strict";
import fc from "fast-check";
import type { Settled } from "../../src/events/run_event.ts";
import { type JsonObject, readObject } from "../../src/json/object.ts";
import { Live, type LiveMeans } from "../../src/collect/live_means.ts";
import type { Row } from "../metrics/_shards.ts";

/** Tells that a rollout of a server is over, and what was answered. */
function settle(
  live: Live,
  route: number,
  became: Settled["became"],
  result: JsonObject | null = null,
): void {
  live.on({
    kind: "settled",
    id: { task: 0, rollout: 0 },
    route,
    became,
    failure: null,
    recorded: false,
    final: false,
    scored: false,
    result,
  });
}

const object = (row: Row) => readObject(new TextEncoder().encode(JSON.stringify(row)));

Deno.test("Live says how far each server is and what its results say", () => {
  const live = new Live([{ name: "a", owed: 5 }, { name: "b", owed: 2 }, { name: "idle", owed: 0 }]);
  settle(live, 0, "done", object({ reward: 1, ok: true, text: "x", tokens: 4, _ng_task_index: 3 }));
  settle(live, 0, "done", object({ reward: 0, ok: false, none: null }));
  settle(live, 1, "done", object({ reward: 0.5 }));
  assert.deepEqual(live.means(30), [
    {
      name: "a",
      owed: 5,
      finished: 2,
      perMinute: 4,
      scored: 2,
      means: { reward: 0.5, ok: 0.5, tokens: 4 },
    },
    { name: "b", owed: 2, finished: 1, perMinute: 2, scored: 1, means: { reward: 0.5 } },
  ]);
});

Deno.test("Live shows masked, failed and omitted ones only once there are some", () => {
  const live = new Live([{ name: "a", owed: 9 }]);
  settle(live, 0, "done", object({ reward: 1, mask_sample: true }));
  settle(live, 0, "done", object({ reward: 0.25, mask_sample: false }));
  settle(live, 0, "failed", object({ reward: 0.5, _ng_failure_class: "judge_invalid" }));
  settle(live, 0, "failed");
  settle(live, 0, "omitted", object({ reward: 0.25, _ng_no_persist: true }));
  const [means] = live.means(60);
  assert.deepEqual(means, {
    name: "a",
    owed: 9,
    finished: 5,
    perMinute: 5,
    scored: 4,
    // Declared failures and masked results count; a request without a result is no sample.
    means: { reward: 0.5, mask_sample: 0.5 },
    maskedPct: 50,
    rewardUnmasked: 0.25,
    failed: 2,
    omitted: 1,
  });
});

Deno.test("Live keeps a bounded number of fields, whatever a server makes up", () => {
  const live = new Live([{ name: "a", owed: 1000 }]);
  for (let k = 0; k < 1000; k++) settle(live, 0, "done", object({ reward: 1, [`field ${k}`]: k }));
  const [{ means, scored }] = live.means(1) as [LiveMeans];
  assert.equal(scored, 1000);
  assert.equal(means.reward, 1);
  assert.ok(Object.keys(means).length < 100);
});

Deno.test("Live has the means over the results that have a field, for any results", () => {
  const row = fc.dictionary(
    fc.constantFrom("reward", "a", "b", "_c", "__proto__x"),
    fc.oneof(
      fc.integer({ min: -1000, max: 1000 }),
      fc.boolean(),
      fc.constant(null),
      fc.string(),
      fc.constant([1]),
    ),
  );
  const settled = fc.constantFrom<Settled["became"]>("done", "failed", "omitted");
  fc.assert(fc.property(fc.array(fc.tuple(row, settled), { maxLength: 20 }), (results) => {
    const live = new Live([{ name: "a", owed: 20 }]);
    for (const [row, settled] of results) settle(live, 0, settled, object(row));
    const [{ means, finished }] = live.means(0) as [LiveMeans];
    assert.equal(finished, results.length);
    for (const name of ["reward", "a", "b", "_c"]) {
      const values = results.flatMap(([row]) => {
        const value = row[name];
        return typeof value === "number" || typeof value === "boolean" ? [Number(value)] : [];
      });
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      assert.equal(means[name], values.length === 0 || name === "_c" ? undefined : mean);
    }
  }));
});

Deno.test("Live's means so far are those of the rows in the file, those of earlier runs included", () => {
  const live = new Live([{ name: "a", owed: 5 }, { name: "idle", owed: 0 }]);
  live.earlier(0, object({ reward: 1, tokens: 8 }));
  live.earlier(0, object({ reward: "none", mask_sample: true }));
  live.owes([3, 0]);
  settle(live, 0, "done", object({ reward: 0.5 }));
  settle(live, 0, "omitted", object({ reward: 0, _ng_no_persist: true }));
  settle(live, 0, "failed", object({ reward: 0, _ng_failure_class: "judge_invalid" }));
  assert.deepEqual(live.soFar(), [{
    name: "a",
    rows: 3,
    expected: 5,
    unscored: 1,
    means: { reward: 0.75, tokens: 8, mask_sample: 1 },
    maskedPct: 100 / 3,
    rewardUnmasked: 0.75,
  }]);
  const [{ owed, scored, means, unscored }] = live.means(60) as [LiveMeans];
  assert.deepEqual([owed, scored, means, unscored], [3, 3, { reward: 0.5 / 3 }, undefined]);
});
