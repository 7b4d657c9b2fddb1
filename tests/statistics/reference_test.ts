/** The statistics against values of scipy, statsmodels and plain Python, in testdata/statistics-reference.json. */
import assert from "node:assert/strict";
import reference from "../../testdata/statistics-reference.json" with { type: "json" };
import { betaQuantile, normalQuantile } from "../../src/statistics/distributions.ts";
import { ClusterError } from "../../src/statistics/cluster.ts";
import { bestOfK, passAtK, PassCurve, passHatK } from "../../src/statistics/pass_curve.ts";
import { holm, mcnemarExact, pairedDifference, signFlip } from "../../src/statistics/paired.ts";
import { smallestVisible, tasksNeeded } from "../../src/statistics/power.ts";
import { Quantiles } from "../../src/statistics/quantiles.ts";
import { beyond, t95, tQuantile } from "../../src/statistics/student.ts";
import { chanceWithin, jeffreys, shrunk } from "../../src/statistics/success_rate.ts";
import { welch } from "../../src/statistics/welch.ts";
import { TaskMean, wilson } from "../../src/statistics/task_mean.ts";

interface Entry {
  readonly id: number;
  readonly function: string;
  // deno-lint-ignore no-explicit-any
  readonly inputs: any;
  readonly expected: number | readonly number[];
  readonly tolerance: number;
}

const entries: readonly Entry[] = reference.entries;

function taskMean(values: readonly number[], bounded: boolean, cap?: number): number[] {
  const fold = new TaskMean();
  for (const value of values) fold.add(value);
  const { mean, error, interval } = fold.result({ bounded, cap });
  return [mean, error!, ...interval!];
}

/** What we compute for a function of the table. */
// deno-lint-ignore no-explicit-any
const OURS: Readonly<Record<string, (inputs: any) => number | readonly number[]>> = {
  t_quantile: ({ p, df }) => tQuantile(2 * p - 1, normalQuantile(p), df),
  normal_quantile: ({ p }) => normalQuantile(p),
  t_cdf: ({ t, df }) => t < 0 ? beyond(t, df) / 2 : 1 - beyond(t, df) / 2,
  beta_quantile: ({ p, a, b }) => betaQuantile(p, a, b),
  wilson_95: ({ count, n }) => wilson(count / n, n, normalQuantile(0.975)),
  jeffreys_95: ({ count, n }) => jeffreys(count, n),
  task_interval_bounded_95: ({ task_values, cap }) => taskMean(task_values, true, cap ?? undefined),
  task_interval_t_95: ({ task_values }) => taskMean(task_values, false),
  clustered_se: ({ clusters }) => {
    const fold = new ClusterError(), all = (clusters as number[][]).flat();
    for (const cluster of clusters) fold.add(cluster);
    const mean = all.reduce((sum, value) => sum + value, 0) / all.length, error = fold.of(mean, all.length)!;
    return [mean, error * Math.sqrt((clusters.length - 1) / clusters.length), error];
  },
  pass_at_k: ({ n, c, k }) => passAtK(n, c, k),
  pass_hat_k: ({ n, c, k }) => passHatK(n, c, k),
  pass_at_k_over_tasks: ({ tasks, k }) => {
    const curve = new PassCurve();
    for (const [n, c] of tasks) curve.add(n, c);
    const { any } = curve.points().find((point) => point.k === k)!;
    return [any.mean, any.error!, any.tasks];
  },
  best_of_k: ({ rewards, k }) => bestOfK(rewards, k),
  holm: ({ p }) => holm(p),
  mcnemar_exact: ({ b, c }) => mcnemarExact(b, c),
  sign_flip_exact_two_sided: ({ differences }) => signFlip(differences, 0).p,
  paired_difference_95: ({ base, candidate }) => {
    const { difference, error, interval, p } = pairedDifference(
      (candidate as number[]).map((value, k) => value - base[k]),
      0.95,
    );
    return [difference, error!, ...interval!, p!];
  },
  "welch_delta_ci_95 (Gym)": ({ base_repeats, candidate_repeats }) => welch(candidate_repeats, base_repeats),
  tasks_needed: ({ omega2, s2_base, r_base, s2_cand, r_cand, delta }) =>
    tasksNeeded(omega2 + s2_base / r_base + s2_cand / r_cand, delta),
  mde_80: ({ var_of_mean }) => smallestVisible(Math.sqrt(var_of_mean)),
  beta_posterior: ({ a, b, passed, n, low, high }) => [
    shrunk(passed, n, { a, b }),
    chanceWithin(passed, n, { a, b }, low, high),
  ],
  quantile_linear: ({ values, q }) => {
    const quantiles = new Quantiles(100);
    for (const value of values) quantiles.add(value);
    return quantiles.at(q);
  },
};

/** Not ours: Gym's own, which only its own files show, and majority votes, for which rollouts have no answers to count. */
const LEFT_OUT = [
  "maj_at_k",
  "gym_pass@k graded",
  "gym_majority@k",
  "gym_std_err_across_runs",
];

for (const [name, group] of Map.groupBy(entries, (entry) => entry.function)) {
  if (LEFT_OUT.includes(name)) continue;
  Deno.test(`${name} is what scipy, statsmodels or plain Python make of the same numbers`, () => {
    for (const { id, inputs, expected, tolerance } of group) {
      const ours = [OURS[name]!(inputs)].flat(), wanted = [expected].flat();
      assert.equal(ours.length, wanted.length, `${id}`);
      wanted.forEach((value, k) => {
        const allowed = name === "pass_hat_k" && value < 1e-6 ? tolerance * value : tolerance;
        assert.ok(Math.abs(ours[k]! - value) <= allowed, `${id}: ${ours[k]} instead of ${value}`);
      });
    }
  });
}

Deno.test("means that are equal but for rounding have no spread", () => {
  const equal = Array.from({ length: 60 }, (_, k) => k % 2 === 0 ? 0.3 : 0.1 + 0.2);
  const [, error, low, high] = taskMean(equal, true);
  assert.equal(error, 0);
  assert.ok(low! < 0.25 && high! > 0.35);
});

Deno.test("every function of the table is ours or left out", () => {
  const names = new Set(entries.map((entry) => entry.function));
  assert.deepEqual([...names].sort(), [...Object.keys(OURS), ...LEFT_OUT].sort());
});

Deno.test("t95() is the same quantile", () => {
  for (const degrees of [1, 2, 9, 49, 999, 1000, 123_456]) {
    assert.ok(Math.abs(t95(degrees) - tQuantile(0.95, normalQuantile(0.975), degrees)) < 1e-11, `${degrees}`);
  }
});
