import assert from "node:assert/strict";
import { runPaths } from "../../src/plan/paths.ts";
import { type RunPlan } from "../../src/plan/run_plan.ts";
import { permissionsOf } from "../../src/plan/permissions.ts";
import { planText } from "../../src/report/plan_text.ts";

const paths = runPaths("/data/runs/r.jsonl");
const routes = [
  { server: "a", kind: "agent", url: "http://127.0.0.1:8001" },
  { server: "b", kind: "agent", url: "http://h:8002" },
] as unknown as RunPlan["routes"];
const plan = {
  paths,
  routes,
  perRoute: [5, 1],
  permissions: permissionsOf(paths, routes, null),
  dispatch: { num_samples_in_parallel: 4 },
  rows: 3,
  tasks: 3,
  rollouts: 6,
  aggregate: true,
  health: { ignored: [] },
  resume: null,
  captures: null,
} as unknown as RunPlan;

Deno.test("planText() says what would be done, in columns", () => {
  assert.equal(
    planText(plan, ["one\nand more", "two"]).replace(/(?<=jsonl\n)( {20}\S+\n)+/, "…\n"),
    `3 rows, 3 tasks, 6 rollouts, up to 4 in flight

Routes
  5 rollouts to a (POST http://127.0.0.1:8001/run)
  1 rollout to b (POST http://h:8002/run)

Files
  rollouts              /data/runs/r.jsonl
  failures sidecar      /data/runs/r_failures.jsonl
  materialized inputs   /data/runs/r_materialized_inputs.jsonl
  aggregate metrics     /data/runs/r_aggregate_metrics.json
  health report         /data/runs/quality_summary.json
  of an earlier run     rollouts and sidecar are kept as ….old

The collector may
  connect to      127.0.0.1:8001
                  h:8002
  read and write  in /data/runs:
                    r.jsonl
…
  and nothing else: no other host, no other file, no environment, no programs

Warning: one
  and more
Warning: two
`,
  );
});

Deno.test("planText() says where captures are, that they may only be read, and which are removed", () => {
  const captures = "/shared/captures";
  const text = planText({ ...plan, captures, permissions: permissionsOf(paths, routes, null, captures) }, []);
  assert.match(text, /\n {2}captured model calls {2}\/shared\/captures\n/);
  assert.match(text, /\n {24}captures of rollouts that run are removed\n/);
  assert.match(text, /\n {2}only read {7}\/shared\/captures, the captures of model calls\n/);
  assert.doesNotMatch(text, /\n {20}\/shared/);
});

Deno.test("planText() says plainly that an input has no rows", () => {
  const empty = { ...plan, rows: 0, tasks: 0, rollouts: 0, routes: [], perRoute: [] };
  assert.equal(planText(empty, []), "The input has no rows: there is nothing to run.\n");
  assert.equal(
    planText(empty, ["one"]),
    "The input has no rows: there is nothing to run.\n\nWarning: one\n",
  );
});

Deno.test("planText() names every file that the collector may touch, also one that is elsewhere", () => {
  const elsewhere = { net: [], read: [paths.rollouts, "/elsewhere/x"], write: [] };
  const text = planText({ ...plan, permissions: elsewhere, aggregate: false, health: null }, []);
  assert.match(
    text,
    /connect to {6}nothing\n {2}read and write {2}in \/data\/runs:\n {20}r\.jsonl\n {20}\/elsewhere\/x\n/,
  );
  assert.doesNotMatch(text, /metrics|health/);
  for (const path of plan.permissions.read) {
    assert.ok(
      planText(plan, []).includes(`\n                    ${path.slice("/data/runs/".length)}\n`),
      path,
    );
  }
});
