/** Whatever servers do: nothing is lost, nothing is there twice, and the counts are those of the files. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { accountOf, accountOfFiles, endingOf } from "../../src/collect/accounting.ts";
import { tallyOf } from "../report/samples.ts";
import type { Scripted } from "../fakes/scripted_wire.ts";
import { begin, type Row } from "./_run.ts";

const OUTCOMES: Readonly<Record<string, Scripted>> = {
  result: { body: '{"reward":1}' },
  declared: { body: '{"reward":0,"_ng_failure_class":"judge_failed"}' },
  unkept: { body: '{"_ng_no_persist":true}' },
  error: { status: 500, body: "oops" },
  page: { body: "<html>" },
  lost: "hang up",
  refused: "refuse",
  later: { status: 429, headers: { "retry-after": "3" } },
};

const runs = fc.record({
  // By row, what becomes of one request after another; then results.
  rows: fc.array(fc.array(fc.constantFrom(...Object.keys(OUTCOMES)), { maxLength: 4 }), {
    minLength: 1,
    maxLength: 8,
  }),
  servers: fc.integer({ min: 1, max: 3 }),
  inFlight: fc.constantFrom("1", "3", "null"),
  resident: fc.constantFrom("1", "4", "null"),
  window: fc.constantFrom(0, 2, 600),
  routed: fc.boolean(),
  budget: fc.constantFrom("null", "null", "null", "0", "5"),
  stopAt: fc.option(fc.nat(20_000), { freq: 4 }),
});

function identities(rows: readonly Row[]): number[] {
  return rows.map((row) => row._ng_task_index as number);
}

Deno.test("collect() loses nothing and counts what is in its files, whatever servers do", async () => {
  await fc.assert(
    fc.asyncProperty(runs, async (given) => {
      const wanted = new Map<number, number>();
      using run = begin({
        rows: given.rows.map((_, row) => "abc"[row % given.servers]).join(""),
        words: [
          `+num_samples_in_parallel=${given.inFlight}`,
          `+max_resident_rollout_tasks=${given.resident}`,
          `+retry_window_s=${given.window}`,
          `+route_failures_to_sidecar=${given.routed}`,
          ...(given.inFlight === "null" ? [] : [`+dispatch_budget_s=${given.budget}`]),
        ],
        run: ({ row, before }) => {
          // A refused request is no request that was seen, but it moves the script on as well.
          const turn = (wanted.get(row) ?? 0) + 1;
          wanted.set(row, turn);
          assert.ok(before < 20, "it runs in circles");
          return OUTCOMES[given.rows[row]![turn - 1] ?? "result"]!;
        },
      });
      const { stopAt } = given;
      if (stopAt !== null) {
        const cancel = run.clock.after(stopAt, () => run.drain.abort("SIGTERM"));
        run.summary.finally(cancel);
      }
      const { tally, ending, error } = await run.end(2000);
      const { rollouts, failures } = run;

      assert.equal(rollouts.length, tally.done);
      assert.equal(new Set(identities(rollouts)).size, rollouts.length, "an identity is there twice");
      assert.ok(rollouts.every((row) => row.reward === 1));
      const recorded = Object.values(tally.failures).reduce((a, b) => a + b, 0);
      // Without routing the failure that ends the run is counted and in no file.
      const unrecorded = recorded - failures.length;
      assert.ok(unrecorded === 0 || !given.routed, `${unrecorded} failures are in no file`);
      assert.equal(recorded, tally.failed + tally.attemptsAgain);
      assert.ok(failures.every((row) => typeof row._ng_failure_class === "string"));
      const attempts = Map.groupBy(identities(failures), (task) => task);
      for (const [task, { length }] of attempts) assert.ok(length <= 3, `row ${task} has ${length} attempts`);
      if (tally.waiting > 0) assert.ok(error !== null || ending === "stopped", "rows are left for no reason");
      if (ending === "complete") assert.equal(tally.waiting + tally.drained, 0);
    }),
    { numRuns: 150 },
  );
});

Deno.test("a run's account and that of its files are one account", () => {
  const tally = tallyOf({
    materialized: 20,
    before: 3,
    terminal: 1,
    atCap: 2,
    owed: 14,
    done: 5,
    failed: 4,
    exhausted: 1,
    unrecorded: 0,
    notPersisted: 1,
    drained: 1,
    inFlight: 1,
    waiting: 2,
  });
  const { expected, done, failed, final, toRun } = accountOf(tally);
  assert.deepEqual({ expected, done, failed, final, toRun }, {
    expected: 20,
    done: 8,
    failed: 7,
    final: 4,
    toRun: 8,
  });
  // What a status of the files reads: three have failed and may run again, five have left nothing.
  const files = accountOfFiles({ rollouts: 20, done: 8, terminal: 2, atCap: 2, left: 8, leftFailed: 3 });
  assert.deepEqual(files, { expected, done, failed, final, drained: 0, unresolved: 5, toRun });
});

Deno.test("an ending is a failure before stopped, stopped before a budget's", () => {
  const fault = { kind: "fault" } as const, tooMany = { kind: "too_many_failures" } as const;
  const tokens = { what: "tokens", used: 7, budget: 5 } as const, drained = tallyOf({ drained: 1 });
  for (
    const [tally, error, stopped, ending] of [
      [drained, fault, true, "failed"],
      [drained, tooMany, true, "too_many_failures"],
      [tallyOf(), tooMany, false, "too_many_failures"],
      [drained, null, true, "stopped"],
      [drained, null, false, "drained"],
      [tallyOf({ drained: 1, limit: tokens }), null, false, "token_budget"],
      [tallyOf({ limit: tokens }), null, false, "complete"],
      [tallyOf(), null, false, "complete"],
    ] as const
  ) assert.equal(endingOf(tally, { error, stopped }), ending);
});
