/** What a server does, and what is then in which file and in which count. */
import assert from "node:assert/strict";
import type { Scripted } from "../fakes/scripted_wire.ts";
import { begin, Gate, reward, type Row } from "./_run.ts";

const ROUTED = "+route_failures_to_sidecar=true";
const FAILURE = ["_ng_failure_class", "_ng_failure_type", "_ng_failure_http_status", "_ng_failure_delivery"];

function json(value: unknown): Scripted {
  return { body: JSON.stringify(value) };
}

for (
  const [what, does, row, counts] of [
    ["a result", reward(0.5), { reward: 0.5 }, {}],
    ["a result whose reward is a string", reward("1"), { reward: "1" }, { unscored: 1 }],
    ["a result whose reward is null", reward(null), { reward: null }, { unscored: 1 }],
    ["a result without a reward", json({ response: "x" }), { response: "x" }, { unscored: 1 }],
    ["an empty object", { body: "{}" }, {}, { unscored: 1 }],
    ["a result with status 201", { status: 201, body: '{"reward":1}' }, { reward: 1 }, {}],
    ["a null failure class", json({ reward: 1, _ng_failure_class: null }), {
      reward: 1,
      _ng_failure_class: null,
    }, {}],
    [
      "a no-persist that is not true",
      json({ reward: 1, _ng_no_persist: 1 }),
      { reward: 1, _ng_no_persist: 1 },
      {},
    ],
  ] as [string, Scripted, Row, Record<string, number>][]
) {
  Deno.test(`collect() writes ${what} to the rollouts, with the row's stamps`, async () => {
    using run = begin({ rows: "a", run: () => does });
    const { ending, error, tally } = await run.end();
    assert.deepEqual([ending, error], ["complete", null]);
    assert.deepEqual(run.rollouts, [{
      ...row,
      _ng_task_index: 0,
      _ng_rollout_index: 0,
      agent_ref: { name: "a" },
    }]);
    assert.deepEqual(run.failures, []);
    assert.deepEqual([tally.done, tally.failed, tally.unscored], [1, 0, counts.unscored ?? 0]);
  });
}

Deno.test("collect() writes what the server sent, byte for byte", async () => {
  const body = '{"b":1.0, "a": 12345678901234567890,\n"reward":1e-07,"ä":"\\ud83d\u2028"}';
  using run = begin({ rows: "a", run: () => ({ body }) });
  await run.end();
  assert.equal(
    run.files.text(run.paths.rollouts),
    '{"b":1.0, "a": 12345678901234567890, "reward":1e-07,"ä":"\\ud83d\u2028",' +
      '"_ng_task_index":0,"_ng_rollout_index":0,"agent_ref":{"name":"a"}}\n',
  );
});

for (
  const [what, does, want] of [
    ["a declared failure", json({ _ng_failure_class: "judge_failed", reward: 0 }), ["judge_failed"]],
    ["status 500", { status: 500, body: "oops" }, [
      "agent_run_error",
      "ClientResponseError",
      500,
      "delivered",
    ]],
    ["status 404", { status: 404 }, ["agent_run_error", "ClientResponseError", 404, "delivered"]],
    ["status 502", { status: 502 }, ["agent_request_failed", "ClientResponseError", 502, "delivered"]],
    ["status 504", { status: 504 }, ["agent_request_failed", "ClientResponseError", 504, "delivered"]],
    ["429 without Retry-After", { status: 429 }, [
      "agent_request_failed",
      "ClientResponseError",
      429,
      "delivered",
    ]],
    ["503 without Retry-After", { status: 503 }, [
      "agent_request_failed",
      "ClientResponseError",
      503,
      "delivered",
    ]],
    ["a redirect", { status: 302, headers: { location: "http://evil:1/run" } }, [
      "agent_run_error",
      "redirect",
      302,
      "delivered",
    ]],
    ["an HTML page", { body: "<html>" }, ["agent_run_error", "JSONDecodeError", 200, "delivered"]],
    ["nothing", { body: "" }, ["agent_run_error", "JSONDecodeError", 200, "delivered"]],
    ["NaN", { body: '{"reward":NaN}' }, ["agent_run_error", "JSONDecodeError", 200, "delivered"]],
    ["a thousand and more levels", { body: `{"a":${"[".repeat(1024)}${"]".repeat(1024)}}` }, [
      "agent_run_error",
      "JSONDecodeError",
      200,
      "delivered",
    ]],
    ["a list", { body: "[1]" }, ["agent_run_error", "not_an_object", 200, "delivered"]],
    ["null", { body: "null" }, ["agent_run_error", "not_an_object", 200, "delivered"]],
    ["half a body", { body: '{"rew', broken: "closed" }, [
      "agent_run_error",
      "ClientPayloadError",
      200,
      "delivered",
    ]],
    ["status 204", { status: 204 }, ["agent_run_error", "JSONDecodeError", 204, "delivered"]],
  ] as [string, Scripted, unknown[]][]
) {
  Deno.test(`collect() writes ${what} to the sidecar when failures are routed there`, async () => {
    using run = begin({ rows: "aa", words: [ROUTED], run: ({ row }) => row === 0 ? does : reward(1) });
    const { ending, error, tally } = await run.end();
    assert.deepEqual([ending, error], ["complete", null]);
    assert.equal(run.rollouts.length, 1);
    const [failure, ...others] = run.failures;
    assert.deepEqual(others, []);
    assert.deepEqual(
      FAILURE.map((name) => failure![name]),
      [...want, undefined, undefined, undefined].slice(0, 4),
    );
    assert.deepEqual([failure!._ng_task_index, failure!.agent_ref], [0, { name: "a" }]);
    assert.ok(!("response" in failure!));
    assert.deepEqual([tally.done, tally.failed, tally.failures], [1, 1, { [want[0] as string]: 1 }]);
    assert.ok(run.notes.some((note) => note.includes("0-0") && note.includes(want[0] as string)), "no note");
  });
}

Deno.test("collect() says in a line what a server declared failed, also when failures are not routed", async () => {
  using run = begin({
    rows: "aa",
    run: ({ row }) =>
      row === 0 ? json({ _ng_failure_class: "lost", _ng_failure_message: "no sandbox" }) : reward(1),
  });
  const { ending } = await run.end();
  assert.equal(ending, "complete");
  assert.equal(run.failures.length, 1);
  assert.deepEqual(run.notes, ["Rollout 0-0 failed: lost: no sandbox"]);
});

for (
  const [value, shown] of [
    [`{"toString":null}`, `{"toString":null}`],
    [`{"__proto__":{"toString":1}}`, `{"__proto__":{"toString":1}}`],
    ["[".repeat(1000) + "]".repeat(1000), `${"[".repeat(500)}…`],
    [`"${"x".repeat(1_000_000)}"`, `${"x".repeat(500)}…`],
    [`"two\\nlines\\u001b[2J"`, "two lines [2J"],
    ["false", "false"],
  ] as const
) {
  Deno.test(`collect() shows a failure's message that is ${value.slice(0, 30)} as far as there is room`, async () => {
    using run = begin({
      rows: "aa",
      run: ({ row }) =>
        row ? reward(1) : { body: `{"_ng_failure_class":"lost","_ng_failure_message":${value}}` },
    });
    const { ending, tally } = await run.end();
    assert.equal(ending, "complete");
    assert.deepEqual(run.notes, [`Rollout 0-0 failed: lost: ${shown}`]);
    assert.deepEqual(tally.failures, { lost: 1 });
  });
}

for (
  const value of [`{"toString":null}`, "[".repeat(1000) + "]".repeat(1000), `"${"x".repeat(1_000_000)}"`]
) {
  Deno.test(`collect() counts a failure class that is ${value.slice(0, 30)} under a short name`, async () => {
    using run = begin({
      rows: "aa",
      run: ({ row }) => row ? reward(1) : { body: `{"_ng_failure_class":${value}}` },
    });
    const { tally } = await run.end();
    assert.equal(tally.failed, 1);
    assert.ok(Object.keys(tally.failures)[0]!.length <= 201);
    assert.ok(run.files.text(run.paths.failures)!.includes(value), "the file has what the server sent");
  });
}

for (const extra of [{}, { _ng_failure_class: "killed" }]) {
  Deno.test(`collect() writes ${JSON.stringify(extra)} with _ng_no_persist nowhere`, async () => {
    using run = begin({
      rows: "aa",
      run: ({ row }) => row === 0 ? json({ _ng_no_persist: true, ...extra }) : reward(1),
    });
    const { ending, tally } = await run.end();
    assert.equal(ending, "complete");
    assert.deepEqual([run.rollouts.length, run.failures], [1, []]);
    assert.deepEqual([tally.notPersisted, tally.failed, tally.failures], [1, 0, {}]);
  });
}

Deno.test("collect() ends the run at the first failure, keeps what is done, and starts nothing new", async () => {
  const gate = new Gate();
  using run = begin({
    words: ["+num_samples_in_parallel=3"],
    run: async ({ row }) => {
      if (row === 2) return { status: 500, body: "the details" };
      if (row === 1) await gate.passed;
      return reward(1);
    },
  });
  await run.clock.pass(0);
  assert.match(run.tally().stopping ?? "", /error/);
  const asked = run.asked.length; // whatever was started before the failure came
  gate.open();
  const { ending, error, tally } = await run.end();
  assert.equal(run.asked.length, asked);
  assert.equal(ending, "failed");
  assert.match(error!, /Rollout 2-0 failed: .* answered 500: the details/);
  assert.match(error!, /--route-failures-to-sidecar/);
  assert.equal(run.failures.length, 0);
  assert.equal(run.rollouts.length, asked - 1);
  assert.equal(tally.failed, 1);
  assert.equal(tally.waiting, 10 - asked);
  assert.deepEqual(run.scored, [], "metrics of a failed run");
});

Deno.test("collect() does not take the place again that a failure makes free", async () => {
  using run = begin({ words: ["+num_samples_in_parallel=1"], run: () => ({ status: 500 }) });
  await run.end();
  assert.deepEqual(run.asked, [0]);
});

Deno.test("collect() gives in-flight rollouts the grace after a failure, then abandons them", async () => {
  using run = begin({
    rows: "aaa",
    words: ["+grace_s=5"],
    run: ({ row }) => row === 0 ? { status: 500 } : new Promise(() => {}),
  });
  await run.clock.pass(4999);
  assert.equal(run.tally().inFlight, 2);
  await run.clock.pass(1);
  const { ending, tally } = await run.end();
  assert.deepEqual([ending, tally.failed, tally.waiting], ["failed", 1, 2]);
});

Deno.test("collect() retries a rollout that may have been delivered, as a new attempt that is on record", async () => {
  using run = begin({ rows: "a", run: ({ before }) => before === 0 ? "hang up" : reward(1) });
  const { ending, tally } = await run.end();
  assert.equal(ending, "complete");
  const [failure] = run.failures;
  assert.deepEqual(FAILURE.map((name) => failure![name]), [
    "agent_request_failed",
    "connection_broken",
    null,
    "possibly_delivered",
  ]);
  assert.ok(!("_ng_attempt_index" in failure!));
  assert.deepEqual(run.wire.posts.slice(0, 2).map(({ body }) => JSON.parse(body)._ng_attempt_index), [
    undefined,
    1,
  ]);
  assert.equal(run.rollouts[0]!._ng_attempt_index, 1);
  assert.deepEqual([tally.attemptsAgain, tally.done, tally.failed], [1, 1, 0]);
  assert.deepEqual(tally.failures, { agent_request_failed: 1 });
});

Deno.test("collect() has the attempt on record before it sends the next one", async () => {
  const inSidecar: number[] = [];
  const run = begin({
    rows: "a",
    run: ({ before }) => {
      inSidecar.push(run.failures.length);
      return before < 2 ? "hang up" : reward(1);
    },
  });
  using _ = run;
  await run.end();
  assert.deepEqual(inSidecar, [0, 1, 2]);
  assert.deepEqual(run.failures.map((row) => row._ng_attempt_index), [undefined, 1]);
});

for (const routed of [true, false]) {
  Deno.test(`collect() fails a rollout at the attempts cap, ${routed ? "" : "not "}routed`, async () => {
    using run = begin({ rows: "a", words: routed ? [ROUTED] : [], run: () => "hang up" });
    const { ending, error, tally } = await run.end();
    assert.equal(run.asked.length, 3);
    assert.equal(run.failures.length, routed ? 3 : 2);
    assert.equal(ending, "failed"); // there is not one result
    assert.match(
      error!,
      routed ? /The only rollout has no result: 3 agent_request_failed/ : /Rollout 0-0 failed/,
    );
    assert.deepEqual([tally.attemptsAgain, tally.failed], [2, 1]);
    assert.deepEqual(tally.failures, { agent_request_failed: 3 });
  });
}

Deno.test("collect() counts attempts of earlier runs towards the cap, and stamps them", async () => {
  using run = begin({
    rows: "aa",
    words: [ROUTED],
    attempts: { 0: 2 },
    run: ({ row }) => row ? reward(1) : "hang up",
  });
  await run.end();
  assert.deepEqual(run.asked.filter((row) => row === 0).length, 1);
  assert.equal(run.failures[0]!._ng_attempt_index, 2);
});

Deno.test("collect() fails a rollout that takes longer than rollout_timeout_s, and only that", async () => {
  using run = begin({
    rows: "aaa",
    words: [ROUTED, "+rollout_timeout_s=2"],
    run: ({ row }) => row === 1 ? new Promise(() => {}) : reward(1),
  });
  await run.clock.pass(1999);
  assert.equal(run.rollouts.length, 2, "the others do not wait for it");
  assert.equal(run.tally().inFlight, 1);
  await run.clock.pass(1);
  const { ending } = await run.end();
  assert.equal(ending, "complete");
  assert.deepEqual(FAILURE.map((name) => run.failures[0]![name]), [
    "agent_timeout",
    "TimeoutError",
    null,
    "possibly_delivered",
  ]);
  assert.equal(run.asked.length, 3, "a timeout is not run again");
});

Deno.test("collect() leaves no timer of a rollout that is over in time", async () => {
  using run = begin({ words: ["+rollout_timeout_s=3600"] });
  const { ending } = await run.end(10);
  assert.equal(ending, "complete"); // end() looks for timers
});

Deno.test("collect() sends each row as it stands in the materialized inputs, however large they are", async () => {
  // Several times the window that is read ahead, with all in flight at once.
  using run = begin({
    rows: "a".repeat(12),
    keys: (row) => ({ big: `${row}`.repeat(60_000), x: [1.5, "ä"] }),
  });
  await run.end();
  const bodies = run.wire.posts.filter(({ path }) => path === "/run").map(({ body }) => `${body}\n`);
  assert.ok(bodies.join("") === run.files.text(run.paths.inputs));
});

const TASK = { taskset: "t", task_id: 1 };
const EPISODES = { keys: () => ({ task_id: TASK, task_input: { x: 1 } }), rows: "aaa" };

Deno.test("collect() puts a task row to its server as an episode and unpacks the answer", async () => {
  using run = begin({
    ...EPISODES,
    run: ({ body }) => json({ episode_id: body.episode_id, task_id: TASK, result: { reward: 1 } }),
  });
  const { ending } = await run.end();
  assert.equal(ending, "complete");
  assert.deepEqual(
    run.rollouts.map(({ reward, _ng_task_id }) => [reward, _ng_task_id]),
    Array(3).fill([1, TASK]),
  );
});

Deno.test("collect() takes an episode's answer about another task for a failure, and names the task by its own id", async () => {
  using run = begin({
    ...EPISODES,
    words: [ROUTED],
    run: ({ row }) =>
      json({ episode_id: {}, task_id: row ? TASK : { ...TASK, task_id: 2 }, result: { reward: 1 } }),
  });
  const { ending, tally } = await run.end();
  assert.deepEqual([ending, tally.done, tally.failures], ["complete", 2, { agent_run_error: 1 }]);
  assert.equal(run.failures[0]!._ng_failure_kind, "other_task");
  assert.deepEqual(run.notes, [
    'Rollout 0-0 (t/1) failed: agent_run_error: The answer of http://a:1/run is about task {"taskset":"t",' +
    '"task_id":2}, not {"taskset":"t","task_id":1}',
  ]);
});

Deno.test("collect() ends the run for an answer that shows another protocol, whatever is routed", async () => {
  using run = begin({
    ...EPISODES,
    words: [ROUTED, "+num_samples_in_parallel=1"],
    run: () => json({ episode_id: {}, task_id: TASK, result: { _ng_task_index: 7 } }),
  });
  const { ending, error, tally } = await run.end();
  assert.equal(ending, "failed");
  assert.match(error!, /rollout 0-0 \(t\/1\).*_ng_task_index/);
  assert.deepEqual([run.asked, tally.waiting, run.rollouts, run.failures], [[0], 3, [], []]);
});

Deno.test("collect() shows twenty messages of a kind and says where the others are", async () => {
  using run = begin({
    rows: "a".repeat(50),
    words: [ROUTED],
    run: ({ row }) => row ? { status: 500 } : reward(1),
  });
  await run.end();
  assert.equal(run.failures.length, 49);
  assert.equal(run.notes.length, 21);
  assert.ok(run.notes.at(-1)!.includes(run.paths.failures));
});

Deno.test("collect() calls it a failure when nothing at all came of the run", async () => {
  using run = begin({ rows: "aa", words: [ROUTED], run: ({ row }) => ({ status: row ? 500 : 502 }) });
  const { ending, error } = await run.end();
  assert.equal(ending, "failed");
  assert.match(error!, /None of 2 rollouts has a result: .*1 agent_run_error/);
  assert.match(error!, /1 agent_request_failed/);
  assert.ok(error!.includes(run.paths.failures));
});

Deno.test("collect() calls it a failure under require_complete when one is missing", async () => {
  using run = begin({
    rows: "aa",
    words: [ROUTED, "+require_complete=true"],
    run: ({ row }) => row ? { status: 500 } : reward(1),
  });
  const { ending, error } = await run.end();
  assert.equal(ending, "failed");
  assert.match(error!, /1 of 2 rollouts is missing/);
});

Deno.test("collect() is complete when there is nothing to do, and names no file that holds nothing", async () => {
  using run = begin({ rows: "" });
  const { ending, error, files } = await run.end();
  assert.deepEqual([ending, error], ["complete", null]);
  assert.deepEqual(files, {});
});
