/** Gym before 0.7 had no environment servers: rows and metrics go to the agent itself. */
import assert from "node:assert/strict";
import { Gym, rollcall, Scratch } from "./_rollcall.ts";

Deno.test("rollcall collect calls agents themselves where the configuration has no environment servers", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(3);
  const { code, err } = await rollcall(
    [
      "collect",
      "-i",
      "tasks.jsonl",
      "-o",
      "r.jsonl",
      "--head",
      `127.0.0.1:${gym.port}`,
      "-n",
      "2",
      "-c",
      "2",
    ],
    { cwd: scratch.path },
  );
  assert.equal(code, 0, err);
  assert.deepEqual(gym.asked.toSorted(), [0, 0, 1, 1, 2, 2]);
  const rows = scratch.rows("r.jsonl");
  assert.equal(rows.length, 6);
  for (const row of rows) {
    assert.deepEqual((row.agent_ref as { name: string }).name, "a");
    assert.ok(!("_ng_environment_server" in row) && !("_ng_result_type" in row));
  }
  const scored = gym.seen.filter(({ path }) => path === "/aggregate_metrics").map(({ body }) =>
    JSON.parse(body)
  );
  assert.equal(scored.length, 1);
  assert.equal(scored[0].verify_responses.length, 6);
  const metrics = JSON.parse(Deno.readTextFileSync(scratch.at("r_aggregate_metrics.json")));
  assert.deepEqual(metrics.map((entry: { agent_ref: unknown }) => entry.agent_ref), [{ name: "a" }]);
  assert.ok(!("_ng_environment_server" in metrics[0]));
});
