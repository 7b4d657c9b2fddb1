/** Which files a run touches: only those that its paths name, from which the permissions are made. */
import assert from "node:assert/strict";
import { begin, type RunOptions } from "./_run.ts";

const INPUTS = ["a", "a", "b"].map((name, task) =>
  JSON.stringify({ _ng_task_index: task, _ng_rollout_index: 0, agent_ref: { name } }) + "\n"
).join("");
const JUDGED = '{"reward":1,"invalid_judge_response":true,"_ng_task_index":1,"_ng_rollout_index":0}\n';

for (
  const [what, options] of [
    ["a fresh run over an earlier one", {
      files: { "a.jsonl": "{}\n", "a_failures.jsonl": "{}\n", "a_aggregate_metrics.json": "{}" },
    }],
    ["a resume that sets lines aside and moves others", {
      files: {
        "a_materialized_inputs.jsonl": INPUTS,
        "a.jsonl": `${JUDGED}{bad\n{"cut`,
        "a_failures.jsonl": "{bad\n",
      },
      plan: {
        resume: {
          retryTerminalTimeouts: false,
          retryExhausted: false,
          retryFailures: [],
          retryInvalidJudge: true,
          deliverables: [],
        },
      },
    }],
  ] as [string, RunOptions][]
) {
  Deno.test(`${what} touches no file that its paths do not name`, async () => {
    using run = begin({ rows: "aab", ...options, plan: { health: { ignored: [] }, ...options.plan } });
    const touched = new Set<string>();
    run.files.before = ({ path }) => void touched.add(path);
    await run.end();
    const { folder: _, ...named } = run.paths;
    const paths = new Set<string>(Object.values(named));
    assert.ok(touched.size > 0);
    assert.deepEqual([...touched, ...Object.keys(run.files.all())].filter((path) => !paths.has(path)), []);
  });
}
