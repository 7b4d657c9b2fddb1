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
  const size = 16_000_000, half = Promise.withResolvers<void>();
  let isStill = false;
  const sent = new Map<number, number>();
  const large = (task: number): Reply => async (connection) => {
    const body = `{"reward":1,"text":"${"x".repeat(size)}"}`;
    await write(connection, `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`);
    const bytes = new TextEncoder().encode(body);
    for (let at = 0; at < bytes.length;) {
      at += await connection.write(bytes.subarray(at, at + 65536));
      sent.set(task, at);
      if (task !== 0 || at < size / 2) continue;
      half.resolve();
      // Not silent, which would give the turn to another: a byte now and then.
      while (!isStill && at < bytes.length - 1) {
        at += await connection.write(bytes.subarray(at, at + 1));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  };
  await using agent = new Agent(async ({ task }) => {
    if (task > 0) await half.promise;
    return large(task);
  });
  const run = start({ rows: 4, url: agent.url, args: ["--max-buffered-bytes=1000000"] });
  await run.until(agent.hasSeen(4).then(() => half.promise));
  await untilStill(() => [1, 2, 3].reduce((sum, task) => sum + (sent.get(task) ?? 0), 0));
  const others = [1, 2, 3].map((task) => sent.get(task) ?? 0);
  assert.ok(others.every((bytes) => bytes < size), `others have come in whole: ${others}`);
  isStill = true;
  const ended = await run.ended;
  assert.equal(ended.code, 0);
  assert.equal(ended.rollouts.length, 4);
  audit(ended, agent, 4);
});

Deno.test("answers that announce 30 GB are failures, of 200 and 500 alike, and take no memory", async () => {
  await using agent = new Agent(({ task }) =>
    task > 1 ? undefined : async (connection) => {
      const status = task === 0 ? "200 OK" : "500 Oops";
      await write(connection, `HTTP/1.1 ${status}\r\ncontent-length: 30000000000\r\n\r\n{"reward":1}`);
    }
  );
  for (const limit of [[], ["+max_response_bytes=null"], ["--max-response-bytes=40000000000"]]) {
    const ended = await collect({
      rows: 12,
      url: agent.url,
      args: ["--route-failures-to-sidecar", ...limit],
    });
    assert.equal(ended.code, 0, ended.said);
    assert.equal(ended.rollouts.length, 10);
    assert.equal(ended.failures.length, 2);
    assert.ok(ended.failures.every((line) => line._ng_failure_delivery === "delivered"));
  }
});

Deno.test("an answer that stalls after announcing much stops no other, and waiting for room is no timeout", async () => {
  const others = Promise.withResolvers<void>();
  await using agent = new Agent(({ task }) => async (connection) => {
    const text = `{"reward":1,"text":"${"x".repeat(400_000)}"}`;
    if (task > 0) {
      return await write(connection, `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
    }
    await write(connection, `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text.slice(0, 10)}`);
    await others.promise;
    await write(connection, text.slice(10));
  });
  const run = start({ rows: 10, url: agent.url, args: ["--max-buffered-bytes=400000"] });
  await run.until((async () => {
    while (linesIn(`${run.folder}/out.jsonl`) < 9) await new Promise((resolve) => setTimeout(resolve, 50));
  })());
  others.resolve();
  const ended = await run.ended;
  assert.equal(ended.code, 0);
  assert.equal(ended.rollouts.length, 10);
  audit(ended, agent, 10);
});

Deno.test("an answer that came while the process was stopped for longer than its timeout is taken", async () => {
  const stopped = Promise.withResolvers<void>();
  await using agent = new Agent(async () => {
    await stopped.promise;
    return undefined;
  });
  const run = start({
    rows: 3,
    url: agent.url,
    // The shell writes its number, which is then the program's.
    through: ["sh", "-c", 'echo $$ > pid; exec "$@"', "sh"],
    args: ["--rollout-timeout=5", "--route-failures-to-sidecar"],
  });
  await run.until(agent.hasSeen(3));
  const pid = Number(Deno.readTextFileSync(`${run.folder}/pid`));
  Deno.kill(pid, "SIGSTOP");
  stopped.resolve();
  await new Promise((resolve) => setTimeout(resolve, 7000)); // longer than the timeout: that is the case
  Deno.kill(pid, "SIGCONT");
  const ended = await run.ended;
  assert.equal(ended.code, 0);
  assert.deepEqual(ended.failures, []);
  assert.equal(ended.rollouts.length, 3);
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
  assert.match(String(none.summary?.error), /6 not run \(dispatch_budget_s=3600\)/);
});

function linesIn(path: string): number {
  try {
    return Deno.readTextFileSync(path).split("\n").length - 1;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}

/** Resolves once a number stands still: what the network holds is full, and nobody reads. */
async function untilStill(number: () => number): Promise<void> {
  for (let before = -1; before !== number();) {
    before = number();
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
