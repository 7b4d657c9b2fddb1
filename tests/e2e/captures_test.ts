/** Observability on: what model servers captured becomes part of results, and the folder is not trusted. */
import assert from "node:assert/strict";
import { Gate, Gym, reward, rollcall, Scratch, start } from "./_rollcall.ts";

const GO = ["collect", "-i", "tasks.jsonl", "-o", "out/r.jsonl"];

/** Words that switch observability on, with the folder `captures`. */
const on = (scratch: Scratch) => [
  "--observability-enabled",
  ...["--model-call-capture-dir", scratch.at("captures")],
];

/** One record as a model server appends it. */
function call(id: string, prompt = "q"): string {
  return `${
    JSON.stringify({
      model_call_id: id,
      dialect: "chat",
      request: { messages: [{ role: "user", content: prompt }] },
      response: { id: `r-${id}`, usage: { prompt_tokens: 2, completion_tokens: 1 } },
    })
  }\n`;
}

/** Appends to a capture, as a model server does during a rollout. */
function capture(scratch: Scratch, name: string, text: string): void {
  Deno.mkdirSync(scratch.at("captures"), { recursive: true });
  Deno.writeTextFileSync(scratch.at(`captures/${name}`), text, { append: true });
}

/** The calls and the gaps of a row. */
function seen(row: Record<string, unknown> | undefined): unknown {
  const { calls, gaps } = row!.ng_model_call_capture as {
    calls: { model_call_id: string }[];
    gaps?: { code: string; detail?: string }[];
  };
  return [calls.map((call) => call.model_call_id), gaps?.map(({ code, detail }) => [code, detail])];
}

Deno.test("captures of earlier runs are removed, links are not followed, and each result gets its own calls", async () => {
  await using scratch = new Scratch();
  const secret = scratch.at("secret.jsonl");
  Deno.writeTextFileSync(secret, call("secret"));
  await using gym = new Gym(({ n }) => {
    if (n === 0) capture(scratch, "0-0.capture.jsonl", call("new") + '{"half');
    if (n === 1) Deno.symlinkSync(secret, scratch.at("captures/1-0.capture.jsonl"));
    if (n === 2) capture(scratch, "2-0.capture.incomplete", "");
    return reward(1);
  });
  scratch.tasks(4);
  const others = ["9-0.capture.jsonl", "notes.txt", "0-0-a7.capture.jsonl"];
  for (const name of ["0-0.capture.jsonl", "0-0-a1.capture.jsonl", "3-0.capture.incomplete", ...others]) {
    capture(scratch, name, call("old"));
  }
  Deno.symlinkSync(secret, scratch.at("captures/2-0.capture.jsonl"));

  const { code, err } = await rollcall([...GO, ...gym.flag, ...on(scratch)], { cwd: scratch.path });
  assert.equal(code, 0, err);
  const rows = scratch.rows("out/r.jsonl").sort((a, b) =>
    Number(a._ng_task_index) - Number(b._ng_task_index)
  );
  assert.deepEqual(rows.map(seen), [
    [["new"], [["model_call_capture_records_unreadable", "count=1"]]],
    [[], [["model_call_capture_unreadable", "it is a link, which is not followed"]]],
    [[], [["model_call_capture_incomplete", undefined]]],
    [[], [["model_call_capture_no_records", undefined]]],
  ]);
  assert.equal(Deno.readTextFileSync(secret), call("secret"));
  const left = [...Deno.readDirSync(scratch.at("captures"))].map(({ name }) => name).sort();
  assert.deepEqual(
    left,
    ["0-0.capture.jsonl", "1-0.capture.jsonl", "2-0.capture.incomplete", ...others].sort(),
  );
});

Deno.test("rollouts that share a name share a capture, and a warning says so; the head's configuration counts", async () => {
  await using scratch = new Scratch();
  let n = 0;
  await using gym = new Gym(() => {
    capture(scratch, "x.capture.jsonl", call(String(n++)));
    return reward(1);
  });
  const folder = scratch.at("captures");
  gym.head = () => ({
    body: JSON.stringify(`${gym.yaml}observability_enabled: true\nmodel_call_capture_dir: ${folder}\n`),
  });
  const task = { _ng_rollout_id: "x", agent_ref: { name: "a" }, responses_create_params: { input: "q" } };
  scratch.write("tasks.jsonl", `${JSON.stringify(task)}\n`);
  const args = [...GO, "--head", `127.0.0.1:${gym.port}`, "-n", "2", "-c", "1"];
  const { code, err } = await rollcall(args, { cwd: scratch.path });
  assert.equal(code, 0, err);
  assert.match(err, /2 rollouts share their _ng_rollout_id with another repeat of their row/);
  assert.deepEqual(scratch.rows("out/r.jsonl").map(seen), [[["0"], undefined], [["0", "1"], undefined]]);
});

Deno.test("observability without a folder, or with a relative one, is refused before anything is sent or touched", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(1);
  capture(scratch, "0-0.capture.jsonl", call("old"));
  scratch.write("out/r.jsonl", '{"earlier":1}\n');
  const before = scratch.snapshot();
  for (
    const [words, message] of [
      [["--observability-enabled"], /observability_enabled needs model_call_capture_dir/],
      [
        ["--observability-enabled", "--model-call-capture-dir", "captures"],
        /must be an absolute path, got "captures"/,
      ],
    ] as const
  ) {
    const { code, err } = await rollcall([...GO, ...gym.flag, ...words], { cwd: scratch.path });
    assert.notEqual(code, 0);
    assert.match(err, message);
    assert.deepEqual(scratch.snapshot(), before);
  }
  assert.deepEqual(gym.asked, []);
});

Deno.test("a run that is killed and resumed keeps the calls of what was done, and none of what was not", async () => {
  await using scratch = new Scratch();
  const gate = new Gate(), reached = Promise.withResolvers<void>();
  let isResumed = false;
  await using gym = new Gym(async ({ n }) => {
    capture(scratch, `${n}-0.capture.jsonl`, call(isResumed ? "second" : "first"));
    if (n === 1 && !isResumed) {
      reached.resolve();
      await gate.passed;
    }
    return reward(1);
  });
  scratch.tasks(2);
  const args = [...GO, ...gym.flag, ...on(scratch), "-c", "1"];
  {
    await using killed = start(args, { cwd: scratch.path });
    await killed.until(reached.promise);
    killed.kill("SIGKILL");
    await killed.ends();
  }
  gate.open();
  isResumed = true;
  const { code, err } = await rollcall([...args, "--resume"], { cwd: scratch.path });
  assert.equal(code, 0, err);
  assert.deepEqual(scratch.rows("out/r.jsonl").map(seen), [[["first"], undefined], [["second"], undefined]]);
  assert.equal(Deno.readTextFileSync(scratch.at("captures/0-0.capture.jsonl")), call("first"));
});

Deno.test("a capture of 200 MB passes through, in memory that is a small multiple of it", async () => {
  await using scratch = new Scratch();
  const MB = 1 << 20, prompt = "x".repeat(MB);
  let peakKb = 0;
  await using gym = new Gym(() => {
    for (let n = 0; n < 200; n++) capture(scratch, "0-0.capture.jsonl", call(String(n), prompt));
    return reward(1);
  });
  scratch.tasks(1);
  await using running = start([...GO, ...gym.flag, ...on(scratch)], { cwd: scratch.path });
  gym.aggregate = () => {
    const { pid } = running.child;
    const { stdout } = new Deno.Command("grep", { args: ["VmHWM", `/proc/${pid}/status`] }).outputSync();
    peakKb = Number(/\d+/.exec(new TextDecoder().decode(stdout))![0]);
    return { body: "{}" };
  };
  const { code, err } = await running.ends();
  assert.equal(code, 0, err);
  assert.ok(Deno.statSync(scratch.at("out/r.jsonl")).size > 200 * MB);
  assert.ok(peakKb > 0 && peakKb < MB, `${Math.round(peakKb / 1024)} MB at the most`);
});

Deno.test("a result that tells of calls and is nested as deep as one may be does not end a run", async () => {
  await using scratch = new Scratch();
  const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  // The result, its capture and the list of calls are three levels.
  const body = `{"reward":1,"ng_model_call_capture":{"calls":[${deep(1021)}]}}`;
  await using gym = new Gym(({ n }) => n === 1 ? { body } : reward(1));
  scratch.tasks(3);
  const { code, err } = await rollcall([...GO, ...gym.flag], { cwd: scratch.path });
  assert.equal(code, 0, err);
  const row = scratch.rows("out/r.jsonl").find(({ _ng_task_index }) => _ng_task_index === 1);
  const { gaps } = row!.ng_trajectory as { gaps: { code: string }[] };
  assert.equal(gaps[0]!.code, "model_calls_unavailable");
});
