import assert from "node:assert/strict";
import { Exporter } from "../../src/export/exporter.ts";
import type { FromExporter } from "../../src/export/messages.ts";
import { FakeMlflow } from "../fakes/fake_mlflow.ts";
import { ManualClock, settled } from "../fakes/manual_clock.ts";
import { MemoryFiles } from "../fakes/memory_files.ts";

const METRICS = JSON.stringify([{
  agent_ref: { name: "a" },
  agent_metrics: { "mean/reward": 0.5 },
  key_metrics: {},
}]);
const PLAN = {
  uri: "http://m",
  token: null,
  names: { experiment: "e", run: "r", id: "i" },
  startedAt: 1,
  config: { limit: 5, servers: { a: "http://a" } },
  rollouts: "/r.jsonl",
  metrics: "/m.json",
  again: "rollcall export mlflow /r.jsonl",
};
const END = {
  kind: "end",
  at: 9,
  status: "FINISHED",
  coverage: { "coverage/scored": 2 },
  hasMetrics: true,
} as const;
const step = (n: number) =>
  ({ kind: "step", at: n, step: { step: n, metrics: { "progress/x": n } } }) as const;

function begin(mlflow = new FakeMlflow()) {
  const clock = new ManualClock(), said: FromExporter[] = [], files = new MemoryFiles();
  files.put("/r.jsonl", '{"reward":1}\n{"reward":0,"ng_trajectory":{}}\n');
  files.put("/m.json", METRICS);
  const exporter = new Exporter(PLAN, {
    tracking: mlflow,
    clock,
    files,
    say: (message) => said.push(message),
  });
  return { mlflow, clock, said, exporter, over: exporter.run() };
}

const warnings = (said: readonly FromExporter[]) =>
  said.flatMap((one) => one.kind === "warning" ? [one.text] : []);

Deno.test("an exporter sends configuration, steps, rollouts, metrics and the end, in this order", async () => {
  const { mlflow, exporter, said, over } = begin();
  exporter.tell(step(1));
  exporter.tell(step(2));
  exporter.tell(END);
  await over;
  const [run] = mlflow.runs;
  assert.deepEqual(run!.metrics.map(({ key, value, step }) => [key, value, step]), [
    ["progress/x", 1, 1],
    ["progress/x", 2, 2],
    ["a/mean/reward", 0.5, 0],
    ["coverage/scored", 2, 0],
  ]);
  assert.deepEqual([run!.status, run!.params.get("limit")], ["FINISHED", "5"]);
  const at = "/api/2.0/mlflow-artifacts/artifacts/1/run0/artifacts";
  assert.deepEqual(JSON.parse(mlflow.artifacts.get(`${at}/global_config.json`)!), PLAN.config);
  assert.deepEqual(JSON.parse(mlflow.artifacts.get(`${at}/rollouts.json`)!).data, [['{"reward":1}'], [
    '{"reward":0}',
  ]]);
  assert.deepEqual(said, [{ kind: "ended", page: "http://m/#/experiments/1/runs/run0" }]);
});

Deno.test("a server that is away for a while gets everything when it is back, and one warning is all there is", async () => {
  const { mlflow, clock, exporter, said, over } = begin();
  await settled();
  mlflow.away = "connection refused";
  exporter.tell(step(1));
  exporter.tell(step(2));
  for (let passed = 0; passed < 120_000; passed += 1000) {
    await settled();
    clock.advance(1000);
  }
  assert.deepEqual(warnings(said), ["MLflow at http://m does not answer: connection refused. Trying again."]);
  mlflow.away = undefined;
  exporter.tell(END);
  await over;
  assert.equal(mlflow.runs[0]!.metrics.length, 4);
  assert.equal(warnings(said).length, 1);
});

Deno.test("a server that never answers is given up a while after the run is over, and how to export later is said", async () => {
  const mlflow = new FakeMlflow();
  mlflow.away = "connection refused";
  const { clock, exporter, said, over } = begin(mlflow);
  exporter.tell(step(1));
  await settled();
  exporter.tell(END);
  for (let passed = 0; passed < 20_000; passed += 500) {
    await settled();
    clock.advance(500);
  }
  await over;
  assert.deepEqual(said.at(-1), { kind: "ended", page: null });
  assert.match(
    warnings(said)[1]!,
    /does not have this run, or not all of it: connection refused\..*rollcall export mlflow \/r\.jsonl/,
  );
});

Deno.test("what the server refuses for good is not tried again, and whoever tells is never kept waiting", async () => {
  const mlflow = new FakeMlflow();
  mlflow.call = () => Promise.resolve({ status: 403, text: '{"message":"no such user"}' });
  const { exporter, said, over } = begin(mlflow);
  for (let n = 0; n < 1000; n++) exporter.tell(step(n));
  await over;
  assert.match(warnings(said)[0]!, /HTTP 403, no such user/);
});

Deno.test("of more steps than wait at most, the oldest are dropped, and how many is said", async () => {
  const { mlflow, exporter, said, over } = begin();
  for (let n = 0; n < 300; n++) exporter.tell(step(n));
  exporter.tell(END);
  await over;
  assert.equal(mlflow.runs[0]!.metrics.filter(({ key }) => key === "progress/x").length, 200);
  assert.match(warnings(said)[0]!, /100 steps of progress/);
});
