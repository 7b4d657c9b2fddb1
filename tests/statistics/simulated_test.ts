/** 1,000 made-up runs a row: how often intervals cover the truth, and how often the gate raises a false alarm. */
import assert from "node:assert/strict";
import { chances } from "../../src/statistics/chances.ts";
import { levelFor, liesBelow, pairedDifference } from "../../src/statistics/paired.ts";
import { PassCurve } from "../../src/statistics/pass_curve.ts";
import { TaskMean } from "../../src/statistics/task_mean.ts";

const RUNS = 1000;

/** Rates of tasks, drawn from a beta distribution of whole parameters: the a-th smallest of a + b − 1 numbers. */
const easy = ordered(2, 5), hard = ordered(8, 1);
/** A task is nearly always solved or hardly ever, or anything. */
const mixed = (chance: () => number) => {
  const which = chance();
  return which < 0.4 ? chance() * 0.1 : which < 0.8 ? 1 - chance() * 0.1 : chance();
};

function ordered(a: number, b: number) {
  return (chance: () => number) =>
    Array.from({ length: a + b - 1 }, chance).toSorted((x, y) => x - y)[a - 1]!;
}

/** A reward for a rate: 0 or 1, or one of five levels. */
const binary = (rate: number, chance: () => number) => chance() < rate ? 1 : 0;
const graded = (rate: number, chance: () => number) =>
  [0, 1, 2, 3].reduce((sum) => sum + binary(rate, chance), 0) / 4;

interface World {
  readonly tasks: number;
  readonly repeats: number;
  readonly rates: (chance: () => number) => number;
  readonly reward: (rate: number, chance: () => number) => number;
}

const WORLDS: readonly (readonly [what: string, world: World])[] = [
  ["50 tasks, once each", { tasks: 50, repeats: 1, rates: easy, reward: binary }],
  ["50 tasks, four times each", { tasks: 50, repeats: 4, rates: mixed, reward: binary }],
  ["100 tasks that are nearly always solved", { tasks: 100, repeats: 4, rates: hard, reward: binary }],
  ["300 tasks, eight times each", { tasks: 300, repeats: 8, rates: easy, reward: binary }],
  ["60 tasks with graded rewards", { tasks: 60, repeats: 4, rates: easy, reward: graded }],
];

/** The means of the tasks of a run. */
function run({ tasks, repeats, rates, reward }: World, chance: () => number): number[] {
  return Array.from({ length: tasks }, () => {
    const rate = rates(chance);
    return Array.from({ length: repeats }, () => reward(rate, chance)).reduce((a, b) => a + b, 0) / repeats;
  });
}

/** The mean of so many tasks that it is the truth. */
function truth(value: (chance: () => number) => number): number {
  const chance = chances(99);
  let sum = 0;
  for (let k = 0; k < 200_000; k++) sum += value(chance);
  return sum / 200_000;
}

function assertCovers(covered: number): void {
  assert.ok(covered >= 930 && covered <= 970, `${covered} of ${RUNS}`);
}

for (const [index, [what, world]] of WORLDS.entries()) {
  Deno.test(`the 95 % interval covers the truth about 95 times of 100: ${what}`, () => {
    const chance = chances(index), mean = truth(world.rates);
    let covered = 0;
    for (let k = 0; k < RUNS; k++) {
      const fold = new TaskMean();
      for (const value of run(world, chance)) fold.add(value);
      const cap = world.reward === binary ? world.tasks * world.repeats : undefined;
      const [low, high] = fold.result({ bounded: true, cap }).interval!;
      if (low <= mean && mean <= high) covered++;
    }
    assertCovers(covered);
  });
}

Deno.test("the 95 % interval of pass@2 covers the truth about 95 times of 100", () => {
  const chance = chances(7), anyOfTwo = truth((chance) => 1 - (1 - easy(chance)) ** 2);
  let covered = 0;
  for (let k = 0; k < RUNS; k++) {
    const curve = new PassCurve();
    for (let task = 0; task < 60; task++) {
      const rate = easy(chance);
      curve.add(4, [0, 1, 2, 3].reduce((sum) => sum + binary(rate, chance), 0));
    }
    const [low, high] = curve.points().find(({ k }) => k === 2)!.any.interval!;
    if (low <= anyOfTwo && anyOfTwo <= high) covered++;
  }
  assertCovers(covered);
});

for (const candidates of [1, 3]) {
  for (const [index, [what, world]] of WORLDS.entries()) {
    Deno.test(`the gate raises at most 5 false alarms in 100, ${candidates} equal to the base: ${what}`, () => {
      const chance = chances(100 + index);
      let alarms = 0;
      for (let k = 0; k < RUNS; k++) {
        const rates = Array.from({ length: world.tasks }, () => world.rates(chance));
        const means = () =>
          rates.map((rate) =>
            Array.from({ length: world.repeats }, () => world.reward(rate, chance)).reduce(
              (a, b) => a + b,
              0,
            ) /
            world.repeats
          );
        const base = means();
        const isAlarm = Array.from({ length: candidates }, () => {
          const differences = means().map((mean, task) => mean - base[task]!);
          return liesBelow(pairedDifference(differences, levelFor(candidates)), 0);
        }).some(Boolean);
        if (isAlarm) alarms++;
      }
      assert.ok(alarms <= 50, `${alarms} of ${RUNS}`);
    });
  }
}
