import assert from "node:assert/strict";
import { type Fate, fateOf, seeded } from "../../src/demo/fate.ts";

const fates: Fate[] = Array.from(
  { length: 20_000 },
  (_, i) => fateOf(7, { task: Math.floor(i / 4), rollout: i % 4, attempt: 0 }, 0.9),
);
const share = (test: (fate: Fate) => boolean) => fates.filter(test).length / fates.length;
const between = (x: number, min: number, max: number) => assert.ok(x >= min && x <= max, `${x}`);

Deno.test("fateOf() is the same for the same attempt, another for another attempt or seed", () => {
  const at = { task: 3, rollout: 1, attempt: 0 };
  assert.deepEqual(fateOf(7, at, 0.9), fateOf(7, at, 0.9));
  for (const other of [{ ...at, task: 4 }, { ...at, rollout: 2 }, { ...at, attempt: 1 }]) {
    assert.notEqual(fateOf(7, other, 0.9).spare, fateOf(7, at, 0.9).spare);
  }
  assert.notEqual(fateOf(8, at, 0.9).spare, fateOf(7, at, 0.9).spare);
});

Deno.test("fateOf() breaks about 2 in 100, declares 1 in 100, and is right as often as its skill", () => {
  between(share(({ kind }) => kind === "broken"), 0.015, 0.025);
  between(share(({ kind }) => kind === "sandbox_lost"), 0.006, 0.014);
  between(share(({ right }) => right), 0.885, 0.915);
});

Deno.test("fateOf() delays by 20 to 400 ms, with a tail", () => {
  between(Math.min(...fates.map(({ delayMs }) => delayMs)), 20, 25);
  between(share(({ delayMs }) => delayMs <= 400), 0.97, 0.999);
  between(share(({ delayMs }) => delayMs < 150), 0.5, 0.65);
  between(Math.max(...fates.map(({ delayMs }) => delayMs)), 800, 1600);
});

Deno.test("seeded() yields numbers from 0 to 1, the same for the same text", () => {
  const [one, two] = [seeded("a"), seeded("a")];
  for (let i = 0; i < 1000; i++) {
    const n = one();
    assert.equal(n, two());
    assert.ok(n >= 0 && n < 1);
  }
});
