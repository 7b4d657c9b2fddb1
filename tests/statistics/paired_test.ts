import assert from "node:assert/strict";
import {
  levelFor,
  liesBelow,
  mcnemarExact,
  pairedDifference,
  signFlip,
} from "../../src/statistics/paired.ts";
import { components, Noise, tasksNeeded } from "../../src/statistics/power.ts";

const GATES:
  readonly (readonly [what: string, differences: readonly number[], threshold: number, fails: boolean])[] = [
    ["a clear loss", [-0.5, -0.4, -0.6, -0.5, -0.45], -0.1, true],
    ["a loss that may be none", [-0.5, 0.4, -0.6, 0.5, -0.45], 0, false],
    ["a gain", [0.5, 0.4, 0.6], 0, false],
    ["no pair", [], 0, false],
    ["one pair", [-1], 0, false],
    ["five equal losses", [-1, -1, -1, -1, -1], 0, false],
    ["six equal losses", [-1, -1, -1, -1, -1, -1], 0, true],
    ["losses that are equal but for rounding", [0.3 - 0.4, 0.2 - 0.3], 0, false],
    ["five of them", [0.3 - 0.4, 0.2 - 0.3, 0.5 - 0.6, 0.6 - 0.7, 0.7 - 0.8], 0, false],
    ["six equal losses above the threshold", [-1, -1, -1, -1, -1, -1], -1, false],
  ];

for (const [what, differences, threshold, fails] of GATES) {
  Deno.test(`liesBelow() of ${what} is ${fails}`, () => {
    assert.equal(liesBelow(pairedDifference(differences, 0.95), threshold), fails);
  });
}

Deno.test("three candidates have intervals of 98.3 %, which are wider", () => {
  const differences = [0.1, -0.2, 0.3, 0.05];
  assert.ok(Math.abs(levelFor(3) - 0.98333) < 1e-4);
  const [one, three] = [1, 3].map((n) => pairedDifference(differences, levelFor(n)).interval!);
  assert.ok(three![0] < one![0] && three![1] > one![1]);
});

Deno.test("signFlip() draws signs when there are too many patterns, the same for the same seed", () => {
  const differences = Array.from({ length: 40 }, (_, k) => (k % 3 - 0.8) / 10);
  const first = signFlip(differences, 5);
  assert.equal(first.exact, false);
  assert.deepEqual(signFlip(differences, 5), first);
  assert.notEqual(signFlip(differences, 6).p, first.p);
  assert.equal(signFlip([...differences.slice(0, 20), ...Array(500).fill(0)], 0).exact, true);
});

Deno.test("mcnemarExact() of thousands of changes neither overflows nor vanishes", () => {
  assert.ok(mcnemarExact(5000, 5100) > 0.3 && mcnemarExact(5000, 5100) < 0.33);
  assert.ok(mcnemarExact(4000, 6000) < 1e-80);
});

Deno.test("a difference's variance is what tasks gained and the noise of their rollouts", () => {
  const base = new Noise(), candidate = new Noise();
  for (let k = 0; k < 10; k++) base.add(4, 0.2), candidate.add(2, 0.1);
  const parts = components(0.3, base, candidate);
  assert.ok(Math.abs(parts.noise! - 0.1) < 1e-12 && Math.abs(parts.tasks! - 0.2) < 1e-12);
  assert.deepEqual(components(0.3, new Noise(), candidate), { tasks: null, noise: null, variance: 0.3 });
  assert.ok(Math.abs(components(0.05, base, candidate).variance - 0.1) < 1e-12);
  assert.equal(tasksNeeded(0.25, 0.01), 19625);
});
