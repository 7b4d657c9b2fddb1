import assert from "node:assert/strict";
import { waitMs } from "../../src/schedule/backoff.ts";

for (
  const [n, chance, want] of [
    [0, 0, 250],
    [0, 1, 500],
    [1, 0.5, 750],
    [4, 1, 8000],
    [5, 1, 15_000],
    [5, 0, 7500],
    [1000, 1, 15_000],
  ] as const
) {
  Deno.test(`waitMs() before repeat ${n} with chance ${chance} is ${want}`, () => {
    assert.equal(waitMs(n, chance), want);
  });
}
