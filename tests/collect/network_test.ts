/** Servers that are unreachable, and come back or do not. */
import assert from "node:assert/strict";
import { begin, Gate, reward } from "./_run.ts";

const ROUTED = "+route_failures_to_sidecar=true";

Deno.test("collect() waits for a server that is down and loses nothing", async () => {
  let up = false;
  using run = begin({
    words: ["+num_samples_in_parallel=4"],
    run: () => up ? reward(1) : "refuse",
  });
  await run.clock.pass(5000);
  assert.equal(run.asked.length, 0);
  const [paused, ...others] = run.tally().paused;
  assert.deepEqual([paused!.server, others], ["a", []]);
  assert.ok(run.notes[0]!.includes("http://a:1") && run.notes[0]!.includes("connection refused"));
  up = true;
  const { ending, tally } = await run.end();
  assert.equal(ending, "complete");
  assert.deepEqual([tally.done, tally.failed, tally.attemptsAgain], [10, 0, 0]);
  assert.ok(tally.repeats >= 4);
  assert.deepEqual([...run.asked].sort(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "a rollout was delivered twice");
  assert.deepEqual(run.failures, []);
  assert.equal(run.notes.length, 2); // unreachable, and back
});

Deno.test("collect() sends one probe at a time to a server that is down", async () => {
  const tries: number[] = [];
  const run = begin({
    words: ["+num_samples_in_parallel=4", "+retry_window_s=60"],
    run: () => {
      tries.push(run.clock.now());
      return "refuse";
    },
  });
  using _ = run;
  await run.end();
  const later = tries.slice(4);
  assert.equal(new Set(later).size, later.length, "two at a time");
  assert.ok(later.length < 15, `${later.length} probes in a minute`);
});

Deno.test("collect() ends within a moment of the retry window when a server never comes up", async () => {
  using run = begin({ words: ["+retry_window_s=3"], run: () => "refuse" });
  const { ending, error, tally } = await run.end();
  assert.ok(run.clock.now() < 5000, `it took ${run.clock.now()} ms`);
  assert.equal(ending, "failed");
  assert.match(error!, /Cannot reach http:\/\/a:1\/run: Connection refused/);
  assert.equal(tally.failed + tally.waiting, 10);
  assert.ok(tally.repeats >= 1, "it was tried once only");
  assert.equal(run.asked.length, 0);
  assert.deepEqual(run.failures, []);
});

Deno.test("collect() records what was tried when failures are routed, and leaves the rest owed", async () => {
  using run = begin({
    words: [ROUTED, "+retry_window_s=3", "+num_samples_in_parallel=2"],
    run: () => "refuse",
  });
  const { ending, error, tally } = await run.end();
  assert.equal(ending, "failed");
  assert.match(error!, /http:\/\/a:1.* 3\.0 s/);
  assert.deepEqual([tally.failed, tally.waiting], [2, 8]);
  assert.deepEqual(run.failures.map((row) => [row._ng_failure_class, row._ng_failure_delivery]), [
    ["agent_request_failed", "not_sent"],
    ["agent_request_failed", "not_sent"],
  ]);
});

Deno.test("collect() runs the rollouts of other servers when one stays down, and fails in the end", async () => {
  using run = begin({
    rows: "abababab",
    words: [ROUTED, "+retry_window_s=3", "+num_samples_in_parallel=1"],
    run: ({ row }) => row % 2 ? reward(1) : "refuse",
  });
  const { ending, error, tally } = await run.end();
  assert.equal(ending, "failed");
  assert.match(error!, /Server a /);
  assert.deepEqual([tally.done, tally.failed, tally.waiting], [4, 1, 3]);
});

Deno.test("collect() starts rollouts of other servers after one was abandoned", async () => {
  const run = begin({
    rows: `aa${"b".repeat(20)}`,
    words: [ROUTED, "+retry_window_s=3", "+num_samples_in_parallel=2"],
    run: ({ row }) =>
      row < 2 ? "refuse" : new Promise((resolve) => run.clock.after(1000, () => resolve(reward(1)))),
  });
  using _ = run;
  await run.clock.pass(6000);
  assert.equal(
    run.tally().failed,
    1,
    "it was abandoned; its other row did not start, since it held its share",
  );
  assert.ok(run.tally().waiting > 0, "and others are left");
  const { ending, error, tally } = await run.end();
  assert.deepEqual([ending, tally.done, tally.failed], ["failed", 20, 1]);
  assert.match(error!, /Server a /);
});

Deno.test("collect() keeps other servers' rollouts going while one is down", async () => {
  let up = false;
  using run = begin({
    rows: "aabb",
    words: ["+num_samples_in_parallel=2"],
    run: ({ row }) => row > 1 || up ? reward(1) : "refuse",
  });
  await run.clock.pass(10);
  assert.deepEqual(run.rollouts.map((row) => row._ng_task_index), [2, 3]);
  up = true;
  assert.equal((await run.end()).ending, "complete");
});

for (const status of [429, 503]) {
  Deno.test(`collect() comes again after ${status} with Retry-After, not before, and fails nothing`, async () => {
    const times: number[] = [];
    const run = begin({
      rows: "aaa",
      words: ["+num_samples_in_parallel=1"],
      run: ({ row, before }) => {
        times.push(run.clock.now());
        return row === 1 && before === 0 ? { status, headers: { "retry-after": "20" } } : reward(1);
      },
    });
    using _ = run;
    const { ending, tally } = await run.end();
    assert.equal(ending, "complete");
    assert.deepEqual(times, [0, 0, 20_000, 20_000]);
    assert.deepEqual([tally.done, tally.failed, tally.attemptsAgain], [3, 0, 0]);
    assert.ok(run.rollouts.every((row) => !("_ng_attempt_index" in row)), "it is the same attempt");
  });
}

Deno.test("collect() lets an answer to another rollout not shorten the time for which a server asked us to back off", async () => {
  const gate = new Gate(), times = new Map<number, number>();
  const run = begin({
    rows: "aaa",
    words: ["+num_samples_in_parallel=2"],
    run: async ({ row, before }) => {
      if (row === 0 && before === 0) return { status: 429, headers: { "retry-after": "20" } };
      if (row === 1) await gate.passed;
      times.set(row, run.clock.now());
      return reward(1);
    },
  });
  using _ = run;
  await run.clock.pass(1000);
  gate.open();
  await run.end();
  assert.deepEqual(Object.fromEntries(times), { 0: 20_000, 1: 1000, 2: 20_000 });
});

Deno.test("collect() fails a rollout whose server asks for more time than the window has left", async () => {
  using run = begin({
    rows: "ab",
    words: [ROUTED, "+retry_window_s=100"],
    run: ({ row }) => row ? reward(1) : { status: 503, headers: { "retry-after": "30" } },
  });
  const { tally } = await run.end();
  assert.deepEqual([tally.done, tally.failed], [1, 1]);
  assert.ok(run.clock.now() >= 60_000 && run.clock.now() <= 100_000);
  assert.equal(run.failures[0]!._ng_failure_http_status, 503);
});

for (const routed of [true, false]) {
  Deno.test(`collect() says of a server that asks for too much time for how much, ${routed ? "" : "not "}routed`, async () => {
    using run = begin({
      words: ["+num_samples_in_parallel=1", ...(routed ? [ROUTED] : [])],
      run: () => ({ status: 429, headers: { "retry-after": "601" } }),
    });
    const { ending, error, tally } = await run.end();
    assert.deepEqual([ending, tally.failed, tally.waiting, run.asked], ["failed", 1, 9, [0]]);
    assert.match(
      error!,
      /^Server a \(\S+\) asked us to wait 601 s, longer than the retry window of 600 s has left\./,
    );
    assert.ok(run.notes.every((note) => !note.includes("nothing is lost")), run.notes.join());
    assert.equal(run.failures.length, routed ? 1 : 0);
  });
}

Deno.test("collect() waits a Retry-After in full that the window has room for, however long", async () => {
  const times: number[] = [];
  const run = begin({
    rows: "a",
    run: ({ before }) => {
      times.push(run.clock.now());
      return before ? reward(1) : { status: 503, headers: { "retry-after": "590" } };
    },
  });
  using _ = run;
  const { ending } = await run.end();
  assert.deepEqual([ending, times, run.failures], ["complete", [0, 590_000], []]);
});

Deno.test("collect() does not fill the terminal for a server that asks us to back off again and again", async () => {
  using run = begin({
    rows: "a".repeat(100),
    words: ["+num_samples_in_parallel=1"],
    run: ({ before }) => before === 0 ? { status: 429, headers: { "retry-after": "1" } } : reward(1),
  });
  const { ending } = await run.end();
  assert.equal(ending, "complete");
  assert.ok(run.notes.length <= 30, `${run.notes.length} notes`);
});

Deno.test("collect() leaves what waits for a server when it is stopped meanwhile", async () => {
  using run = begin({ words: ["+num_samples_in_parallel=4"], run: () => "refuse" });
  await run.clock.pass(1000);
  run.drain.abort("SIGTERM");
  const { ending, signal, tally } = await run.end(1);
  assert.deepEqual([ending, signal, tally.waiting, tally.failed], ["stopped", "SIGTERM", 10, 0]);
  assert.deepEqual(run.failures, []);
});

Deno.test("collect() names the oldest rollouts in flight once nothing has moved for ten minutes", async () => {
  using run = begin({
    rows: "aab",
    words: ["+grace_s=0"],
    run: ({ row }) => row ? new Promise(() => {}) : reward(1),
  });
  await run.clock.pass(600_000 - 1);
  assert.deepEqual(run.notes, []);
  await run.clock.pass(60_000);
  assert.equal(run.notes.length, 1);
  assert.match(run.notes[0]!, /1-0 at a.*2-0 at b.*--rollout-timeout/);
  run.drain.abort("SIGTERM");
  await run.end(1);
});
