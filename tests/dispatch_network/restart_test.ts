/** A server that goes away in mid-run and comes back. */
import assert from "node:assert/strict";
import { Agent, audit } from "./_agent.ts";
import { Door } from "./_door.ts";
import { start } from "./_rollcall.ts";

Deno.test("a restart in mid-run loses nothing: dispatch pauses, one probe finds it back, attempts are recorded", async () => {
  const inFlight = 50, rows = 400;
  const down = Promise.withResolvers<void>();
  let isDown = false;
  await using agent = new Agent(async ({ task }) => {
    // From some row on, nobody is answered until the server goes down with all of them.
    if (task >= 100 && !isDown) await down.promise;
    return undefined;
  });
  await using door = new Door(agent.port);
  const run = start({ rows, url: `http://127.0.0.1:${door.port}`, args: ["-c", String(inFlight)] });

  await run.until(agent.hasSeen(100 + inFlight));
  isDown = true;
  door.shut();
  down.resolve();
  await run.says(/is unreachable/);
  const before = agent.deliveries.length;
  door.open();
  await run.says(/is back after/);

  const ended = await run.ended;
  assert.equal(ended.code, 0);
  assert.equal(ended.rollouts.length, rows);
  assert.equal(before, 100 + inFlight, "a request came through a shut door");
  assert.equal(ended.failures.length, inFlight);
  assert.ok(ended.failures.every((line) => line._ng_failure_delivery === "possibly_delivered"));
  assert.equal(ended.summary?.attempts_again, inFlight);
  assert.ok(Number(ended.summary?.repeats) >= 1);
  audit(ended, agent, rows);
});

Deno.test("a server that does not come back within the window leaves the rest to a resume", async () => {
  await using agent = new Agent();
  await using door = new Door(agent.port);
  const run = start({
    rows: 2000,
    url: `http://127.0.0.1:${door.port}`,
    args: ["-c", "4", "--retry-window=0.4", "--route-failures-to-sidecar"],
  });
  await run.until(agent.hasSeen(50));
  door.shut();
  const ended = await run.ended;
  assert.equal(ended.code, 1);
  assert.match(String(ended.summary?.error), /was unreachable for \d+\.\d s/);
  assert.ok(ended.failures.length <= 12 && Number(ended.summary?.left) > 1000);
  audit(ended, agent, 2000);
});
