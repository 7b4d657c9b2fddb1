/** Connections that are refused, closed, reset or stall: what was sent, what is recorded, what runs again. */
import assert from "node:assert/strict";
import { closed, deadPort, write } from "../edge/_tcp_server.ts";
import { Agent, audit, GOOD } from "./_agent.ts";
import { collect, identities } from "./_rollcall.ts";

const ROUTED = "--route-failures-to-sidecar";

Deno.test("a closed port is named at once with the likely cause, and the run ends with its window", async () => {
  const port = deadPort();
  const ended = await collect({
    rows: 3,
    url: `http://127.0.0.1:${port}`,
    args: [ROUTED, "--retry-window=0.3"],
  });
  assert.equal(ended.code, 1);
  assert.match(ended.said, new RegExp(`127\\.0\\.0\\.1:${port}\\) is unreachable: .*connection refused`));
  assert.deepEqual(identities(ended.failures), ["0-0", "1-0", "2-0"]);
  for (const line of ended.failures) {
    assert.equal(line._ng_failure_class, "agent_request_failed");
    assert.equal(line._ng_failure_delivery, "not_sent");
    assert.equal(line._ng_failure_http_status, null);
  }
});

Deno.test("a closed port without routing ends the run with an error that names it", async () => {
  const port = deadPort();
  const ended = await collect({ rows: 3, url: `http://127.0.0.1:${port}`, args: ["--retry-window=0"] });
  assert.equal(ended.code, 1);
  assert.match(String(ended.summary?.error), new RegExp(`127\\.0\\.0\\.1:${port}/run.*refused`));
  assert.deepEqual(ended.failures, []);
});

Deno.test("an unknown name is reported once, and not tried for minutes", async () => {
  const ended = await collect({ rows: 50, url: "http://no-such-host.invalid:1", args: [ROUTED, "-c", "5"] });
  assert.equal(ended.code, 1);
  assert.match(ended.said, /no-such-host\.invalid:1\) is unreachable: .*not known/);
  assert.equal(ended.failures.length, 1);
  assert.equal(ended.failures[0]!._ng_failure_delivery, "not_sent");
  assert.equal(ended.summary?.left, 49);
});

Deno.test("rows of a server that answers go on while another one cannot be reached", async () => {
  await using agent = new Agent();
  const ended = await collect({
    rows: 20,
    url: [agent.url, `http://127.0.0.1:${deadPort()}`],
    args: [ROUTED, "--retry-window=0.2", "-c", "2"],
  });
  assert.equal(ended.code, 1);
  assert.equal(ended.rollouts.length, 10);
  assert.match(String(ended.summary?.error), /Server agent_1 .* was unreachable/);
  assert.equal(agent.deliveries.length, 10);
});

Deno.test("a request that was read and not answered is recorded, and run again as the next attempt", async () => {
  await using agent = new Agent(({ task, attempt }) => task === 1 && attempt === 0 ? "hang up" : undefined);
  const ended = await collect({ rows: 3, url: agent.url, args: ["-c", "1"] });
  assert.equal(ended.code, 0);
  assert.deepEqual(identities(ended.rollouts), ["0-0", "1-0", "2-0"]);
  assert.equal(ended.rollouts.find((line) => line._ng_task_index === 1)!._ng_attempt_index, 1);
  const [lost, ...others] = ended.failures;
  assert.deepEqual(others, []);
  assert.equal(lost!._ng_failure_class, "agent_request_failed");
  assert.equal(lost!._ng_failure_delivery, "possibly_delivered");
  assert.deepEqual(agent.of(1).map(({ attempt }) => attempt), [0, 1]);
  assert.equal(ended.summary?.attempts_again, 1);
  assert.match(ended.said, /Rollout 1-0, attempt 1: .* Retrying\./);
  audit(ended, agent, 3);
});

Deno.test("a request that is never answered fails after its last attempt, and the others are kept", async () => {
  await using agent = new Agent(({ task }) => task === 0 ? "hang up" : undefined);
  const ended = await collect({ rows: 3, url: agent.url, args: [ROUTED] });
  assert.equal(ended.code, 0);
  assert.deepEqual(identities(ended.rollouts), ["1-0", "2-0"]);
  assert.deepEqual(ended.failures.map((line) => line._ng_attempt_index ?? 0), [0, 1, 2]);
  assert.deepEqual(agent.of(0).map(({ attempt }) => attempt), [0, 1, 2]);
  assert.equal(ended.summary?.failed, 1);
  audit(ended, agent, 3);
});

Deno.test("a server that closes every connection at once may have seen the request", async () => {
  let first = true;
  await using agent = new Agent(undefined, {
    accepted: async (connection) => {
      if (!first) return await answerByHand(connection);
      first = false;
    },
  });
  const ended = await collect({ rows: 1, url: agent.url });
  assert.equal(ended.code, 0);
  assert.equal(ended.failures[0]!._ng_failure_delivery, "possibly_delivered");
  assert.equal(ended.rollouts[0]!._ng_attempt_index, 1);
  assert.equal(agent.connections, 2);
});

Deno.test("a kept connection that is closed just as it is used again costs one attempt in the whole run", async () => {
  const used = new Set<number>();
  await using agent = new Agent(({ connection }) => {
    if (used.has(connection)) return "hang up";
    used.add(connection);
  });
  const ended = await collect({ rows: 20, url: agent.url, args: ["-c", "1"] });
  assert.equal(ended.code, 0);
  assert.equal(ended.rollouts.length, 20);
  assert.equal(ended.failures.length, 1);
  assert.equal(ended.failures[0]!._ng_failure_delivery, "possibly_delivered");
  assert.match(ended.said, /closed a connection instead of responding; its connections are no longer kept/);
  assert.equal(agent.deliveries.length, 21);
  audit(ended, agent, 20);
});

Deno.test("--connection-reuse never makes a connection for each request", async () => {
  await using agent = new Agent();
  const ended = await collect({ rows: 5, url: agent.url, args: ["-c", "1", "--connection-reuse=never"] });
  assert.equal(ended.code, 0);
  assert.equal(agent.connections, 5);
  audit(ended, agent, 5);
});

Deno.test("an answer that is reset in its middle is a failure with its status; the rollout is not run twice", async () => {
  await using agent = new Agent(({ task }) =>
    task !== 1 ? undefined : async (connection) => {
      await write(connection, 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"reward": 1');
    }
  );
  const ended = await collect({ rows: 3, url: agent.url, args: [ROUTED] });
  assert.equal(ended.code, 0);
  assert.deepEqual(identities(ended.rollouts), ["0-0", "2-0"]);
  const [broken] = ended.failures;
  assert.equal(broken!._ng_failure_class, "agent_run_error");
  assert.equal(broken!._ng_failure_http_status, 200);
  assert.equal(broken!._ng_failure_delivery, "delivered");
  assert.equal(agent.of(1).length, 1);
  audit(ended, agent, 3);
});

Deno.test("half a body and then silence is ended by --idle-timeout, and by nothing else", async () => {
  await using agent = new Agent(({ task }) =>
    task !== 0 ? undefined : async (connection) => {
      await write(connection, 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"reward": 1');
      await closed(connection);
    }
  );
  const ended = await collect({ rows: 3, url: agent.url, args: [ROUTED, "--idle-timeout=2"] });
  assert.equal(ended.code, 0);
  assert.deepEqual(identities(ended.rollouts), ["1-0", "2-0"]);
  assert.match(String(ended.failures[0]!._ng_failure_message), /idle_timeout_s=2/);
  assert.equal(agent.of(0).length, 1);
  audit(ended, agent, 3);
});

Deno.test("a silence before an answer is no failure, however much longer than --idle-timeout it is", async () => {
  const idleS = 1;
  await using agent = new Agent(async ({ task }) => {
    if (task === 0) await new Promise((resolve) => setTimeout(resolve, 1.5 * idleS * 1000));
    return GOOD;
  });
  const ended = await collect({ rows: 3, url: agent.url, args: ["-c", "4", `--idle-timeout=${idleS}`] });
  assert.equal(ended.code, 0);
  assert.deepEqual(identities(ended.rollouts), ["0-0", "1-0", "2-0"]);
  audit(ended, agent, 3);
});

Deno.test("--rollout-timeout ends one rollout; the others are written meanwhile, and it is not run twice", async () => {
  await using agent = new Agent(({ task }) => task !== 2 ? undefined : (connection) => closed(connection));
  const ended = await collect({ rows: 5, url: agent.url, args: [ROUTED, "--rollout-timeout=5"] });
  assert.equal(ended.code, 0);
  assert.deepEqual(identities(ended.rollouts), ["0-0", "1-0", "3-0", "4-0"]);
  const [late] = ended.failures;
  assert.equal(late!._ng_failure_class, "agent_timeout");
  assert.match(String(late!._ng_failure_message), /rollout_timeout_s=5/);
  assert.equal(agent.of(2).length, 1);
  audit(ended, agent, 5);
});

Deno.test("--rollout-timeout ends the run where failures do", async () => {
  await using agent = new Agent(() => (connection) => closed(connection));
  const ended = await collect({ rows: 1, url: agent.url, args: ["--rollout-timeout=0.1"] });
  assert.equal(ended.code, 1);
  assert.match(String(ended.summary?.error), /took longer than rollout_timeout_s=0\.1/);
  assert.deepEqual(ended.failures, []);
});

/** Reads what comes and answers it, once. */
async function answerByHand(connection: Deno.TcpConn): Promise<void> {
  await connection.read(new Uint8Array(65536));
  await write(connection, 'HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n{"reward":1}');
  await closed(connection);
}
