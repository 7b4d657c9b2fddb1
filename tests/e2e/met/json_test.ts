/** What users met: JSON that is spelled one way here and another way there. */
import assert from "node:assert/strict";
import {
  aggregateSchema,
  collectSchema,
  healthSchema,
  planSchema,
  statusSchema,
} from "../../../src/report/schemas.ts";
import { Gym, rollcall, Scratch } from "../_rollcall.ts";

Deno.test("every command's JSON is the one that docs/json.md describes, and a plain run has its inputs", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(3);
  const json = async (...args: string[]) => {
    const { code, out, err } = await rollcall([...args, "--json"], { cwd: scratch.path });
    assert.equal(code, 0, err);
    return JSON.parse(out);
  };
  const go = ["-i", "tasks.jsonl", "-o", "runs/r.jsonl", ...gym.flag];
  const { coverage, undone } = collectSchema.parse(await json("collect", ...go));
  assert.deepEqual([coverage!.shards, undone], [{ all: 1, with_inputs: 1 }, []]);

  const { running, reward, unscored, per_minute } = statusSchema.parse(await json("status", "runs/r.jsonl"));
  assert.deepEqual([running, reward, unscored, per_minute], [false, 1, 0, null]);

  const { standing, resume, files } = planSchema.parse(await json("plan", ...go, "--resume"));
  assert.deepEqual([standing!.done, standing!.left, resume!.retry_exhausted], [3, 0, false]);
  assert.equal(files["materialized_inputs"], scratch.at("runs/r_materialized_inputs.jsonl"));

  const merged = ["-i", "runs/r*.jsonl", "-o", "runs/all.jsonl", "--offline"];
  const all = aggregateSchema.parse(await json("aggregate", ...merged));
  assert.deepEqual([all.rows, all.unscored, all.coverage!.shards], [3, 0, { all: 1, with_inputs: 1 }]);

  const { run } = healthSchema.parse(await json("health", "runs", "--rollouts-file", "r.jsonl"));
  assert.equal(run.artifacts.records, 3);
});
