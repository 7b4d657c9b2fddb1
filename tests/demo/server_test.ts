import assert from "node:assert/strict";
import { parse } from "yaml";
import { Topology } from "../../src/config/topology.ts";
import { fateOf } from "../../src/demo/fate.ts";
import { demoHandler } from "../../src/demo/server.ts";
import { demoTasks } from "../../src/demo/tasks.ts";

const DICE = 0.25, SEED = 2 ** 30, BASE = "http://127.0.0.1:8123";
const SKILL = { "+": 0.97, "-": 0.9, "×": 0.7 };

const tasks = demoTasks(500).trimEnd().split("\n").map((line) => JSON.parse(line));
const signOf = (task: number) => (["+", "-", "×"] as const)[task % 3]!;

/** The first task whose first attempt ends so. */
function taskThat(kind: string, right?: boolean): number {
  const task = tasks.findIndex((_, i) => {
    const fate = fateOf(SEED, { task: i, rollout: 0, attempt: 0 }, SKILL[signOf(i)]);
    return fate.kind === kind && (right === undefined || fate.right === right);
  });
  assert.ok(task >= 0, `some task must end ${kind}`);
  return task;
}

function demo(base = BASE) {
  const delays: number[] = [];
  const handle = demoHandler({
    base: () => base,
    dice: () => DICE,
    delay: (ms) => Promise.resolve(void delays.push(ms)),
  });
  const get = (path: string) => handle(new Request(BASE + path));
  const post = (path: string, body: unknown) =>
    handle(
      new Request(BASE + path, {
        method: "POST",
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    );
  const run = (task: number, more = {}) =>
    post("/run", { ...tasks[task], _ng_task_index: task, _ng_rollout_index: 0, ...more });
  return { delays, handle, get, post, run };
}

Deno.test("demoHandler() answers on every liveness path", async () => {
  for (const path of ["/", "/health", "/healthz", "/livez", "/readyz"]) {
    assert.equal((await demo().get(path)).status, 200);
  }
});

for (const base of [BASE, "http://[::1]:8123"]) {
  Deno.test(`demoHandler() at ${base} has a configuration that leads rows to it`, async () => {
    const answer = await demo(base).get("/global_config_dict_yaml");
    const config = parse(JSON.parse(await answer.text()));
    const topology = new Topology(config, {}, () => undefined);
    const { server, url } = topology.routeOf("demo_agent");
    assert.deepEqual([server, url], ["demo_environment", base]);
    assert.equal(topology.urlOf("demo_agent"), base);
    assert.equal(topology.urlOf("demo_arithmetic"), base);
  });
}

Deno.test("demoHandler() reads its address when the configuration is requested", async () => {
  let port = 1;
  const handle = demoHandler({
    base: () => `http://127.0.0.1:${port}`,
    dice: () => DICE,
    delay: () => Promise.resolve(),
  });
  port = 9;
  const answer = await handle(new Request(`${BASE}/global_config_dict_yaml`));
  assert.equal(parse(await answer.json()).head_server.port, 9);
});

for (const [right, reward] of [[true, "1.0"], [false, "0.0"]] as const) {
  Deno.test(`POST /run that is ${right ? "right" : "wrong"} has the reward ${reward}, written so`, async () => {
    const { run, delays } = demo();
    const task = taskThat("answer", right);
    const answer = await run(task);
    const text = await answer.text();
    assert.equal(answer.status, 200);
    assert.ok(text.startsWith(`{"reward":${reward},`));
    const result = JSON.parse(text);
    assert.equal(result.extracted_answer === tasks[task].expected_answer, right);
    assert.ok(result.response.output[0].content[0].text.endsWith(`= ${result.extracted_answer}`));
    assert.ok(result.response.usage.total_tokens > 0);
    assert.deepEqual(result.responses_create_params, tasks[task].responses_create_params);
    assert.equal(delays.length, 1);
  });
}

Deno.test("POST /run sometimes fails, also after its delay", async () => {
  const { run, delays } = demo();
  const answer = await run(taskThat("broken"));
  assert.equal(answer.status, 500);
  assert.equal(delays.length, 1);
});

Deno.test("POST /run sometimes declares a failure", async () => {
  const answer = await demo().run(taskThat("sandbox_lost"));
  assert.equal(answer.status, 200);
  const { _ng_failure_class, _ng_failure_message } = await answer.json();
  assert.equal(_ng_failure_class, "sandbox_lost");
  assert.match(_ng_failure_message, /sandbox/);
});

Deno.test("POST /run answers the same attempt alike in any order, and another attempt differently", async () => {
  const task = taskThat("broken");
  const texts = async (order: number[]) => {
    const { run } = demo();
    const answers = new Map<number, string>();
    for (const i of order) answers.set(i, await (await run(i)).text());
    return [...answers].sort(([a], [b]) => a - b);
  };
  assert.deepEqual(await texts([0, 1, 2, 3, task]), await texts([task, 3, 2, 1, 0, 3]));
  const again = [1, 2, 3].map((_ng_attempt_index) => demo().run(task, { _ng_attempt_index }));
  assert.ok((await Promise.all(again)).some(({ status }) => status === 200));
});

Deno.test("POST /run is mostly right over many tasks", async () => {
  const { run } = demo();
  let right = 0;
  for (let task = 0; task < tasks.length; task++) {
    if ((await (await run(task)).text()).startsWith('{"reward":1.0')) right++;
  }
  assert.ok(right > 0.75 * tasks.length && right < 0.92 * tasks.length, String(right));
});

Deno.test("POST /run without a sum, or without stamps, is answered with the reward 0.0", async () => {
  const text = await (await demo().post("/run", { responses_create_params: { input: "Who are you?" } }))
    .text();
  assert.ok(text.startsWith('{"reward":0.0,'), text);
});

Deno.test("POST /aggregate_metrics answers with metrics of the rows that have a reward", async () => {
  const row = (task: number, reward: unknown) => ({ _ng_task_index: task, _ng_rollout_index: 0, reward });
  const answer = await demo().post("/aggregate_metrics", {
    verify_responses: [row(0, 1), row(1, 0), row(2, "1"), row(3, null), {}],
  });
  const { key_metrics, group_level_metrics } = await answer.json();
  assert.deepEqual(key_metrics, { "mean/reward": 0.5, "pass@1": 0.5 });
  assert.equal(group_level_metrics.length, 2);
});

for (
  const [name, path, init, status] of [
    ["an unknown path", "/nowhere", {}, 404],
    ["a name that every object has", "/constructor", {}, 404],
    ["GET /run", "/run", {}, 405],
    ["POST /health", "/health", { method: "POST", body: "{}" }, 405],
    ["a body that is not JSON", "/run", { method: "POST", body: "{" }, 422],
    ["a body that is not an object", "/run", { method: "POST", body: "[1]" }, 422],
    ["no body", "/aggregate_metrics", { method: "POST" }, 422],
  ] as const
) {
  Deno.test(`demoHandler() answers ${name} with ${status}`, async () => {
    const answer = await demo().handle(new Request(BASE + path, init));
    assert.equal(answer.status, status);
    assert.equal(typeof (await answer.json()).detail, "string");
  });
}
