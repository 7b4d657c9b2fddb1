/** Cases from the field: what stands in inputs, in answers and in the files of earlier runs. */
import assert from "node:assert/strict";
import { type Ended, Gym, reward, rollcall, Scratch } from "../e2e/_rollcall.ts";

const COLLECT = ["collect", "-i", "tasks.jsonl", "-o", "r.jsonl", "--json", "--disable-aggregation"];

function collect(scratch: Scratch, gym: Gym, ...args: string[]): Promise<Ended> {
  return rollcall([...COLLECT, ...gym.flag, ...args], { cwd: scratch.path });
}

const task = (n: number, more = "") =>
  `{"n":${n},"agent_ref":{"name":"a"},"responses_create_params":{"input":"task ${n}${more}"}}`;

Deno.test("a byte-order mark, CRLF, blank lines and no final newline are read; errors name the line of the file", async () => {
  await using scratch = new Scratch();
  await using gym = new Gym();
  scratch.write("tasks.jsonl", `\ufeff${task(0)}\r\n\r\n\n${task(1)}\n   \n${task(2)}`);
  const { code, err } = await collect(scratch, gym);
  assert.equal(code, 0, err);
  assert.deepEqual(gym.asked.sort(), [0, 1, 2]);
  scratch.write("tasks.jsonl", `\ufeff${task(0)}\r\n\r\n\n{"n":\n`);
  assert.match((await collect(scratch, gym)).err, /tasks\.jsonl:4\b/);
});

Deno.test("U+2028, U+2029 and U+0085 as they are in inputs, answers and earlier rollouts: one row stays one row", async () => {
  const odd = "\u2028\u2029\u0085";
  await using scratch = new Scratch();
  await using gym = new Gym(({ n }) => ({ body: `{"reward":1,"n":${n},"text":"a${odd}b"}` }));
  scratch.write("tasks.jsonl", `${task(0, odd)}\n${task(1, odd)}\n`);
  assert.equal((await collect(scratch, gym)).code, 0);
  const rows = scratch.rows("r.jsonl");
  assert.deepEqual(rows.map(({ text }) => text), [`a${odd}b`, `a${odd}b`]);
  assert.ok(gym.seen.every(({ body }) => body.includes(odd)));
  const again = await collect(scratch, gym, "--resume");
  assert.equal(again.code, 0, again.err);
  assert.equal(JSON.parse(again.out).done_before, 2);
  assert.equal(gym.asked.length, 2);
});

Deno.test("NaN, Infinity and invalid UTF-8 in an answer are failures: never null, never 0", async () => {
  const bodies = [
    '{"reward":NaN}',
    '{"reward":Infinity}',
    '{"reward":-Infinity}',
    new Uint8Array([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]),
  ]; // deno-fmt-ignore
  await using scratch = new Scratch();
  await using gym = new Gym(({ n }) => n < bodies.length ? { body: bodies[n]! } : reward(1));
  scratch.tasks(5);
  const { code, out } = await collect(scratch, gym, "--route-failures-to-sidecar");
  assert.equal(code, 0);
  assert.deepEqual(scratch.rows("r.jsonl").map(({ _ng_task_index }) => _ng_task_index), [4]);
  const failures = scratch.rows("r_failures.jsonl");
  assert.equal(failures.length, 4);
  assert.ok(failures.every((row) => row._ng_failure_class === "agent_run_error" && !("reward" in row)));
  assert.equal(JSON.parse(out).unscored, 0);
});

Deno.test("invalid UTF-8 in an input line is an error that names the line and the byte", async () => {
  await using scratch = new Scratch();
  await using gym = new Gym();
  const bad = new TextEncoder().encode(`${task(0)}\n{"agent_ref":{"name":"?"}}\n`);
  bad[bad.indexOf(0x3f)] = 0xc3;
  Deno.writeFileSync(scratch.at("tasks.jsonl"), bad);
  const { code, err } = await collect(scratch, gym);
  assert.equal(code, 2);
  assert.match(err, /tasks\.jsonl:2\b.*UTF-8.*byte \d+/s);
  assert.equal(gym.seen.length, 0);
});

Deno.test("what the server sent is what the file holds: numbers, escapes, lone surrogates and keys that come twice", async () => {
  const body =
    '{"reward":1.0,"big":9007199254740993,"neg":-0.0,"exp":1e-07,"slash":"\\/","half":"\\ud83d","a":1,"a":2}';
  await using scratch = new Scratch();
  await using gym = new Gym(() => ({ body }));
  scratch.tasks(1);
  assert.equal((await collect(scratch, gym)).code, 0);
  assert.ok(Deno.readTextFileSync(scratch.at("r.jsonl")).startsWith(body.slice(0, -1)));
});

Deno.test("odd results are kept as sent and counted as unscored; JSON that is no object is a failed rollout", async () => {
  const bodies = [
    '{"response":"not an object","reward":1}',
    '{"reward":null}',
    '{"reward":"1"}',
    "{}",
    "[1]",
    "null",
    '"x"',
  ]; // deno-fmt-ignore
  await using scratch = new Scratch();
  await using gym = new Gym(({ n }) => ({ body: bodies[n]! }));
  scratch.tasks(bodies.length);
  const { code, out, err } = await collect(scratch, gym, "--route-failures-to-sidecar");
  assert.equal(code, 0, err);
  const text = Deno.readTextFileSync(scratch.at("r.jsonl"));
  for (const body of bodies.slice(0, 3)) assert.ok(text.includes(body.slice(0, -1)), body);
  assert.equal(scratch.rows("r.jsonl").length, 4);
  assert.equal(scratch.rows("r_failures.jsonl").length, 3);
  const summary = JSON.parse(out);
  assert.equal(summary.unscored, 3);
  assert.equal(summary.failed, 3);
});

Deno.test("an earlier output that ends in half a row, in a whole row without a newline, or with half a row in its middle is resumed", async () => {
  await using gym = new Gym(({ n }) => reward(n));
  await using scratch = new Scratch();
  scratch.tasks(3);
  assert.equal((await collect(scratch, gym, "-c", "1")).code, 0);
  const whole = Deno.readTextFileSync(scratch.at("r.jsonl")), [one, two, three] = whole.split("\n");
  const cases: readonly (readonly [text: string, before: number, says: RegExp])[] = [
    [`${one}\n${two}\n${three!.slice(0, 20)}`, 2, /cut off|dropped/],
    [`${one}\n${two}\n${three}`, 3, /^/],
    [`${one}\n${two!.slice(0, 20)}\n${three}\n`, 2, /moved to .*r_quarantine\.jsonl/],
  ];
  for (const [text, before, says] of cases) {
    Deno.writeTextFileSync(scratch.at("r.jsonl"), text);
    const { code, out, err } = await collect(scratch, gym, "--resume");
    assert.equal(code, 0, err);
    assert.equal(JSON.parse(out).done_before, before, err);
    assert.match(err, says);
    const tasks = scratch.rows("r.jsonl").map(({ _ng_task_index }) => _ng_task_index);
    assert.deepEqual(tasks.sort(), [0, 1, 2]);
  }
  assert.equal(Deno.readTextFileSync(scratch.at("r_quarantine.jsonl")), `${two!.slice(0, 20)}\n`);
});
