/** Statuses with which a server asks to come again, or does not. */
import assert from "node:assert/strict";
import { Agent, audit } from "./_agent.ts";
import { collect, start } from "./_rollcall.ts";

const again = (status: number, retryAfter: string) => ({ status, headers: { "retry-after": retryAfter } });

for (const [status, retryAfter] of [[429, "0.4"], [503, "0.4"]] as const) {
  Deno.test(`${status} with Retry-After is honoured by all rows of the server, and is no failure`, async () => {
    await using agent = new Agent(({ task, repeat }) =>
      task === 2 && repeat === 0 ? again(status, retryAfter) : undefined
    );
    const ended = await collect({ rows: 8, url: agent.url, args: ["-c", "1"] });
    assert.equal(ended.code, 0);
    assert.deepEqual(ended.failures, []);
    assert.equal(ended.rollouts.length, 8);
    const asked = agent.of(2)[0]!;
    const next = agent.deliveries[agent.deliveries.indexOf(asked) + 1]!;
    assert.ok(next.at - asked.at >= 400, `the next request came after ${next.at - asked.at} ms`);
    assert.deepEqual(agent.of(2).map(({ attempt }) => attempt), [0, 0]);
    assert.match(ended.said, new RegExp(`asked us to back off: HTTP ${status}`));
    assert.equal(ended.summary?.repeats, 1);
    audit(ended, agent, 8, 1);
  });
}

Deno.test("rows of another server do not wait for a Retry-After", async () => {
  await using busy = new Agent(() => again(429, "3600"));
  await using free = new Agent();
  // A window that has room for the hour, which the test does not wait for.
  const run = start({
    rows: 40,
    url: [busy.url, free.url],
    args: ["-c", "2", "--retry-window=7200", "--grace=3600"],
  });
  await run.until(free.hasSeen(20));
  run.kill("SIGTERM");
  const ended = await run.ended;
  assert.equal(ended.code, 75, ended.said);
  assert.equal(ended.rollouts.length, 20);
  assert.equal(ended.summary?.left, 20);
  assert.ok(busy.deliveries.length <= 2, "rows of the busy server did not wait");
  audit(ended, free, 40);
});

for (const retryAfter of ["0", "Sun, 06 Nov 1994 08:49:37 GMT"]) {
  Deno.test(`Retry-After ${retryAfter} asks for nothing but the usual wait`, async () => {
    await using agent = new Agent(({ repeat }) => repeat === 0 ? again(429, retryAfter) : undefined);
    const ended = await collect({ rows: 1, url: agent.url });
    assert.equal(ended.code, 0);
    assert.equal(ended.rollouts.length, 1);
    audit(ended, agent, 1, 1);
  });
}

Deno.test("a server that asks for more time than the window has is left at its end", async () => {
  await using agent = new Agent(() => again(429, "0.2"));
  const ended = await collect({
    rows: 3,
    url: agent.url,
    args: ["-c", "1", "--retry-window=0.5", "--route-failures-to-sidecar"],
  });
  assert.equal(ended.code, 1);
  assert.equal(ended.failures.length, 1);
  assert.equal(ended.failures[0]!._ng_failure_http_status, 429);
  assert.equal(ended.failures[0]!._ng_failure_class, "agent_request_failed");
  assert.equal(ended.summary?.left, 2);
});

for (const status of [429, 500, 502, 503, 504]) {
  Deno.test(`${status} without Retry-After is a failure and is not repeated`, async () => {
    await using agent = new Agent(({ task }) => task === 0 ? { status, body: "no" } : undefined);
    const ended = await collect({ rows: 2, url: agent.url, args: ["--route-failures-to-sidecar"] });
    assert.equal(ended.code, 0);
    const [failed] = ended.failures;
    assert.equal(failed!._ng_failure_class, status === 500 ? "agent_run_error" : "agent_request_failed");
    assert.equal(failed!._ng_failure_delivery, "delivered");
    assert.equal(agent.of(0).length, 1);
    audit(ended, agent, 2);
  });
}
