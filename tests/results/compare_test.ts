/** Two runs compared task by task. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { type AgentComparison, compareRuns, corrected, gateResults } from "../../src/results/compare.ts";
import { pairTasks } from "../../src/results/pair_tasks.ts";
import { type TaskEntry, TaskTable } from "../../src/results/task_table.ts";
import type { TaskResults } from "../../src/results/task_results.ts";

/** A task with these rewards. */
function task(number: number, rewards: readonly number[], more: Partial<TaskResults> = {}): TaskResults {
  return {
    agent: "a",
    task: number,
    id: null,
    row: null,
    by: null,
    fields: new Map(),
    outcomes: { planned: 0, measured: 0, masked: 0, unscored: 0, failed: 0, missing: 0 },
    rewards,
    metrics: new Map([["reward", rewards]]),
    durations: [],
    truncated: 0,
    tokens: [],
    untold: 0,
    failedTokens: [],
    attempts: { failed: 0, untold: 0 },
    ...more,
  };
}

function table(tasks: readonly TaskResults[], passAt?: number): TaskTable {
  const made = new TaskTable(passAt);
  for (const one of tasks) made.add(one);
  return made;
}

/** The comparison of the one agent that both have. */
function compared(base: TaskTable, candidate: TaskTable): AgentComparison {
  return compareRuns(base, candidate, OPTIONS)[0]!;
}

const OPTIONS = { sameInput: true, level: 0.95, withPasses: false, seed: 0 };

const entry = (number: number, id: string | null, row: string | null): TaskEntry => ({
  agent: "a",
  task: number,
  id,
  row,
  rewards: 1,
  passed: 1,
});

const PAIRINGS: readonly (readonly [
  what: string,
  base: readonly TaskEntry[],
  candidate: readonly TaskEntry[],
  sameInput: boolean,
  pairs: readonly (readonly [number, number])[],
])[] = [
  ["by ids, whatever the rows and numbers", [entry(0, "x", "r1")], [entry(7, "x", "r2")], false, [[0, 0]]],
  ["by rows where one has no id", [entry(0, null, "r")], [entry(7, "x", "r")], false, [[0, 0]]],
  ["by rows where both ids are others", [entry(0, "x", "r")], [entry(7, "y", "r")], false, [[0, 0]]],
  ["by numbers in one input", [entry(3, null, null)], [entry(3, null, null)], true, [[0, 0]]],
  ["not by numbers in two inputs", [entry(3, null, null)], [entry(3, null, null)], false, []],
  [
    "not by an id that is there twice",
    [entry(0, "x", null), entry(1, "x", null)],
    [entry(5, "x", null)],
    false,
    [],
  ],
  [
    "an id that is there twice does not keep rows from being paired",
    [entry(0, "x", "r0"), entry(1, "x", "r1")],
    [entry(0, "x", "r1"), entry(1, "x", "r0")],
    false,
    [[0, 1], [1, 0]],
  ],
  ["a partner is taken once", [entry(0, "x", "r"), entry(1, null, "s")], [entry(0, "x", "s")], false, [[
    0,
    0,
  ]]],
];

for (const [what, base, candidate, sameInput, pairs] of PAIRINGS) {
  Deno.test(`tasks are paired ${what}`, () => {
    const made = pairTasks(
      { tasks: base, places: base.map((_, k) => k) },
      { tasks: candidate, places: candidate.map((_, k) => k) },
      sameInput,
    );
    assert.deepEqual(made.pairs, pairs);
    assert.equal(made.baseOnly.length, base.length - pairs.length);
    assert.equal(made.candidateOnly.length, candidate.length - pairs.length);
  });
}

Deno.test("whatever ids and rows there are, a task has one partner or is listed as alone", () => {
  const name = fc.constantFrom("x", "y", "z", null);
  const tasks = fc.array(fc.tuple(fc.nat(4), name, name).map(([number, id, row]) => entry(number, id, row)));
  fc.assert(fc.property(tasks, tasks, fc.boolean(), (base, candidate, sameInput) => {
    const places = (of: readonly TaskEntry[]) => of.map((_, k) => k);
    const made = pairTasks(
      { tasks: base, places: places(base) },
      { tasks: candidate, places: places(candidate) },
      sameInput,
    );
    const ours = [...made.pairs.map(([k]) => k), ...made.baseOnly];
    const theirs = [...made.pairs.map(([, k]) => k), ...made.candidateOnly];
    assert.deepEqual(ours.toSorted((a, b) => a - b), places(base));
    assert.deepEqual(theirs.toSorted((a, b) => a - b), places(candidate));
    assert.equal(made.by.id + made.by.row + made.by.number, made.pairs.length);
  }));
});

Deno.test("means are over paired tasks, each with the same weight, and differences are the candidate's less the base's", () => {
  const base = table([task(0, [1, 1, 1, 1]), task(1, [0]), task(9, [1])]);
  const candidate = table([task(0, [0]), task(1, [0, 0]), task(2, [1])]);
  const { metrics, baseOnly, candidateOnly, flips } = compared(base, candidate), reward = metrics[0]!;
  assert.deepEqual([reward.name, reward.base, reward.candidate, reward.difference], [
    "mean/reward",
    0.5,
    0,
    -0.5,
  ]);
  assert.deepEqual([reward.pairs, reward.differ, reward.rough], [2, 1, true]);
  assert.deepEqual([
    baseOnly.map(({ task }) => task),
    candidateOnly.map(({ task }) => task),
  ], [
    [9],
    [2],
  ]);
  assert.deepEqual(flips, { lost: [{ task: 0, id: null, base: 1, candidate: 0 }], won: [] });
});

Deno.test("single rollouts of 0 and 1 get McNemar's test, and few pairs the sign-flip test", () => {
  const run = (rewards: readonly number[]) => table(rewards.map((reward, k) => task(k, [reward])));
  const reward = compared(run([1, 1, 1, 1, 1, 0]), run([0, 0, 0, 0, 0, 0])).metrics[0]!;
  assert.deepEqual(reward.mcnemar, { p: 0.0625, lost: 5, won: 0 });
  assert.deepEqual(reward.signFlip, { p: 0.0625, exact: true });
  assert.equal(compared(run([0.5, 1]), run([0, 1])).metrics[0]!.mcnemar, null);
});

Deno.test("pass@k is of as many rollouts as every paired task has, and unknown where a reward is graded", () => {
  const names = (base: TaskTable, candidate: TaskTable, withPasses = false) =>
    compareRuns(base, candidate, { ...OPTIONS, withPasses })[0]!.metrics.map(({ name }) => name);
  const four = table([task(0, [1, 0, 0, 1]), task(1, [1, 1, 1, 1])]),
    three = table([task(0, [1, 0, 0]), task(1, [1, 0, 0, 1])]);
  assert.deepEqual(names(four, three), ["mean/reward", "pass@3"]);
  assert.deepEqual(names(table([task(0, [0.5, 0])]), four), ["mean/reward"]);
  const at = (rewards: readonly number[]) => table([task(0, rewards)], 0.5);
  assert.deepEqual(names(at([0.7, 0.2]), at([0.5, 0.1]), true), ["mean/reward", "pass@1", "pass@2"]);
});

Deno.test("a metric that only some tasks have is over those, and one that only one run has is not compared", () => {
  const with_ = (number: number, more: Record<string, readonly number[]>) =>
    task(number, [1], { metrics: new Map(Object.entries({ reward: [1], ...more })) });
  const base = table([with_(0, { steps: [2] }), with_(1, {}), with_(2, { steps: [5], own: [1] })]);
  const candidate = table([with_(0, { steps: [3] }), with_(1, { steps: [1] }), with_(2, { steps: [4] })]);
  const { metrics } = compared(base, candidate);
  assert.deepEqual(
    metrics.map(({ name, pairs, difference }) => [name, pairs, difference]),
    [["mean/reward", 3, 0], ["mean/steps", 2, 0]],
  );
});

Deno.test("agents of one name are compared, and two runs of a single agent whatever their names", () => {
  const of = (...agents: string[]) => table(agents.map((agent) => task(0, [1], { agent })));
  const names = (base: TaskTable, candidate: TaskTable) =>
    compareRuns(base, candidate, OPTIONS).map((
      { agent, candidateAgent, pairs },
    ) => [agent, candidateAgent, pairs]);
  assert.deepEqual(names(of("a"), of("b")), [["a", "b", 1]]);
  assert.deepEqual(names(of("a", "b"), of("b", "c")), [["a", "a", 0], ["b", "b", 1], ["c", "c", 0]]);
});

Deno.test("p-values of several candidates are corrected metric by metric", () => {
  const base = table([0, 1, 0, 1, 1, 0].map((reward, k) => task(k, [reward, 1])));
  const worse = table([0, 0, 0, 0, 1, 0].map((reward, k) => task(k, [reward, 0])));
  const other = table([1, 0, 1, 0, 0, 1].map((reward, k) => task(k, [reward, 1])));
  const both = corrected([compareRuns(base, worse, OPTIONS), compareRuns(base, other, OPTIONS)]);
  const [first, second] = both.map(([agent]) => agent!.metrics[0]!);
  assert.equal(first!.corrected, Math.min(1, 2 * first!.p!));
  assert.equal(second!.corrected, Math.max(first!.corrected!, second!.p!));
});

Deno.test("a gate fails when the whole interval lies below, and passes where there is nothing to compare", () => {
  const run = (rewards: readonly number[], first = 0) =>
    table(rewards.map((reward, k) => task(first + k, [reward])));
  const agents = compareRuns(run([1, 1, 1, 1, 1, 1, 1, 1]), run([0, 0, 0, 0, 0, 0, 0, 1]), OPTIONS);
  const fails = (metric: string, threshold: number) =>
    gateResults(agents, [{ metric, threshold }]).map((result) => result.fails);
  assert.deepEqual(fails("mean/reward", -0.1), [true]);
  assert.deepEqual(fails("mean/reward", -0.9), [false]);
  const apart = compareRuns(run([1]), run([0], 5), OPTIONS);
  assert.deepEqual(gateResults(apart, [{ metric: "mean/reward", threshold: 0 }]).map(({ fails }) => fails), [
    false,
  ]);
});
