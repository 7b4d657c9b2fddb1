/** Outages in which something in front of a server turns rows away: what runs again, and what it is said to have cost. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { summaryJson } from "../../src/report/summary_json.ts";
import { summaryText } from "../../src/report/summary.ts";
import type { Scripted } from "../fakes/scripted_wire.ts";
import { begin, Gate, reward, type TestRun } from "./_run.ts";

const ROUTED = "+route_failures_to_sidecar=true";
const AWAY: Scripted = { status: 502, body: "Bad Gateway" };

/** Attempts of each line, by row: `0` for the first. */
const attemptsIn = (rows: readonly Record<string, unknown>[]) =>
  rows.map((row) => [row._ng_task_index, row._ng_attempt_index ?? 0]);

/** Answers of a gateway: `true` lets a row through, `false` turns it away; all after the last are let through. */
function gateway(script: readonly boolean[]) {
  let k = 0;
  return () => script[k++] ?? true ? reward(1) : AWAY;
}

/** No rollout is lost and none is there twice, and each recorded attempt is told once. */
function audit(run: TestRun, rows: number): void {
  const done = run.rollouts.map((row) => row._ng_task_index as number);
  assert.equal(new Set(done).size, done.length, "a rollout is in the file twice");
  const recorded = attemptsIn(run.failures).map(String);
  assert.equal(new Set(recorded).size, recorded.length, "an attempt is in the sidecar twice");
  for (let row = 0; row < rows; row++) {
    const attempts = attemptsIn(run.failures).filter(([task]) => task === row).map(([, attempt]) => attempt);
    assert.deepEqual(attempts, attempts.map((_, k) => k), `attempts of row ${row} have a gap`);
    const result = run.rollouts.find((line) => line._ng_task_index === row);
    if (result) assert.equal(result._ng_attempt_index ?? 0, attempts.length);
  }
}

for (const status of [502, 503, 504, 429]) {
  Deno.test(`collect() runs rows again that five ${status} in a row turned away, and sends probes until the server is back`, async () => {
    let away = 0;
    using run = begin({
      words: [ROUTED, "+num_samples_in_parallel=1"],
      run: ({ row, before }) => row === 9 && before === 0 || away >= 8 ? reward(1) : (away++, { status }),
    });
    const { ending, tally, ...summary } = await run.end();
    assert.deepEqual([ending, tally.done, tally.failed], ["complete", 10, 0]);
    assert.deepEqual(attemptsIn(run.failures), [0, 1, 2, 3, 4].map((row) => [row, 0]));
    assert.equal(
      run.asked.length,
      10 + away,
      "each was sent once, and once more for each time it was turned away",
    );
    assert.deepEqual([tally.attemptsAgain, tally.repeats], [5, 0]);
    assert.deepEqual(tally.failures, { agent_request_failed: 5 });
    const [outage, ...others] = tally.outages;
    assert.deepEqual([outage!.server, outage!.rows, outage!.ranAgain, others], ["a", 8, 5, []]);
    assert.ok(outage!.seconds > 0);
    audit(run, 10);
    assert.deepEqual(
      run.notes.filter((note) => /^Server/.test(note)).map((note) => note.replace(/[\d.]+ s\.$/, "N s.")),
      [
        `Server a (http://a:1) is turning rows away: HTTP ${status}. Waiting up to 600 s for it; nothing is lost.`,
        "Server a (http://a:1) is back after N s.",
      ],
    );
    const told = { ...summary, ending, tally, error: null };
    assert.match(
      summaryText(told, { columns: 200, colour: false }),
      /^outages +a turned rows away 8 times and was paused for \S+; 5 attempts of these are in the sidecar$/m,
    );
    assert.deepEqual(JSON.parse(summaryJson(told)).outages, [
      { server: "a", turned_away: 8, ran_again: 5, paused_s: outage!.seconds },
    ]);
  });
}

Deno.test("collect() records one line for each of the first five in flight, and none for the others of an outage", async () => {
  const gate = new Gate();
  let isDown = true;
  using run = begin({
    rows: "a".repeat(40),
    words: [ROUTED, "+num_samples_in_parallel=40"],
    run: async () => {
      if (!isDown) return reward(1);
      await gate.passed;
      return AWAY;
    },
  });
  await run.clock.pass(0);
  assert.equal(run.asked.length, 40);
  gate.open();
  await run.clock.pass(0);
  isDown = false;
  const { tally } = await run.end();
  assert.deepEqual([tally.done, tally.failed, run.failures.length], [40, 0, 5]);
  assert.deepEqual([tally.outages[0]!.rows, tally.outages[0]!.ranAgain, run.asked.length], [40, 5, 80]);
  audit(run, 40);
});

Deno.test("collect() takes four in a row for failures, and what any other answer stands between", async () => {
  for (const [other, ends] of [[reward(1), "complete"], [{ status: 500 }, "failed"]] as const) {
    using run = begin({
      rows: "a".repeat(14),
      words: [ROUTED, "+num_samples_in_parallel=1"],
      run: ({ row }) => row % 5 === 4 ? other : AWAY,
    });
    const { ending, tally } = await run.end();
    assert.equal(tally.failures.agent_request_failed, 12);
    assert.equal(run.asked.length, 14);
    assert.deepEqual(tally.outages, []);
    assert.equal(ending, ends);
    audit(run, 14);
  }
});

Deno.test("collect() counts what is turned away for each server by itself", async () => {
  using run = begin({
    rows: "abababab",
    words: [ROUTED, "+num_samples_in_parallel=1"],
    run: () => AWAY,
  });
  const { tally } = await run.end();
  assert.deepEqual([tally.failed, tally.outages, run.asked.length], [8, [], 8]);
});

Deno.test("collect() with outage_retry=false records every row that is turned away, as Gym does", async () => {
  using run = begin({
    rows: "a".repeat(30),
    words: [ROUTED, "+outage_retry=false", "+num_samples_in_parallel=3"],
    run: () => AWAY,
  });
  const { tally } = await run.end();
  assert.deepEqual([tally.failed, run.failures.length, run.asked.length, tally.outages], [30, 30, 30, []]);
});

Deno.test("collect() ends at the first row that is turned away where failures are not routed, and starts none after it", async () => {
  using run = begin({ words: ["+num_samples_in_parallel=1"], run: () => AWAY });
  const { ending, error } = await run.end();
  assert.equal(ending, "failed");
  assert.match(error!, /Rollout 0-0 failed: .* answered 502: Bad Gateway/);
  assert.deepEqual([run.asked, run.failures], [[0], []]);
});

Deno.test("collect() runs a row not again that was turned away at the attempt limit", async () => {
  using run = begin({
    rows: "a".repeat(8),
    words: [ROUTED, "+num_samples_in_parallel=1"],
    attempts: { 0: 2, 1: 1 },
    run: gateway(Array(5).fill(false)),
  });
  const { tally } = await run.end();
  assert.deepEqual([tally.done, tally.failed, tally.exhausted], [7, 1, 1]);
  assert.deepEqual(attemptsIn(run.failures), [[0, 2], [1, 1], [2, 0], [3, 0], [4, 0]]);
  assert.equal(tally.outages[0]!.ranAgain, 4);
});

Deno.test("collect() leaves a server that turns rows away for the whole window, as one that is unreachable", async () => {
  using run = begin({
    rows: "a".repeat(20) + "b",
    words: [ROUTED, "+num_samples_in_parallel=1", "+retry_window_s=60"],
    run: ({ row }) => row === 20 ? reward(1) : AWAY,
  });
  const { ending, error, tally } = await run.end();
  assert.equal(ending, "failed");
  assert.match(error!, /^Server a \(http:\/\/a:1\) turned rows away for 60 s, .*: HTTP 502\./);
  assert.equal(tally.done, 1);
  assert.ok(tally.waiting >= 10, "rows that were not tried are left");
  audit(run, 21);
});

Deno.test("collect() leaves rows of an outage to a resume when it is stopped, and takes nothing back twice", async () => {
  using run = begin({ words: [ROUTED, "+num_samples_in_parallel=2"], run: () => AWAY });
  await run.clock.pass(3000);
  run.drain.abort("SIGTERM");
  const { ending, tally } = await run.end(1);
  assert.deepEqual([ending, tally.failed, tally.waiting, tally.done], ["stopped", 0, 10, 0]);
  assert.equal(run.failures.length, 5);
});

Deno.test("collect() loses no rollout and runs none twice, however a gateway comes and goes", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 9 })), { maxLength: 8 }),
      fc.integer({ min: 1, max: 8 }),
      async (spells, inFlight) => {
        const script = spells.flatMap(([isUp, answers]) => Array<boolean>(answers).fill(isUp));
        using run = begin({
          rows: "ab".repeat(10),
          words: [ROUTED, `+num_samples_in_parallel=${inFlight}`, "+server_concurrency=5"],
          run: gateway(script),
        });
        const { tally } = await run.end(); // every count adds up at any time, which is looked at there
        assert.equal(tally.done + tally.failed, 20);
        assert.equal(run.rollouts.length, tally.done);
        assert.equal(run.failures.length, tally.failed + tally.attemptsAgain);
        assert.deepEqual(
          tally.failures,
          run.failures.length ? { agent_request_failed: run.failures.length } : {},
        );
        const live = tally.live.reduce((sum, { finished }) => sum + finished, 0);
        assert.equal(live, 20);
        const ran = tally.outages.reduce((sum, { ranAgain }) => sum + ranAgain, 0);
        assert.equal(ran, tally.attemptsAgain);
        audit(run, 20);
      },
    ),
    { numRuns: 25 },
  );
});
