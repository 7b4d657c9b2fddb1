/** Where a run goes on the network, whatever servers answer and whatever the environment says. */
import assert from "node:assert/strict";
import { deadPort, TcpServer } from "../edge/_tcp_server.ts";
import { Gym, reward, rollcall, Scratch } from "./_rollcall.ts";

const GO = ["collect", "-i", "tasks.jsonl", "-o", "r.jsonl"];

Deno.test("rollcall collect follows no redirect to another server, whatever its status", async () => {
  await using decoy = new TcpServer();
  const statuses = [301, 302, 303, 307, 308];
  await using gym = new Gym(({ n }) =>
    n < 10
      ? {
        status: statuses[n % 5]!,
        headers: { location: `${n < 5 ? decoy.url : decoy.url.replace("127.0.0.1", "localhost")}/run` },
      }
      : reward(1)
  );
  await using scratch = new Scratch();
  scratch.tasks(11);
  const { code, err } = await rollcall([...GO, ...gym.flag, "--route-failures-to-sidecar"], {
    cwd: scratch.path,
  });
  assert.equal(code, 0, err);
  assert.deepEqual([decoy.connections, decoy.seen.length], [0, 0]);
  const failures = scratch.rows("r_failures.jsonl").sort((a, b) =>
    Number(a._ng_task_index) - Number(b._ng_task_index)
  );
  assert.deepEqual(failures.map((row) => row._ng_failure_http_status), [...statuses, ...statuses]);
  assert.ok(failures.every((row) => row._ng_failure_type === "redirect"));
  assert.equal(gym.asked.length, 11);
});

Deno.test("rollcall collect follows a 307 that stays on the server", async () => {
  await using gym = new Gym();
  await using front = new TcpServer(({ path, body }) =>
    path === "/run" ? { status: 307, headers: { location: "/v2/run" } } : reward(JSON.parse(body).n)
  );
  await using scratch = new Scratch();
  scratch.tasks(3);
  const { code, err } = await rollcall([...GO, "--server", `a=${front.url}`, "--disable-aggregation"], {
    cwd: scratch.path,
  });
  assert.equal(code, 0, err);
  assert.deepEqual(scratch.rows("r.jsonl").map((row) => row.reward).sort(), [0, 1, 2]);
  assert.deepEqual(gym.seen, []);
});

Deno.test("rollcall collect ignores proxies in the environment", async () => {
  await using proxy = new TcpServer();
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(3);
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
  const { code, err } = await rollcall([...GO, "--head", `127.0.0.1:${gym.port}`], {
    cwd: scratch.path,
    env: Object.fromEntries(names.map((name) => [name, proxy.url])),
  });
  assert.equal(code, 0, err);
  assert.equal(proxy.connections, 0);
  assert.equal(scratch.rows("r.jsonl").length, 3);
});

Deno.test("rollcall collect sends through --proxy, and only there", async () => {
  const server = `http://127.0.0.1:${deadPort()}`;
  await using proxy = new TcpServer(({ path }) => path === "/run" ? reward(1) : { body: "{}" });
  await using scratch = new Scratch();
  scratch.tasks(3);
  const { code, err } = await rollcall([...GO, "--server", `a=${server}`, "--proxy", proxy.url], {
    cwd: scratch.path,
    env: { NO_PROXY: "*", no_proxy: "*" },
  });
  assert.equal(code, 0, err);
  assert.deepEqual([...new Set(proxy.seen.map(({ target }) => target))].sort(), [
    `${server}/aggregate_metrics`,
    `${server}/run`,
  ]);
});
