/** The files of Gym's `eval profile`, against those that Gym 0.7.0 writes for the same rollouts (gym_reward_profile.json). */
import assert from "node:assert/strict";
import { UsageFault } from "../../src/kit/fault.ts";
import { RewardProfile } from "../../src/metrics/reward_profile.ts";
import { FinishedRuns } from "../../src/shards/finished_runs.ts";
import { MemoryFiles } from "../fakes/memory_files.ts";
import recorded from "./gym_reward_profile.json" with { type: "json" };

type Row = Record<string, unknown>;

const breathe = () => Promise.resolve();
const lines = (rows: readonly Row[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

async function profileOf(inputs: readonly Row[], rollouts: readonly Row[], partial = false) {
  const files = new MemoryFiles({ "/i": lines(inputs), "/r": lines(rollouts) });
  const paths = { rollouts: "/r", inputs: "/i", failures: "" };
  const how = { scorers: null, missing: true, fields: false };
  const runs = await FinishedRuns.read([paths], { files, index: "/index", breathe }, how);
  try {
    const profile = await RewardProfile.of(runs, { partial, breathe });
    const tasks: unknown[] = [];
    const { agents, repeats } = await profile.tell((json) => tasks.push(JSON.parse(json)));
    const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
    return {
      reward_profiling: tasks,
      agent_metrics: plain(agents),
      repeat_level_metrics: plain(repeats),
      completion: profile.completion,
    };
  } finally {
    runs.close();
  }
}

/** The same keys and values; numbers that are not whole may differ in their last digits, as sums do. */
function assertSame(actual: unknown, expected: unknown, at: string): void {
  if (typeof actual === "number" && typeof expected === "number") {
    const close = Math.abs(actual - expected) <= 1e-9 * Math.max(1, Math.abs(expected));
    assert(close, `${at}: ${actual} instead of ${expected}`);
  } else if (typeof actual === "object" && typeof expected === "object" && actual && expected) {
    assert.deepEqual(Object.keys(actual).sort(), Object.keys(expected).sort(), at);
    for (const [key, value] of Object.entries(actual)) {
      assertSame(value, (expected as Row)[key], `${at}.${key}`);
    }
  } else assert.deepEqual(actual, expected, at);
}

for (const [name, { inputs, rollouts, partial, ...expected }] of Object.entries(recorded)) {
  Deno.test(`the files of Gym's eval profile are Gym's: ${name}`, async () => {
    const { completion: _, ...actual } = await profileOf(inputs, rollouts, partial);
    assertSame(actual, expected, "");
  });
}

const input = (task: number, rollout: number) => ({ _ng_task_index: task, _ng_rollout_index: rollout });
const result = (task: number, rollout: number) => ({ ...input(task, rollout), reward: 1 });

Deno.test("what Gym's eval profile refuses is refused", async () => {
  const refused = (inputs: Row[], rollouts: Row[], why: RegExp) =>
    assert.rejects(
      profileOf(inputs, rollouts),
      (error) => error instanceof UsageFault && why.test(error.message),
    );
  await refused(
    [input(0, 0), input(0, 1)],
    [result(0, 0)],
    /1 rollout of 2.*\n.*task 0, rollout 1\n.*allow_partial/,
  );
  await refused([input(0, 0)], [result(0, 0), result(0, 0)], /task 0, rollout 0 has several results/);
  await refused([input(0, 0), input(0, 0)], [result(0, 0)], /in the materialized inputs several times/);
  await refused(
    [input(0, 0)],
    [result(0, 0), result(1, 0)],
    /task 1, rollout 0 is not in the materialized inputs/,
  );
});

Deno.test("how complete a run is counts what has no result", async () => {
  const inputs = [input(0, 0), input(0, 1), input(1, 0), input(2, 0)];
  const { completion } = await profileOf(
    inputs,
    [result(0, 0), { ...result(1, 0), mask_sample: true }],
    true,
  );
  assert.deepEqual(completion, {
    expected: 4,
    completed: 2,
    masked: 1,
    tasks: 3,
    complete: 1,
    partial: 1,
    missing: 1,
  });
});
