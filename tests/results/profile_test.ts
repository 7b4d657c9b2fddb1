/** What tasks add up to. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { costOf, pricesFrom, withoutPrice } from "../../src/results/prices.ts";
import { passesOf } from "../../src/results/passes.ts";
import { ProfileFold, type ProfileOptions } from "../../src/results/profile.ts";
import { taskRow } from "../../src/results/task_row.ts";
import type { TaskResults } from "../../src/results/task_results.ts";

function task(rewards: readonly number[], more: Partial<TaskResults> = {}): TaskResults {
  const measured = rewards.length;
  return {
    agent: "a",
    task: 0,
    id: null,
    row: null,
    by: null,
    fields: new Map(),
    outcomes: { planned: measured, measured, masked: 0, unscored: 0, failed: 0, missing: 0 },
    rewards,
    metrics: measured > 0 ? new Map([["reward", rewards]]) : new Map(),
    durations: [],
    truncated: 0,
    tokens: [],
    untold: 0,
    failedTokens: [],
    attempts: { failed: 0, untold: 0 },
    ...more,
  };
}

function profileOf(tasks: readonly TaskResults[], options: ProfileOptions = {}) {
  const fold = new ProfileFold(options);
  for (const one of tasks) fold.add(one);
  return fold;
}

Deno.test("tasks weigh the same in the mean, rollouts in the pooled one", () => {
  const [agent] = profileOf([task([1]), task([0, 0, 0])]).agents();
  assert.equal(agent!.reward!.mean, 0.5);
  assert.equal(agent!.reward!.pooled, 0.25);
});

Deno.test("values outside of 0 and 1 get an interval that may leave them; those inside one that may not", () => {
  const graded = profileOf([task([2]), task([4])]).agents()[0]!.reward!;
  assert.equal(graded.method, "t");
  assert(Math.abs(graded.interval![0] - (3 - 12.706204736174694)) < 1e-9);
  const rates = profileOf([task([1]), task([0.9])]).agents()[0]!.reward!;
  assert.equal(rates.method, "wilson");
  assert(rates.interval![0] >= 0 && rates.interval![1] <= 1);
});

Deno.test("at each k it is said how many tasks have too few rewards", () => {
  const [agent] = profileOf([task([1, 0, 1, 0]), task([1, 0]), task([1]), task([])]).agents();
  assert.deepEqual(agent!.passes.map(({ k, any, short }) => [k, any.tasks, short]), [[1, 3, 0], [2, 2, 1], [
    4,
    1,
    2,
  ]]);
  assert.deepEqual(agent!.unmeasured, { count: 1, listed: [{ task: 0, id: null }] });
});

Deno.test("twenty passes of twenty are sure, two of two are not", () => {
  const [agent] = profileOf([task(Array(20).fill(1)), task([1, 1]), task(Array(20).fill(0)), task([0, 1])])
    .agents();
  assert.deepEqual(agent!.solved, { always: 2, sometimes: 1, never: 1, surelyAlways: 1, surelyNever: 1 });
});

Deno.test("agents are apart, groups are of one agent, and the sums are those of all tasks", () => {
  const agents = fc.constantFrom("a", "b"), values = fc.constantFrom("x", "y", null);
  const tasks = fc.array(
    fc.record({ agent: agents, by: values, rewards: fc.array(fc.constantFrom(0, 0.5, 1)) }),
  );
  fc.assert(fc.property(tasks, (all) => {
    const fold = profileOf(all.map(({ rewards, ...more }) => task(rewards, more)), { by: "f" });
    for (const groups of [fold.agents(), fold.groups()]) {
      assert.equal(groups.reduce((sum, { tasks }) => sum + tasks, 0), all.length);
      const measured = groups.reduce((sum, { outcomes }) => sum + outcomes.measured, 0);
      assert.equal(measured, all.reduce((sum, { rewards }) => sum + rewards.length, 0));
      for (const { solved, graded, unmeasured, tasks, passes } of groups) {
        const { always, sometimes, never } = solved;
        assert.equal(always + sometimes + never + graded + unmeasured.count, tasks);
        for (const { any, short } of passes) assert.equal(any.tasks + short, always + sometimes + never);
      }
    }
  }));
});

Deno.test("what a pass is: 1 among 0 and 1, or from a reward on", () => {
  for (
    const [rewards, passAt, passed] of [
      [[0, 1, 1], undefined, 2],
      [[0, 0.5], undefined, undefined],
      [[0, 0.5], 0.5, 1],
      [[-1, 2], 0, 1],
      [[], 0, undefined],
    ] as [number[], number | undefined, number | undefined][]
  ) assert.equal(passesOf(rewards, passAt)?.passed, passed);
});

Deno.test("a task in numbers", () => {
  const row = taskRow(
    task([1, 0, 1, 1], { durations: [1, 3], tokens: [{ model: "m", input: 1e6, output: 2e6 }] }),
    {
      prices: new Map([["*", { input: 1, output: 2 }]]),
      spreadOf: () => ({ a: 1, b: 1 }),
    },
  );
  const { passed, pass_rate, shrunk_rate, solved, duration, cost, mean, std } = row;
  assert.deepEqual(
    { passed, pass_rate, shrunk_rate, solved, duration, cost, mean, std },
    {
      passed: 3,
      pass_rate: 0.75,
      shrunk_rate: 4 / 6,
      solved: "sometimes",
      duration: 2,
      cost: 5,
      mean: 0.75,
      std: 0.5,
    },
  );
});

Deno.test("prices are by model, and * is for the rest", () => {
  const tokens = [{ model: "m", input: 1e6, output: 0 }, { model: null, input: 0, output: 1e6 }];
  const some = pricesFrom({ m: { input: 3, output: 1 } }, "p");
  assert.equal(costOf(tokens, some), 3);
  assert.deepEqual(withoutPrice(tokens, some), [null]);
  const all = pricesFrom({ m: { input: 3, output: 1 }, "*": { input: 0, output: 5 } }, "p");
  assert.equal(costOf(tokens, all), 8);
  assert.deepEqual(withoutPrice(tokens, all), []);
  assert.equal(costOf(tokens, new Map()), undefined);
  assert.equal(costOf([], new Map()), 0);
  for (
    const wrong of [[], "x", null, { m: 1 }, { m: { input: 1 } }, { m: { input: 1, output: 1, cached: 2 } }]
  ) {
    assert.throws(() => pricesFrom(wrong, "p"), /USD per million tokens by model/);
  }
});
