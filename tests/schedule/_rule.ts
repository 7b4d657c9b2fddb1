import assert from "node:assert/strict";
import { Bench, type BenchOptions } from "./_bench.ts";

/** A rule: what is told, and what the scheduler says to it. */
export function rule(
  name: string,
  options: BenchOptions,
  steps: (bench: Bench) => Iterable<[string[], string[]]>,
) {
  Deno.test(`Scheduler ${name}`, () => {
    let step = 0;
    for (const [said, want] of steps(new Bench(options))) {
      assert.deepEqual(said, want, `step ${++step}`);
    }
  });
}
