/** `--concurrency auto` and `--rate` in a whole run. */
import assert from "node:assert/strict";
import { summaryJson } from "../../src/report/summary_json.ts";
import { summaryText } from "../../src/report/summary.ts";
import { begin, Gate, reward } from "./_run.ts";

Deno.test("auto starts with 8 requests to each server, and more with the answers; the summary says what it did", async () => {
  const gate = new Gate();
  using run = begin({
    rows: "a".repeat(60) + "b".repeat(20),
    words: ["+num_samples_in_parallel=auto", "+dispatch_budget_s=1000"],
    run: () => gate.passed.then(() => reward(1)),
  });
  await run.clock.pass(1000);
  assert.equal(run.tally().inFlight, 16);
  gate.open();
  const { ending, tally } = await run.end();
  assert.deepEqual([ending, tally.done], ["complete", 80]);
  const [a, b] = tally.widths!;
  assert.deepEqual([a!.server, b!.server, b!.widest, b!.refused, b!.slower], ["a", "b", 8, 0, 0]);
  const told = await run.summary;
  assert.match(
    summaryText(told, { columns: 200, colour: false }),
    /\nconcurrency +a: \d+ at once at the end, \d+ at most\n +b: \d+ at once/,
  );
  assert.equal(JSON.parse(summaryJson(told)).concurrency.length, 2);
});

Deno.test("auto makes fewer requests of a server that refuses, and respects the limits that are given", async () => {
  using run = begin({
    rows: "a".repeat(40),
    words: ["+num_samples_in_parallel=auto", "+server_concurrency=5", "+route_failures_to_sidecar=true"],
    run: ({ row, before }) => row < 5 && before === 0 ? "refuse" : reward(1),
  });
  const { ending, tally } = await run.end();
  assert.deepEqual([ending, tally.done], ["complete", 40]);
  const { widest, refused } = tally.widths![0]!;
  assert.deepEqual([widest <= 5, refused], [true, 1]);
});

Deno.test("a rate lets a request to each server start at most so often, and the run goes on", async () => {
  using run = begin({ rows: "aaaaabb", words: ["+rate=60/min"] });
  const seen: number[] = [];
  for (let second = 0; second < 5; second++) {
    await run.clock.pass(second === 0 ? 500 : 1000);
    seen.push(run.asked.length);
  }
  assert.deepEqual(seen, [2, 4, 5, 6, 7]);
  assert.equal((await run.end()).ending, "complete");
});

Deno.test("without auto there is nothing to tell of widths", async () => {
  using run = begin();
  assert.equal((await run.end()).tally.widths, undefined);
});
