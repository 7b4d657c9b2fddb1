/** What the files of finished runs say of their tasks. */
import assert from "node:assert/strict";
import { Results } from "../../src/results/results.ts";
import { meanOf, type TaskResults } from "../../src/results/task_results.ts";
import { MemoryFiles } from "../fakes/memory_files.ts";

type Row = Record<string, unknown>;

/** A run's files: results, failed attempts, planned rows. */
interface Run {
  readonly results?: readonly Row[];
  readonly failures?: readonly Row[];
  readonly inputs?: readonly Row[];
}

const lines = (rows: readonly Row[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

async function tasksOf(runs: readonly Run[], by?: string) {
  const files = new MemoryFiles();
  const shards = runs.map(({ results = [], failures, inputs }, k) => {
    const paths = { rollouts: `/${k}.jsonl`, failures: `/${k}_f.jsonl`, inputs: `/${k}_i.jsonl` };
    files.put(paths.rollouts, lines(results));
    if (failures) files.put(paths.failures, lines(failures));
    if (inputs) files.put(paths.inputs, lines(inputs));
    return paths;
  });
  const results = await Results.read(shards, { files, index: "/index", breathe: () => Promise.resolve() });
  const tasks: TaskResults[] = [];
  for await (const task of results.tasks(by)) tasks.push(task);
  const { leftOut } = results;
  results.close();
  assert.equal(files.open, 0);
  return { tasks, leftOut };
}

const at = (task: number, rollout: number, more: Row = {}): Row => ({
  _ng_task_index: task,
  _ng_rollout_index: rollout,
  ...more,
});
const ask = (task: number, rollout: number, text: string, more: Row = {}) =>
  at(task, rollout, { responses_create_params: { input: text }, agent_ref: { name: "a" }, ...more });

Deno.test("rewards come in the order of the rollouts, whatever the order of the lines", async () => {
  const { tasks } = await tasksOf([{
    results: [
      at(1, 0, { reward: 5 }),
      at(0, 2, { reward: 3 }),
      at(0, 0, { reward: 1 }),
      at(0, 1, { reward: true }),
    ],
  }]);
  assert.deepEqual(tasks.map(({ task, rewards }) => [task, rewards]), [[0, [1, 1, 3]], [1, [5]]]);
});

Deno.test("what has no reward is counted by why, and is never 0", async () => {
  const { tasks: [task] } = await tasksOf([{
    results: [
      at(0, 0, { reward: 0.5 }),
      at(0, 1, { reward: null }),
      at(0, 2),
      at(0, 3, { reward: "1" }),
      at(0, 4, { reward: 1, mask_sample: true }),
    ],
    failures: [at(0, 5), at(0, 5), at(0, 0)],
    inputs: [0, 1, 2, 3, 4, 5, 6].map((k) => ask(0, k, "x")),
  }]);
  assert.deepEqual(task!.rewards, [0.5]);
  assert.deepEqual(task!.outcomes, {
    planned: 7,
    measured: 1,
    masked: 1,
    unscored: 3,
    failed: 1,
    missing: 1,
  });
  assert.deepEqual(task!.attempts, { failed: 3, untold: 3 });
});

Deno.test("a number beyond a double is no reward", async () => {
  const files = new MemoryFiles({
    "/0.jsonl": `{"_ng_task_index":0,"_ng_rollout_index":0,"reward":1e999}\n`,
  });
  const paths = { rollouts: "/0.jsonl", failures: "/f", inputs: "/i" };
  const results = await Results.read([paths], { files, index: "/index", breathe: () => Promise.resolve() });
  for await (const task of results.tasks()) assert.equal(task.outcomes.unscored, 1);
  results.close();
});

Deno.test("a second result of a rollout, and one that was not planned, are left out and counted", async () => {
  const { tasks, leftOut } = await tasksOf([{
    results: [at(0, 0, { reward: 1 }), at(0, 0, { reward: 0 }), at(7, 0, { reward: 0 })],
    inputs: [ask(0, 0, "x")],
  }]);
  assert.deepEqual(tasks.map(({ rewards }) => rewards), [[1]]);
  assert.deepEqual(leftOut, { duplicates: 1, unplanned: 1 });
});

Deno.test("a task has its dataset's id, the hash of its row, and the field that is asked for", async () => {
  const row = (more: Row) =>
    ask(0, 0, "x", { id: "gsm8k-1", meta: { subject: "algebra", level: 3 }, ...more });
  const one = await tasksOf([{ inputs: [row({})] }], "meta.subject");
  assert.deepEqual([one.tasks[0]!.id, one.tasks[0]!.by], ["gsm8k-1", "algebra"]);
  assert.match(one.tasks[0]!.row!, /^[0-9a-f]{32}$/);
  const level = await tasksOf([{ inputs: [row({})] }], "meta.level");
  assert.equal(level.tasks[0]!.by, "3");
  const none = await tasksOf([{ inputs: [row({})] }], "meta.nothing");
  assert.equal(none.tasks[0]!.by, null);
});

Deno.test("how a run asks does not make another task; what it asks does", async () => {
  const hash = async (more: Row) =>
    (await tasksOf([{ inputs: [{ ...ask(0, 0, "x"), ...more }] }])).tasks[0]!.row;
  const plain = await hash({});
  const params = { input: "x", temperature: 1, metadata: { extra_body: '{"seed": 3}' }, model: "m" };
  const same: Row[] = [
    { responses_create_params: params },
    { agent_ref: { name: "b" } },
    { skills_ref: { name: "s" } },
    { _ng_task_index: 4, _ng_rollout_index: 2, _ng_environment_server: "e" },
  ];
  for (const more of same) assert.equal(await hash(more), plain);
  const other: Row[] = [{ responses_create_params: { input: "y" } }, { expected: 1 }];
  for (const more of other) assert.notEqual(await hash(more), plain);
});

Deno.test("files about the same task add repeats; the same number with another row is another task", async () => {
  const run = (text: string, reward: number): Run => ({
    results: [at(0, 0, { reward, agent_ref: { name: "a" } })],
    inputs: [ask(0, 0, text)],
  });
  const { tasks } = await tasksOf([run("x", 1), run("y", 2), run("x", 3)]);
  assert.deepEqual(tasks.map(({ rewards }) => rewards), [[1, 3], [2]]);
});

Deno.test("agents are apart; a line that names none is its input row's", async () => {
  const { tasks } = await tasksOf([{
    results: [at(0, 0, { reward: 1, agent_ref: { name: "b" } }), at(0, 1, { reward: 2 })],
    inputs: [ask(0, 0, "x", { agent_ref: { name: "b" } }), ask(0, 1, "x"), ask(0, 2, "x")],
  }]);
  assert.deepEqual(tasks.map(({ agent, outcomes }) => [agent, outcomes.planned]), [["a", 2], ["b", 1]]);
});

Deno.test("tokens, time and truncation are those of the response, else those that were observed", async () => {
  const usage = (input: number, output: number) => ({ input_tokens: input, output_tokens: output });
  const { tasks: [task] } = await tasksOf([{
    results: [
      at(0, 0, { response: { model: "m", usage: usage(10, 5), metadata: { elapsed_seconds: "2.5" } } }),
      at(0, 1, {
        response: { model: "m", usage: usage(1, 1), incomplete_details: { reason: "max_output_tokens" } },
      }),
      at(0, 2, { response: { model: "n" }, ng_perf: { prompt_tokens: 7, total_latency_ms: 1500 } }),
      at(0, 3, { response: { usage: null, status: "incomplete" }, elapsed_seconds: 4 }),
      at(0, 4, { response: { incomplete_details: { reason: "content_filter" }, status: "incomplete" } }),
    ],
    failures: [at(0, 9, { response: { model: "m", usage: usage(100, 0) } }), at(0, 9)],
  }]);
  assert.deepEqual(task!.tokens, [
    { model: "m", input: 11, output: 6 },
    { model: null, input: 7, output: 0 },
  ]);
  assert.equal(task!.untold, 2);
  assert.deepEqual(task!.failedTokens, [{ model: "m", input: 100, output: 0 }]);
  assert.deepEqual(task!.attempts, { failed: 2, untold: 1 });
  assert.deepEqual(task!.durations, [2.5, 1.5, 4]);
  assert.equal(task!.truncated, 2);
});

Deno.test("every numeric member of a result is a metric, and so is the usage", async () => {
  const { tasks: [task] } = await tasksOf([{
    results: [
      at(0, 0, { reward: 1, turns: 3, ok: true, name: "x", response: { usage: { output_tokens: 9 } } }),
    ],
  }]);
  assert.deepEqual(Object.fromEntries(task!.metrics), {
    reward: [1],
    turns: [3],
    ok: [1],
    output_tokens: [9],
  });
});

Deno.test("values of any kind, size and depth are read past", async () => {
  const deep = JSON.parse("[".repeat(5000) + "]".repeat(5000));
  const odd = [null, 3, "x", [], {}, deep, "y".repeat(100_000)];
  const { tasks } = await tasksOf([{
    results: odd.map((value, k) =>
      at(k, 0, { response: value, ng_perf: value, elapsed_seconds: value, mask_sample: value, extra: value })
    ),
    inputs: odd.map((value, k) =>
      at(k, 0, { id: value, responses_create_params: value, f: value, agent_ref: value })
    ),
  }], "f");
  assert.equal(tasks.length, odd.length);
});

Deno.test("the mean of equal values is that value", () => {
  assert.equal(meanOf([0.1, 0.1, 0.1]), 0.1);
  assert.equal(meanOf([1e308, 1e308, 1e308]), 1e308);
  assert.equal(meanOf([]), undefined);
});
