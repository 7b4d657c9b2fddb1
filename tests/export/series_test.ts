import assert from "node:assert/strict";
import fc from "fast-check";
import { mlflowName } from "../../src/export/mlflow_names.ts";
import { StepCounter, stepMetrics } from "../../src/export/progress_step.ts";
import { rolloutTable } from "../../src/export/rollout_table.ts";
import { flattened, metricsOf } from "../../src/export/values.ts";

for (
  const [name, expected] of [
    ["mean/reward", "mean/reward"],
    ["pass@1", "pass_at_1"],
    ["a[0]=1,b%", "a_0__1_b_"],
    ["/a//b/", "a/b"],
    ["a/../b/.", "a/__/b/_"],
    ["...x", "___x"],
    ["é", "é"],
    ["//", undefined],
    ["", undefined],
    ["x".repeat(251), `${"x".repeat(124)}___${"x".repeat(123)}`],
  ] as const
) {
  Deno.test(`mlflowName() makes ${JSON.stringify(expected)} of ${JSON.stringify(name.slice(0, 20))}`, () => {
    assert.equal(mlflowName(name), expected);
  });
}

Deno.test("mlflowName() makes names that MLflow takes, of any text", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ maxLength: 400 }), fc.string({ unit: "grapheme", maxLength: 400 })),
      (text) => {
        const name = mlflowName(text);
        if (name === undefined) return;
        assert.match(name, /^[/\p{L}\p{N}_.\- :]+$/u);
        assert.ok([...name].length <= 250);
        assert.doesNotMatch(name, /^\/|\/\/|\/$|^\.|(^|\/)\.+(\/|$)/);
        assert.equal(mlflowName(name), name, "a name that is taken stays");
      },
    ),
  );
});

Deno.test("steps are 1, 2, … 99, 99.5 and 100 percent, each once, however many rollouts make one", () => {
  const stepsOf = (owed: number) => {
    const counter = new StepCounter(owed);
    return Array.from({ length: owed }, (_, k) => counter.at(k + 1)).filter((step) => step !== undefined);
  };
  assert.deepEqual(stepsOf(4), [25, 50, 75, 100]);
  assert.deepEqual(stepsOf(60).slice(0, 3), [1, 3, 5]);
  assert.equal(stepsOf(1000).length, 101);
  assert.deepEqual(stepsOf(1000).slice(-3), [99, 99, 100]);
});

Deno.test("a step has the numbers of Gym's: percents with two decimals, a lower bound that counts what is missing as 0", () => {
  const agent = { name: "a", owed: 32, finished: 8, scored: 8, reward: 1 / 32 };
  assert.deepEqual(stepMetrics([agent], 8, 60), {
    "progress/total/rollouts_per_min": 8,
    "progress/a/reward": 3.12, // 3.125 goes to the even one
    "progress/a/reward_lower_bound": 0.78,
  });
  const masked = {
    ...agent,
    reward: 0.5,
    maskedPct: 12.5,
    rewardUnmasked: 0.25,
    failed: 2,
    omitted: 1,
    name: "b",
  };
  assert.deepEqual(stepMetrics([masked, { ...agent, name: "c", scored: 0 }], 1, 0), {
    "progress/total/rollouts_per_min": 0,
    "progress/b/reward": 50,
    "progress/b/reward_lower_bound": 12.5,
    "progress/b/masked_pct": 12.5,
    "progress/b/reward_unmasked": 25,
    "progress/b/failed": 2,
    "progress/b/omitted": 1,
  });
});

Deno.test("metricsOf() takes numbers, switches and texts of every agent, and nothing that is nested or odd", () => {
  assert.deepEqual(
    metricsOf([
      {
        agent_ref: { name: "a" },
        agent_metrics: { x: 1, y: { z: 1 }, t: "s", n: null, b: true },
        key_metrics: { x: 2 },
      },
      { agent_ref: { name: "b" }, agent_metrics: [], key_metrics: 7 },
      { agent_ref: "c" },
      null,
    ]),
    { "a/x": 1, "a/t": "s", "a/b": 1, "key_metrics/a/x": 2 },
  );
  assert.deepEqual(metricsOf("odd"), {});
});

Deno.test("flattened() names leaves as Gym does, and writes them as Python does", () => {
  assert.deepEqual(flattened({ a: { b: [1, { c: null }] }, d: true, e: {}, f: "x", g: false }), [
    ["a.b[0]", "1"],
    ["a.b[1].c", "None"],
    ["d", "True"],
    ["f", "x"],
    ["g", "False"],
  ]);
});

Deno.test("the table holds each rollout as JSON text, whatever is in it, without its trajectory", async () => {
  const rows = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 4 });
  await fc.assert(fc.asyncProperty(rows, async (rows) => {
    const lines = rows.map((row) =>
      new TextEncoder().encode(`{\t${JSON.stringify({ ...row, ng_trajectory: { t: 1 } }).slice(1)}`)
    );
    let text = "";
    for await (const piece of rolloutTable(lines)) text += new TextDecoder().decode(piece);
    const { columns, data } = JSON.parse(text);
    assert.deepEqual(columns, ["Rollout"]);
    const { ...given } = {
      rows: rows.map(({ ng_trajectory: _, ...row }) => JSON.parse(JSON.stringify(row))),
    };
    assert.deepEqual(data.map(([row]: [string]) => JSON.parse(row)), given.rows);
  }));
});
