/** What a server can do to the whole program: lengths that lie, odd values where text is expected, tiny and packed pieces. */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { type Reply, write } from "../edge/_tcp_server.ts";
import { Gym, reward, rollcall, Scratch, start } from "../e2e/_rollcall.ts";

const COLLECT = ["collect", "-i", "tasks.jsonl", "-o", "r.jsonl", "--json"];

/** An answer that announces 30 GB and brings a little. */
const HUGE: Reply = async (connection) => {
  await write(connection, "HTTP/1.1 200 OK\r\ncontent-length: 30000000000\r\n\r\n{}");
};

const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

Deno.test("metrics and a head server that announce 30 GB are errors, and the rollouts are kept", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(3);
  gym.aggregate = () => HUGE;
  const run = await rollcall([...COLLECT, ...gym.flag], { cwd: scratch.path });
  assert.equal(run.code, 1, run.err);
  assert.equal(scratch.rows("r.jsonl").length, 3);
  gym.aggregate = () => ({ body: `{"key_metrics":${deep(5000)}}` });
  const odd = await rollcall([...COLLECT, ...gym.flag, "--resume"], { cwd: scratch.path });
  assert.ok([0, 1].includes(odd.code), odd.err);
  assert.doesNotMatch(odd.err, /^ +at /m);
  assert.equal(gym.asked.length, 3);
  gym.head = () => HUGE;
  const headless = await rollcall([...COLLECT, "--head", `127.0.0.1:${gym.port}`, "--resume"], {
    cwd: scratch.path,
  });
  assert.equal(headless.code, 2, headless.err);
  assert.equal(scratch.rows("r.jsonl").length, 3);
});

Deno.test("failure messages and classes that are objects, deep or large are recorded as attempts, and a resume gets past them", async () => {
  const bodies = [
    '{"_ng_failure_class":"x","_ng_failure_message":{"toString":1,"valueOf":2}}',
    `{"_ng_failure_class":"x","failure_reason":${deep(5000)}}`,
    `{"_ng_failure_class":${deep(6000)}}`,
    '{"_ng_failure_class":{"toString":null},"_ng_failure_message":[[]]}',
    `{"_ng_failure_class":"x","_ng_failure_message":"${"m".repeat(5_000_000)}"}`,
  ];
  await using gym = new Gym(({ n }) => ({ body: bodies[n]! }));
  await using scratch = new Scratch();
  scratch.tasks(bodies.length);
  const args = [...COLLECT, ...gym.flag, "--route-failures-to-sidecar", "--disable-aggregation"];
  const first = await rollcall(args, { cwd: scratch.path });
  assert.doesNotMatch(first.err, /^ +at /m);
  assert.ok(first.err.length < 20_000, `${first.err.length} characters were said`);
  assert.equal(JSON.parse(first.out).failed, bodies.length, first.err);
  const second = await rollcall([...args, "--resume"], { cwd: scratch.path });
  const third = await rollcall([...args, "--resume"], { cwd: scratch.path });
  assert.equal(gym.asked.length, 3 * bodies.length);
  const last = await rollcall([...args, "--resume"], { cwd: scratch.path });
  assert.equal(JSON.parse(last.out).at_cap, bodies.length, `${second.err}\n${third.err}\n${last.err}`);
  assert.equal(gym.asked.length, 3 * bodies.length, "what is at the attempt limit was sent again");
  assert.equal((await rollcall(["status", "r.jsonl"], { cwd: scratch.path })).code, 0);
});

Deno.test({
  name: "memory goes by bytes: chunks of one byte and packed answers take no more than what they hold",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const packed = gzipSync(`{"reward":1}${" ".repeat(50_000_000)}`);
    let peak = 0, pid = 0;
    await using gym = new Gym(({ n }): Reply => {
      if (n === 0) return chunks;
      if (n < 3) return { body: packed, headers: { "content-encoding": "gzip" } };
      peak = peakOf(pid);
      return reward(1);
    });
    await using scratch = new Scratch();
    scratch.tasks(4);
    await using run = start([...COLLECT, ...gym.flag, "-c", "1"], { cwd: scratch.path });
    pid = run.child.pid;
    const { code, err } = await run.ends();
    assert.equal(code, 0, err);
    assert.equal(scratch.rows("r.jsonl").length, 4);
    assert.ok(peak > 0 && peak < 800_000_000, `${peak} bytes at the most`);
  },
});

/** The most memory that a process has had, in bytes. */
function peakOf(pid: number): number {
  const { stdout } = new Deno.Command("grep", { args: ["VmHWM", `/proc/${pid}/status`] }).outputSync();
  return Number(/\d+/.exec(new TextDecoder().decode(stdout))![0]) * 1024;
}

/** 100 KB in chunks of one byte. */
const chunks: Reply = async (connection) => {
  const text = `{"reward":1,"text":"${"x".repeat(100_000)}"}`;
  await write(connection, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
  await write(connection, [...text].map((byte) => `1\r\n${byte}\r\n`).join("") + "0\r\n\r\n");
};
