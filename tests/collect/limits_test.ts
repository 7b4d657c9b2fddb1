/** `max_failures`, `max_failure_rate` and `token_budget`: when they are reached, and what a run does then. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { limitReached } from "../../src/collect/limit_observer.ts";
import { summaryJson } from "../../src/report/summary_json.ts";
import { summaryText } from "../../src/report/summary.ts";
import type { Scripted } from "../fakes/scripted_wire.ts";
import { begin, Gate, reward } from "./_run.ts";

const ROUTED = "+route_failures_to_sidecar=true";
const NONE = { failures: null, failureRate: null, tokens: null };
const BROKEN: Scripted = { status: 500, body: "broken" };
const TEXT = { columns: 200, colour: false };

for (
  const [what, counted, limits, reached] of [
    ["nothing without a limit", { failed: 99, finished: 99, tokens: 99 }, NONE, undefined],
    [
      "fewer failures than may be",
      { failed: 2, finished: 2, tokens: 0 },
      { ...NONE, failures: 3 },
      undefined,
    ],
    [
      "as many failures as may be",
      { failed: 3, finished: 9, tokens: 0 },
      { ...NONE, failures: 3 },
      "failures",
    ],
    [
      "a rate of 19 rollouts",
      { failed: 19, finished: 19, tokens: 0 },
      { ...NONE, failureRate: 0 },
      undefined,
    ],
    ["the rate itself", { failed: 10, finished: 20, tokens: 0 }, { ...NONE, failureRate: 0.5 }, undefined],
    [
      "more than the rate",
      { failed: 11, finished: 20, tokens: 0 },
      { ...NONE, failureRate: 0.5 },
      "failure_rate",
    ],
    ["a rate of 1", { failed: 50, finished: 50, tokens: 0 }, { ...NONE, failureRate: 1 }, undefined],
    ["one failure of many, for a rate of 0", { failed: 1, finished: 400, tokens: 0 }, {
      ...NONE,
      failureRate: 0,
    }, "failure_rate"],
    ["fewer tokens", { failed: 0, finished: 9, tokens: 99 }, { ...NONE, tokens: 100 }, undefined],
    ["the tokens", { failed: 0, finished: 9, tokens: 100 }, { ...NONE, tokens: 100 }, "tokens"],
  ] as const
) {
  Deno.test(`limitReached() ${reached ? "is reached by" : "is not reached by"} ${what}`, () => {
    assert.equal(limitReached(counted, limits)?.what, reached);
  });
}

Deno.test("a run stops starting rollouts once too many have failed, and says why, what, and how to go on", async () => {
  const gate = new Gate();
  using run = begin({
    rows: "a".repeat(20),
    words: [ROUTED, "+max_failures=3", "+num_samples_in_parallel=4", "+grace_s=1"],
    run: ({ row }) => row === 3 ? gate.passed.then(() => reward(1)) : BROKEN,
  });
  await run.clock.pass(60_000);
  assert.equal(run.tally().stopping, "too many failures");
  gate.open();
  const summary = await run.end();
  assert.equal(summary.ending, "too_many_failures");
  // What was in flight had its time, however long: a drain, not a stop.
  assert.deepEqual(run.rollouts.map((row) => row._ng_task_index), [3]);
  // A place is free once its answer is there, and a failure counts once it is written: three more had started.
  assert.deepEqual([summary.tally.failed, summary.tally.drained], [6, 13]);
  assert.match(
    summary.error!,
    /^3 of 3 finished rollouts failed \(--max-failures 3\): 6 agent_run_error\. See .*_failures\.jsonl; fix the cause, then continue with --resume\.$/,
  );
  assert.deepEqual(run.notes.filter((note) => /nothing new starts/.test(note)), [
    "3 of 3 finished rollouts failed (--max-failures 3): nothing new starts; 4 rollouts in flight will finish.",
  ]);
  const told = await run.summary;
  assert.match(
    summaryText(told, TEXT),
    /^Too many failures: 1 of 20 rollouts done in .*; 6 failed, 13 not run\.\n/,
  );
  const { ending, undone } = JSON.parse(summaryJson(told));
  assert.deepEqual([ending, undone], ["too_many_failures", [{ rollouts: 13, why: "too_many_failures" }]]);
});

Deno.test("attempts that are followed by another one are no failures", async () => {
  using run = begin({
    words: [ROUTED, "+max_failures=1", "+num_samples_in_parallel=1"],
    run: ({ before }) => before < 2 ? "hang up" : reward(1),
  });
  const { ending, tally } = await run.end();
  assert.deepEqual([ending, tally.done, tally.failed], ["complete", 10, 0]);
});

Deno.test("answers of an outage that is known, and those that proved to be part of one, are no failures", async () => {
  let away = 0;
  using run = begin({
    words: [ROUTED, "+max_failures=6", "+num_samples_in_parallel=1"],
    run: () => away++ < 12 ? { status: 502, body: "Bad Gateway" } : reward(1),
  });
  const { ending, tally } = await run.end();
  assert.deepEqual([ending, tally.done, tally.failed], ["complete", 10, 0]);
});

Deno.test("a rate is looked at from 20 finished rollouts on", async () => {
  using run = begin({
    rows: "a".repeat(40),
    words: [ROUTED, "+max_failure_rate=0.5", "+num_samples_in_parallel=1"],
    run: () => BROKEN,
  });
  const { ending, tally, error } = await run.end();
  assert.deepEqual([ending, tally.failed, tally.drained], ["too_many_failures", 21, 19]);
  assert.match(error!, /^20 of 20 finished rollouts failed \(--max-failure-rate 0\.5\)/);
});

Deno.test("a token budget ends a run as a budget does, counting failed answers and what says nothing", async () => {
  const usage = { input_tokens: 30, output_tokens: 20 };
  using run = begin({
    words: [ROUTED, "+token_budget=100", "+num_samples_in_parallel=1"],
    run: ({ row }) => ({
      body: JSON.stringify(
        row === 0
          ? { reward: 1 }
          : row === 1
          ? { _ng_failure_class: "sandbox_lost", response: { usage } }
          : { reward: 1, response: { usage } },
      ),
    }),
  });
  const { ending, tally, error, metrics } = await run.end();
  assert.deepEqual([ending, error, tally.done, tally.failed, tally.drained], ["token_budget", null, 3, 1, 6]);
  assert.deepEqual(tally.tokens, { used: 150, budget: 100, without: 1 });
  assert.ok(metrics !== null, "what is there is scored, as after any budget");
  const text = summaryText(await run.summary, TEXT);
  assert.match(text, /^The token budget is used up: 3 of 10 rollouts done/);
  assert.match(text, /\ntokens +150 of 100 used; 1 answer without a response\.usage\n/);
});

Deno.test("a limit that is reached by the last rollout leaves nothing undone; failures are too many all the same", async () => {
  using budget = begin({
    rows: "a",
    words: ["+token_budget=1"],
    run: () => ({ body: '{"reward":1,"response":{"usage":{"prompt_tokens":1,"completion_tokens":1}}}' }),
  });
  assert.equal((await budget.end()).ending, "complete");
  using failing = begin({
    rows: "aa",
    words: [ROUTED, "+max_failures=1"],
    run: ({ row }) => row ? BROKEN : reward(1),
  });
  assert.equal((await failing.end()).ending, "too_many_failures");
});

Deno.test("a run that is resumed after too many failures owes what was not run and what may run again", async () => {
  using run = begin({ words: [ROUTED, "+max_failures=2", "+num_samples_in_parallel=1"], run: () => BROKEN });
  await run.end();
  assert.match(
    summaryText(await run.summary, TEXT),
    /next step +rerun the same command with --resume to run the 7 that are left and retry 3 failed rollouts\n/,
  );
});

Deno.test("failures never pass the limit by more than what was in flight, and every rollout is accounted for", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 5 }),
      async (fails, most, width) => {
        using run = begin({
          rows: "a".repeat(fails.length),
          words: [ROUTED, `+max_failures=${most}`, `+num_samples_in_parallel=${width}`],
          run: ({ row }) => fails[row] ? BROKEN : reward(1),
        });
        const { ending, tally } = await run.end(); // end() adds the counts up
        const all = fails.filter(Boolean).length;
        assert.equal(ending === "too_many_failures", all >= most || tally.failed >= most);
        assert.ok(tally.failed < most + 2 * width, `${tally.failed} failed`);
      },
    ),
    { numRuns: 25 },
  );
});
