/** The exporter against a real MLflow server, whose address is in MLFLOW_TRACKING_URI; a stage of .ci/run of its own. */
import assert from "node:assert/strict";
import { trackingHttp } from "../../src/edge/tracking_http.ts";
import { trackingContract } from "../contract/tracking_contract.ts";
import { Gym, reward, rollcall, Scratch } from "../e2e/_rollcall.ts";

const uri = Deno.env.get("MLFLOW_TRACKING_URI") ?? "";
const unique = () => `t${crypto.randomUUID()}`;
trackingContract("MLflow", () => trackingHttp(uri, null), unique);

// deno-lint-ignore no-explicit-any -- whatever the server answers
async function ask(path: string, body?: unknown): Promise<any> {
  const response = await fetch(`${uri}/api/2.0/mlflow/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return await response.json();
}

Deno.test("a run and its resume are one run at MLflow: steps, metrics, parameters without secrets, a table, FINISHED", async () => {
  let refuse = true;
  await using gym = new Gym(({ n }) => refuse && n === 3 ? { status: 500 } : reward(n % 2));
  await using scratch = new Scratch();
  scratch.tasks(20);
  const experiment = unique();
  const words = [
    ...[
      "collect",
      "-i",
      "tasks.jsonl",
      "-o",
      "r.jsonl",
      ...gym.flag,
      "--route-failures-to-sidecar",
      "-c",
      "1",
    ],
    ...["--mlflow-tracking-uri", uri, "--mlflow-experiment-name", experiment, "--mlflow-run-name", "pass@1"],
    ...["--mlflow-tracking-token", "s3cret"],
  ];
  const first = await rollcall(words, { cwd: scratch.path });
  assert.match(first.err, /Exported to MLflow: /);
  refuse = false;
  const second = await rollcall([...words, "--resume"], { cwd: scratch.path });
  assert.match(second.err, /Exported to MLflow: /);
  const { experiment: { experiment_id } } = await ask(
    `experiments/get-by-name?experiment_name=${experiment}`,
  );
  const { runs: [run, ...others] } = await ask("runs/search", { experiment_ids: [experiment_id] });
  assert.deepEqual([others, run.info.status, run.info.run_name], [[], "FINISHED", "pass@1"]);
  const latest = Object.fromEntries(
    run.data.metrics.map(({ key, value }: { key: string; value: number }) => [key, value]),
  );
  assert.deepEqual([latest["coverage/expected"], latest["coverage/scored"]], [20, 20]);
  const { metrics } = await ask(
    `metrics/get-history?run_id=${run.info.run_id}&metric_key=progress/a/reward_lower_bound`,
  );
  assert.deepEqual(
    metrics.slice(0, 2).map(({ step, value }: { step: number; value: number }) => [step, value]),
    [
      [5, 0],
      [10, 5],
    ],
  );
  assert.ok(!JSON.stringify(run).includes("s3cret"));
  const table = await (await fetch(
    `${uri}/api/2.0/mlflow-artifacts/artifacts/${experiment_id}/${run.info.run_id}/artifacts/rollouts.json`,
  )).json();
  assert.deepEqual([table.columns, table.data.length], [["Rollout"], 20]);
  assert.equal(JSON.parse(table.data[0][0]).reward, 0);
  const again = await rollcall(["export", "mlflow", "r.jsonl"], { cwd: scratch.path });
  assert.deepEqual(
    [again.code, (await ask("runs/search", { experiment_ids: [experiment_id] })).runs.length],
    [0, 1],
  );
});
