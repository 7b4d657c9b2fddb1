/** Parts of an input, and a run that is extended, on the program itself. */
import assert from "node:assert/strict";
import { Gym, reward, rollcall, Scratch } from "./_rollcall.ts";

const identities = (rows: readonly Record<string, unknown>[]) =>
  rows.map((row) => `${row._ng_task_index}-${row._ng_rollout_index} ${row.reward}`).sort();

Deno.test("the parts of an input, merged, are the run of all of it; and a run that is extended keeps what it had", async () => {
  await using gym = new Gym(({ n }) => reward(n));
  await using scratch = new Scratch();
  scratch.tasks(6);
  const collect = (...args: readonly string[]) =>
    rollcall(["collect", "-i", "tasks.jsonl", ...gym.flag, "-c", "auto", "--quiet", ...args], {
      cwd: scratch.path,
    });
  const succeeds = async (run: Promise<{ readonly code: number; readonly err: string }>) => {
    const { code, err } = await run;
    assert.equal(code, 0, err);
  };
  await succeeds(collect("-o", "parts/a.jsonl", "-n", "2", "--tasks", "0-2"));
  await succeeds(collect("-o", "parts/b.jsonl", "-n", "2", "--tasks", "3-5"));
  await succeeds(
    rollcall(["aggregate", "-i", "parts/?.jsonl", "-o", "all.jsonl", "--offline"], { cwd: scratch.path }),
  );
  await succeeds(collect("-o", "whole.jsonl", "--limit", "4"));

  const before = scratch.rows("whole.jsonl"), asked = gym.asked.length;
  await succeeds(collect("-o", "whole.jsonl", "-n", "2", "--resume", "--extend", "--max-failures", "3"));
  assert.equal(gym.asked.length - asked, 8, "only what was added is sent");
  const extended = scratch.rows("whole.jsonl");
  assert.deepEqual(extended.slice(0, 4), before);
  assert.deepEqual(identities(scratch.rows("all.jsonl")), identities(extended));
  assert.deepEqual(
    identities(scratch.rows("whole_materialized_inputs.jsonl")).length,
    12,
  );
  // The manifest is that of the extended run: the same command resumes it, and has nothing to do.
  await succeeds(collect("-o", "whole.jsonl", "-n", "2", "--resume"));
  assert.equal(gym.asked.length - asked, 8);
  const shrunk = await collect("-o", "whole.jsonl", "-n", "1", "--resume", "--extend");
  assert.equal(shrunk.code, 2);
  assert.match(shrunk.err, /fewer rollouts than they have now/);
});
