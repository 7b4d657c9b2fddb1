/** Ten minutes in which nothing moves, by a clock that the test moves. */
import assert from "node:assert/strict";
import { begin, reward } from "../collect/_run.ts";

Deno.test("a run in which nothing has moved for ten minutes names its oldest rollouts, once", async () => {
  const answer = Promise.withResolvers<void>();
  const run = begin({
    rows: "aaaaaaabab",
    words: ["+num_samples_in_parallel=8"],
    run: async ({ row }) => {
      if (row > 1) await answer.promise;
      return reward(1);
    },
  });
  await run.clock.pass(599_000);
  assert.deepEqual(run.notes, []);
  await run.clock.pass(2_000);
  assert.deepEqual(run.notes, [
    "Nothing has moved for 10 minutes. The oldest of 8 rollouts in flight: 2-0 at a for 600 s, 3-0 at a for 600 s, " +
    "7-0 at b for 600 s, 9-0 at b for 600 s, 4-0 at a for 600 s. If that is too long, --rollout-timeout ends such " +
    "rollouts.",
  ]);
  await run.clock.pass(3_600_000);
  assert.equal(run.notes.length, 1);
  answer.resolve();
  assert.equal((await run.end()).tally.done, 10);
});

Deno.test("a wall clock that jumps is not noticed: neither budget nor stall nor duration", async () => {
  const answer = Promise.withResolvers<void>();
  const run = begin({
    rows: "aaaa",
    words: ["+num_samples_in_parallel=1", "+dispatch_budget_s=3600"],
    run: async ({ row }) => {
      if (row === 1) await answer.promise;
      return reward(1);
    },
  });
  await run.clock.pass(1000);
  run.clock.setWallClock(-3_600_000);
  await run.clock.pass(1000);
  run.clock.setWallClock(48 * 3_600_000);
  await run.clock.pass(1000);
  answer.resolve();
  const { tally } = await run.end();
  assert.equal(tally.done, 4);
  assert.equal(tally.drained, 0);
  assert.equal(tally.latency.max, 3);
  assert.deepEqual(run.notes, []);
});
