/** Signals, budgets, full disks, and what is on the disk after each. */
import assert from "node:assert/strict";
import { begin, Gate, reward, type TestRun } from "./_run.ts";

const never = new Promise<never>(() => {});

Deno.test("collect() lets rollouts in flight end after a first signal, and starts nothing new", async () => {
  const gate = new Gate();
  using run = begin({
    words: ["+num_samples_in_parallel=3"],
    run: async () => {
      await gate.passed;
      return reward(1);
    },
  });
  await run.wire.hasSeen(3);
  run.drain.abort("SIGINT");
  await run.clock.pass(0);
  assert.deepEqual([run.tally().stopping, run.tally().inFlight], ["SIGINT", 3]);
  gate.open();
  const { ending, signal, error, tally } = await run.end();
  assert.deepEqual([ending, signal, error], ["stopped", "SIGINT", null]);
  assert.deepEqual([run.asked.length, run.rollouts.length], [3, 3]);
  assert.deepEqual([tally.done, tally.waiting], [3, 7]);
  assert.deepEqual(run.scored, [], "metrics of a run that was stopped");
});

Deno.test("collect() abandons rollouts in flight when the grace is over; they leave no line", async () => {
  using run = begin({ words: ["+num_samples_in_parallel=3", "+grace_s=7"], run: () => never });
  await run.wire.hasSeen(3);
  run.drain.abort("SIGTERM");
  await run.clock.pass(6999);
  assert.equal(run.tally().inFlight, 3);
  await run.clock.pass(1);
  const { ending, tally } = await run.end(1);
  assert.equal(ending, "stopped");
  assert.deepEqual([run.rollouts, run.failures, tally.waiting], [[], [], 10]);
});

Deno.test("collect() abandons them at once at a second signal", async () => {
  using run = begin({ words: ["+num_samples_in_parallel=3"], run: () => never });
  await run.wire.hasSeen(3);
  run.drain.abort("SIGINT");
  run.abort.abort("SIGINT");
  const { ending, tally } = await run.end(1);
  assert.deepEqual([ending, tally.waiting, run.clock.now() <= 1000], ["stopped", 10, true]);
});

Deno.test("collect() says what a stop means as long as rollouts are in flight", async () => {
  using run = begin({ words: ["+num_samples_in_parallel=3", "+grace_s=7"], run: () => never });
  await run.wire.hasSeen(3);
  run.drain.abort("SIGTERM");
  run.abort.abort("SIGTERM");
  await run.end(1);
  assert.deepEqual(run.notes, [
    "Stopping (SIGTERM): 3 rollouts in flight have 7 s to finish; a second signal abandons them.",
  ]);
});

Deno.test("collect() counts a row that ends the run not as one in flight", async () => {
  for (const [concurrency, told] of [[1, []], [3, ["2 rollouts in flight have 7 s to finish"]]] as const) {
    const gate = new Gate();
    using run = begin({
      words: [`+num_samples_in_parallel=${concurrency}`, "+grace_s=7"],
      run: async ({ row }) => {
        if (row === 0) return { status: 500 };
        await gate.passed;
        return reward(1);
      },
    });
    await run.wire.hasSeen(concurrency);
    await run.clock.pass(0);
    gate.open();
    assert.equal((await run.end()).ending, "failed");
    const stopping = run.notes.filter((note) => note.startsWith("Stopping"));
    assert.deepEqual(
      stopping,
      told.map((what) => `Stopping after an error: ${what}; a signal abandons them.`),
    );
  }
});

Deno.test("collect() abandons what is in flight at the first signal after an error", async () => {
  using run = begin({ rows: "aa", run: ({ row }) => row ? never : { status: 500 } });
  await run.wire.hasSeen(2);
  await run.clock.pass(0);
  run.drain.abort("SIGINT");
  const { ending, tally } = await run.end(1);
  assert.deepEqual([ending, tally.failed, tally.waiting], ["failed", 1, 1]);
});

Deno.test("collect() sends nothing when it was stopped before it began", async () => {
  using run = begin({});
  run.drain.abort("SIGTERM");
  const { ending, tally } = await run.end(1);
  assert.deepEqual([ending, tally.waiting, run.asked], ["stopped", 10, []]);
});

Deno.test("collect() is complete, with metrics, when the signal came as the last rollouts were in flight", async () => {
  const gate = new Gate();
  using run = begin({
    rows: "aa",
    run: async () => {
      await gate.passed;
      return reward(1);
    },
  });
  await run.wire.hasSeen(2);
  run.drain.abort("SIGINT");
  gate.open();
  const { ending } = await run.end();
  assert.equal(ending, "complete");
  assert.equal(run.scored.length, 1);
});

Deno.test("collect() keeps to the limit in flight", async () => {
  using run = begin({ rows: "a".repeat(50), words: ["+num_samples_in_parallel=7"] });
  await run.end();
  assert.equal(run.wire.mostOpen, 7);
  assert.deepEqual(run.asked, [...Array(50).keys()]);
});

Deno.test("collect() runs a budget out: 10 rollouts of 1 s, two at a time, 3 s, 1 s of margin", async () => {
  const run = begin({
    words: ["+num_samples_in_parallel=2", "+dispatch_budget_s=3", "+drain_margin_s=1"],
    run: async () => {
      await new Promise<void>((resolve) => run.clock.after(1000, resolve));
      return reward(1);
    },
  });
  using _ = run;
  const { ending, error, tally } = await run.end();
  assert.deepEqual([ending, error], ["drained", null]);
  assert.deepEqual([tally.done, tally.drained, tally.waiting], [6, 4, 0]);
  assert.equal(run.rollouts.length, 6);
  assert.equal(run.scored.length, 1);
});

Deno.test("collect() takes the 0.75 quantile of this run's durations for a margin, once there are five", async () => {
  const run = begin({
    rows: "a".repeat(20),
    words: ["+num_samples_in_parallel=1", "+dispatch_budget_s=10"],
    run: async ({ row }) => {
      // 1, 1, 1, 1, 3: the quantile is 1, and at 9.5 s there is less than that left.
      await new Promise<void>((resolve) =>
        run.clock.after(row === 4 ? 3000 : row === 5 ? 2500 : 1000, resolve)
      );
      return reward(1);
    },
  });
  using _ = run;
  const { tally } = await run.end();
  assert.deepEqual([tally.done, tally.drained], [6, 14]);
});

Deno.test("collect() has failed when the budget left nothing done", async () => {
  using run = begin({ words: ["+num_samples_in_parallel=2", "+dispatch_budget_s=0"] });
  const { ending, error, tally } = await run.end();
  assert.equal(ending, "failed");
  assert.match(error!, /10 not run \(dispatch_budget_s=0\)/);
  assert.deepEqual([tally.drained, run.asked], [10, []]);
});

for (const [file, does] of [["a.jsonl", "result"], ["a_failures.jsonl", "failure"]] as const) {
  Deno.test(`collect() abandons everything when the disk is full at a ${does}; lines stay whole and rows stay owed`, async () => {
    const run = begin({
      words: ["+num_samples_in_parallel=3", "+route_failures_to_sidecar=true"],
      run: ({ row }) => {
        if (row !== 2) return never;
        run.files.room = 20; // a part of the line would still fit
        return does === "failure" ? { status: 500 } : reward(1);
      },
    });
    using _ = run;
    const { ending, error, tally } = await run.end(10);
    assert.equal(ending, "failed");
    assert.match(error!, /No space left on device/);
    assert.ok(error!.includes(`/runs/${file}`), error!);
    assert.match(error!, /--resume/);
    assert.deepEqual([tally.done, tally.failed, tally.inFlight, tally.waiting], [0, 0, 0, 10]);
    assert.deepEqual([run.rollouts, run.failures], [[], []]);
    assert.ok(run.asked.length <= 4);
    assert.deepEqual(run.scored, []);
  });
}

Deno.test("collect() starts nothing in the place that a full disk makes free", async () => {
  const run = begin({
    words: ["+max_resident_rollout_tasks=1"],
    run: () => {
      run.files.room = 0;
      return reward(1);
    },
  });
  using _ = run;
  const { ending } = await run.end(10);
  assert.deepEqual([ending, run.asked], ["failed", [0]]);
});

Deno.test("collect() abandons an attempt that cannot be recorded", async () => {
  const run = begin({
    rows: "aa",
    words: ["+num_samples_in_parallel=1"],
    run: () => {
      run.files.room = 0;
      return "hang up";
    },
  });
  using _ = run;
  const { ending, tally } = await run.end(10);
  assert.deepEqual([ending, run.asked, tally.attemptsAgain, tally.waiting], ["failed", [0], 0, 2]);
});

Deno.test("collect() fails when its files cannot be synced in the end", async () => {
  const run = begin({ rows: "a" });
  using _ = run;
  run.files.syncing = () => Promise.reject(new Error("Input/output error (os error 5)"));
  const { ending, error } = await run.end(10);
  assert.equal(ending, "failed");
  assert.match(error!, /Input\/output error/);
});

Deno.test("collect() fails, and starts nothing more, when the inputs are cut short under it", async () => {
  // A window of the file is read ahead, so the rows have to be larger than that to notice.
  const run = begin({
    words: ["+num_samples_in_parallel=1"],
    run: ({ row }) => row === 0 ? reward(1) : reward(0),
  });
  using _ = run;
  run.files.append(run.paths.inputs).truncate(100);
  run.files.open--;
  const { ending, error, tally } = await run.end(10);
  assert.equal(ending, "failed");
  assert.match(error!, /Cannot send rollout 1-0: .*was truncated/);
  assert.deepEqual([run.asked, tally.done, tally.waiting], [[0], 1, 9]);
});

Deno.test("collect() keeps the rollouts when a server gives no metrics, and says whose", async () => {
  using run = begin({ metrics: () => ({ status: 500, body: "oops" }) });
  const { ending, error, metrics } = await run.end();
  assert.deepEqual([ending, metrics, run.rollouts.length], ["failed", null, 10]);
  assert.match(error!, /http:\/\/a:1\/aggregate_metrics/);
  assert.equal(run.files.text(run.paths.metrics), undefined);
});

Deno.test("collect() asks for no metrics when told not to", async () => {
  using run = begin({ plan: { aggregate: false } });
  const { ending, metrics } = await run.end();
  assert.deepEqual([ending, metrics, run.scored], ["complete", null, []]);
});

for (
  const [when, stop] of [
    ["at a second signal", (run: TestRun) => run.abort.abort("SIGTERM")],
    ["when the grace is over", (run: TestRun) => run.clock.pass(5000)],
  ] as const
) {
  Deno.test(`collect() stops waiting for metrics ${when}: the run was stopped, and can be resumed`, async () => {
    using run = begin({ rows: "a", words: ["+grace_s=5"], metrics: () => never });
    await run.wire.hasSeen(2);
    run.drain.abort("SIGTERM");
    await stop(run);
    const { ending, error, signal, notes } = await run.end(1);
    assert.deepEqual([ending, error, signal], ["stopped", null, "SIGTERM"]);
    assert.match(notes.join(), /metrics/);
    assert.equal(run.rollouts.length, 1);
    assert.equal(run.files.text(run.paths.metrics), undefined);
  });
}

Deno.test("collect() gives metrics the grace too when the signal came before they were asked for", async () => {
  const gate = new Gate();
  using run = begin({
    rows: "a",
    words: ["+grace_s=5"],
    run: async () => {
      await gate.passed;
      return reward(1);
    },
    metrics: () => never,
  });
  await run.wire.hasSeen(1);
  run.drain.abort("SIGTERM");
  gate.open();
  await run.wire.hasSeen(2);
  await run.clock.pass(5000);
  const { ending, tally } = await run.end(1);
  assert.deepEqual([ending, tally.done], ["stopped", 1]);
});

Deno.test("collect() sets an earlier run's files aside before it sends anything", async () => {
  const seen: string[] = [];
  const run = begin({
    rows: "a",
    files: { "a.jsonl": "old\n", "a_failures.jsonl": "older\n", "a_aggregate_metrics.json": "[]" },
    run: () => {
      seen.push(...Object.keys(run.files.all()));
      return reward(1);
    },
  });
  using _ = run;
  await run.end();
  assert.equal(run.files.text("/runs/a.jsonl.old"), "old\n");
  assert.equal(run.files.text("/runs/a_failures.jsonl.old"), "older\n");
  assert.ok(!seen.includes("/runs/a_aggregate_metrics.json"), "metrics of the earlier run");
  assert.ok(seen.includes("/runs/a_materialized_inputs.jsonl"));
});
