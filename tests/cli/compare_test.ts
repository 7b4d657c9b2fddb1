import assert from "node:assert/strict";
import { compareSchema } from "../../src/report/schemas.ts";
import { FakeWorld } from "../fakes/fake_world.ts";

/** A run of ten tasks with ids, of which these pass. */
function run(
  name: string,
  passed: readonly number[],
  more: Record<string, unknown> = {},
): Record<string, string> {
  const tasks = Array.from({ length: 10 }, (_, k) => k);
  const line = (row: unknown) => `${JSON.stringify(row)}\n`;
  const of = (k: number) => ({ _ng_task_index: k, _ng_rollout_index: 0, agent_ref: { name: "a" } });
  return {
    [`${name}.jsonl`]: tasks.map((k) => line({ reward: Number(passed.includes(k)), ...of(k), ...more })).join(
      "",
    ),
    [`${name}_materialized_inputs.jsonl`]: tasks.map((k) => line({ id: `id-${k}|x`, ...of(k) })).join(""),
  };
}

const FILES = {
  ...run("base", [0, 1, 2, 3, 4, 5, 6, 7]),
  ...run("worse", [0]),
  ...run("same", [0, 1, 2, 3, 4, 5, 6, 8], { "steps|": 3 }),
};

for (
  const [args, code, output] of [
    [["base.jsonl", "worse.jsonl"], 0, /worse\.jsonl against base\.jsonl, a: 10 tasks in both/],
    [["base.jsonl", "worse.jsonl"], 0, /mean\/reward +0\.8 +0\.1 +−0\.7 +−1\.046 to −0\.3544 +0\.001\n/],
    [["base.jsonl", "worse.jsonl"], 0, /7 tasks lost: 1 \(id-1\|x\), 2/],
    [["base.jsonl", "worse.jsonl"], 0, /McNemar's exact test: p 0\.016 \(7\s+lost, 0 won\)/],
    [["base.jsonl", "worse.jsonl", "--fail-below", "mean/reward=-0.01"], 1, /FAILS: the whole interval/],
    [["base.jsonl", "same.jsonl", "--fail-below", "mean/reward=-0.01"], 0, /passes: the interval/],
    [
      ["base.jsonl", "worse.jsonl", "same.jsonl"],
      0,
      /2 candidates: intervals of\s+97\.5 % \(Bonferroni\), p by Holm/,
    ],
    [["base.jsonl", "worse.jsonl", "--markdown"], 0, /\| mean\/reward \| 0\.8 \| 0\.1 \| −0\.7 \| /],
    [["base.jsonl", "worse.jsonl", "--markdown"], 0, /- 7 tasks lost: id-1\\\|x, id-2/],
    [
      ["base.jsonl", "worse.jsonl", "--fail-below", "reward=0"],
      2,
      /no such metric \(did you mean "mean\/reward"\?\)/,
    ],
    [["base.jsonl", "worse.jsonl", "--fail-below", "mean/reward"], 2, /needs a metric and a number/],
    [["base.jsonl", "worse.jsonl", "--json", "--markdown"], 2, /choose one/],
    [["base.jsonl", "nope.jsonl"], 2, /There is no rollouts file nope\.jsonl/],
    [["base.jsonl"], 2, /Name the runs: rollcall compare BASE CANDIDATE/],
  ] as const
) {
  Deno.test(`compare ${args.join(" ")} ends with ${code} and says ${output.source.slice(0, 40)}`, async () => {
    using fake = new FakeWorld({ args: ["compare", ...args], files: FILES });
    assert.equal(await fake.run(), code);
    assert.match(fake.terminal.stdout + fake.terminal.stderr, output);
  });
}

Deno.test("compare --json prints what its schema says", async () => {
  using fake = new FakeWorld({
    args: ["compare", "base.jsonl", "worse.jsonl", "same.jsonl", "--json", "--fail-below", "mean/reward=0"],
    files: FILES,
  });
  assert.equal(await fake.run(), 1);
  const { candidates, passed } = compareSchema.parse(JSON.parse(fake.terminal.stdout));
  assert.equal(passed, false);
  assert.deepEqual(candidates.map(({ fail_below }) => fail_below[0]!.fails), [true, false]);
});
