/** Cases from the field: what servers and networks do. `cases_test.ts` says which are proven elsewhere. */
import assert from "node:assert/strict";
import { deadPort, write } from "../edge/_tcp_server.ts";
import { Gym, reward, rollcall, Scratch } from "../e2e/_rollcall.ts";

const COLLECT = ["collect", "-i", "tasks.jsonl", "-o", "r.jsonl", "--json"];

Deno.test("one 500 among ten: with routing 9 rollouts, 1 failure and exit code 0; without it 1, and what is finished is kept", async () => {
  await using gym = new Gym(({ n }) => n === 4 ? { status: 500, body: "no" } : reward(1));
  for (const routed of [true, false]) {
    await using scratch = new Scratch();
    scratch.tasks(10);
    const how = routed ? ["--route-failures-to-sidecar"] : ["-c", "1"];
    const { code, err, out } = await rollcall([...COLLECT, ...gym.flag, ...how], { cwd: scratch.path });
    const summary = JSON.parse(out);
    assert.equal(code, routed ? 0 : 1, err);
    assert.match(err, routed ? /coverage +9 of 10 rollouts scored, 1 missing/ : /Rollout 4-0 failed/);
    assert.equal(scratch.rows("r.jsonl").length, routed ? 9 : 4);
    assert.equal(scratch.rows("r_failures.jsonl").length, routed ? 1 : 0);
    assert.equal(summary.done + summary.failed + summary.left, 10);
  }
});

Deno.test("a port at which nobody listens: the sidecar says that nothing was sent", async () => {
  await using scratch = new Scratch();
  scratch.tasks(2);
  const server = `--server=a=http://127.0.0.1:${deadPort()}`;
  const args = [...COLLECT, server, "--retry-window=1", "--route-failures-to-sidecar"];
  const { code, err } = await rollcall(args, { cwd: scratch.path });
  assert.equal(code, 1);
  assert.match(err.split("\n")[0]!, /127\.0\.0\.1:\d+.*(refused|listen)/);
  const failures = scratch.rows("r_failures.jsonl");
  assert.ok(failures.length > 0, "no row tells of it");
  for (const row of failures) {
    assert.equal(row._ng_failure_class, "agent_request_failed");
    assert.equal(row._ng_failure_delivery, "not_sent");
  }
});

Deno.test("a 200 with an HTML page is a failure whose message shows how the page begins, and whose body is not kept", async () => {
  await using scratch = new Scratch();
  scratch.tasks(1);
  const page = `<html><title>Sign in</title>${"x".repeat(500)}</html>`;
  await using gym = new Gym(() => ({ body: page, headers: { "content-type": "text/html" } }));
  const { err } = await rollcall([...COLLECT, ...gym.flag, "--route-failures-to-sidecar"], {
    cwd: scratch.path,
  });
  const [row] = scratch.rows("r_failures.jsonl");
  assert.equal(row!._ng_failure_class, "agent_run_error");
  assert.equal(row!._ng_failure_http_status, 200);
  assert.equal(row!._ng_failure_response_body, null);
  assert.ok(String(row!._ng_failure_message).includes(page.slice(0, 200)), err);
  assert.ok(!String(row!._ng_failure_message).includes(page.slice(0, 202)));
});

Deno.test({
  name:
    "an answer of 600 MB, longer than the runtime's strings, is written or fails clearly, and disturbs no other",
  // As it is shipped only: the sources would do the same, and it takes a while.
  ignore: !Deno.env.has("ROLLCALL_BIN"),
  async fn() {
    await using scratch = new Scratch();
    scratch.tasks(3);
    const piece = new Uint8Array(1_000_000).fill(0x78), pieces = 600;
    await using gym = new Gym(({ n }) =>
      n !== 1 ? reward(1) : async (connection) => {
        const start = '{"reward":1,"text":"', end = '"}';
        const length = start.length + end.length + pieces * piece.length;
        await write(connection, `HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n${start}`);
        for (let k = 0; k < pieces; k++) await write(connection, piece);
        await write(connection, end);
      }
    );
    const whole = [...COLLECT, ...gym.flag, "--disable-aggregation", "--route-failures-to-sidecar"];
    const { code, err } = await rollcall(whole, { cwd: scratch.path });
    assert.equal(code, 0, err);
    const { size } = Deno.statSync(scratch.at("r.jsonl"));
    const failed = scratch.rows("r_failures.jsonl").length;
    assert.ok(failed === 1 || size > 600_000_000, `${size} bytes, ${failed} failed: ${err}`);

    const capped = await rollcall([...whole, "--max-response-bytes=1000000"], { cwd: scratch.path });
    assert.equal(capped.code, 0, capped.err);
    assert.deepEqual(scratch.rows("r.jsonl").map(({ _ng_task_index }) => _ng_task_index).sort(), [0, 2]);
    assert.match(
      String(scratch.rows("r_failures.jsonl")[0]!._ng_failure_message),
      /1000000|1,000,000|max_response_bytes/,
    );
  },
});
