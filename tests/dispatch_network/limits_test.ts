/** Limits of the machine and of a run: open files, bytes in memory, requests in flight, time. */
import assert from "node:assert/strict";
import { type Reply, write } from "../edge/_tcp_server.ts";
import { Agent, audit, GOOD } from "./_agent.ts";
import { collect, start } from "./_rollcall.ts";

/** Runs with so many open files at most. */
const ulimit = (files: number) => ["sh", "-c", `ulimit -n ${files} && exec "$@"`, "sh"];

Deno.test("a concurrency that does not fit into the open files is refused before anything is sent", async () => {
  await using agent = new Agent();
  const { code, said, summary } = await collect({
    rows: 300,
    url: agent.url,
    args: ["-c", "200"],
    through: ulimit(128),
  });
  assert.equal(code, 2);
  assert.match(said, /num_samples_in_parallel=200 .*200 requests in flight need 232 more open files/s);
  assert.match(said, /ulimit -n/);
  assert.equal(summary, undefined);
  assert.equal(agent.connections, 0);
});

Deno.test("a concurrency larger than the run does not have to fit", async () => {
  await using agent = new Agent();
  const ended = await collect({ rows: 5, url: agent.url, args: ["-c", "100000"], through: ulimit(128) });
  assert.equal(ended.code, 0);
  audit(ended, agent, 5);
});

Deno.test("without a concurrency as many are in flight as files may be open, which is said once", async () => {
  let inFlight = 0, most = 0, limit = Infinity;
  const full = Promise.withResolvers<void>();
  await using agent = new Agent(async () => {
    most = Math.max(most, ++inFlight);
    if (inFlight === limit) full.resolve();
    await full.promise;
    inFlight--;
    return GOOD;
  });
  const run = start({ rows: 300, url: agent.url, through: ulimit(160) });
  await run.says(/At most \d+ requests are in flight at once/);
  // Nobody is answered before so many are there.
  limit = Number(/At most (\d+)/.exec(run.said())![1]);
  if (inFlight >= limit) full.resolve();
  const ended = await run.ended;
  assert.equal(ended.code, 0);
  assert.equal(most, limit);
  assert.equal(ended.said.match(/in flight at once/g)!.length, 1);
  audit(ended, agent, 300);
});

Deno.test("max_buffered_bytes lets large answers come in one after the other", async () => {
  const size = 16_000_000, half = Promise.withResolvers<void>(), rest = Promise.withResolvers<void>();
  const sent = new Map<number, number>();
  const large = (task: number): Reply => async (connection) => {
    const body = `{"reward":1,"text":"${"x".repeat(size)}"}`;
    await write(connection, `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`);
    const bytes = new TextEncoder().encode(body);
    for (let at = 0; at < bytes.length;) {
      if (task === 0 && at >= size / 2) {
        half.resolve();
        await rest.promise;
      }
      at += await connection.write(bytes.subarray(at, at + 65536));
      sent.set(task, at);
    }
  };
  await using agent = new Agent(async ({ task }) => {
    if (task > 0) await half.promise;
    return large(task);
  });
  const run = start({ rows: 4, url: agent.url, args: ["--max-buffered-bytes=1000000"] });
  await run.until(agent.hasSeen(4).then(() => half.promise));
  await untilStill(() => [...sent.values()].reduce((sum, bytes) => sum + bytes, 0));
  const others = [1, 2, 3].map((task) => sent.get(task) ?? 0);
  assert.ok(others.every((bytes) => bytes < size), `others have come in whole: ${others}`);
  rest.resolve();
  const ended = await run.ended;
  assert.equal(ended.code, 0);
  assert.equal(ended.rollouts.length, 4);
  audit(ended, agent, 4);
});

Deno.test("max_resident_rollout_tasks keeps so many requests in flight", async () => {
  let inFlight = 0, most = 0;
  const full = Promise.withResolvers<void>();
  await using agent = new Agent(async () => {
    most = Math.max(most, ++inFlight);
    if (inFlight === 3) full.resolve();
    await full.promise;
    inFlight--;
    return undefined;
  });
  const ended = await collect({ rows: 30, url: agent.url, args: ["--max-resident-tasks=3"] });
  assert.equal(ended.code, 0);
  assert.equal(most, 3);
  audit(ended, agent, 30);
});

Deno.test("a budget that ends part-way leaves the rest in no file and says how to go on", async () => {
  await using agent = new Agent();
  // Two start at once, and no answer is quicker than this budget. When it ends is tested with a clock of the test's own.
  const ended = await collect({ rows: 10, url: agent.url, args: ["-c", "2", "--dispatch-budget=0.000001"] });
  assert.equal(ended.code, 0);
  assert.equal(ended.rollouts.length, 2);
  assert.deepEqual(ended.failures, []);
  assert.equal(ended.summary?.ending, "drained");
  assert.equal(ended.summary?.drained, 8);
  assert.match(ended.said, /--resume/);
  audit(ended, agent, 10);
});

Deno.test("--drain-exit-code tells a job script that a budget has left something", async () => {
  await using agent = new Agent();
  const ended = await collect({
    rows: 6,
    url: agent.url,
    args: ["-c", "1", "--dispatch-budget=3600", "--drain-margin=0", "--drain-exit-code=75"],
  });
  assert.equal(ended.code, 0);
  const none = await collect({
    rows: 6,
    url: agent.url,
    args: ["-c", "1", "--dispatch-budget=3600", "--drain-margin=7200", "--drain-exit-code=75"],
  });
  // Nothing landed at all: that is an error whatever the code for a drain.
  assert.equal(none.code, 1);
  assert.match(String(none.summary?.error), /6 not started \(dispatch_budget_s=3600\)/);
});

/** Resolves once a number stands still: what the network holds is full, and nobody reads. */
async function untilStill(number: () => number): Promise<void> {
  for (let before = -1; before !== number();) {
    before = number();
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
