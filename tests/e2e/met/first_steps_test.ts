/** "I have tasks and servers. How do I begin?" */
import assert from "node:assert/strict";
import { Gym, rollcall, Scratch } from "../_rollcall.ts";

Deno.test("a user without a configuration has init write one, which plan accepts, and which is never overwritten", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(2);
  const cwd = scratch.path;
  const made = await rollcall(["init", "-n", "2", "--agent", "a", "--head", `127.0.0.1:${gym.port}`], {
    cwd,
  });
  assert.equal(made.code, 0, made.err);
  assert.match(made.out, /rollcall plan --config run\.jsonc/);
  const text = scratch.snapshot()["run.jsonc"]!;
  assert.match(text, /^ {2}\/\/ maximum requests in flight; .*\n {2}\/\/ "num_samples_in_parallel"/m);
  const again = await rollcall(["init"], { cwd });
  assert.deepEqual([again.code, scratch.snapshot()["run.jsonc"]], [2, text]);
  const { code, out, err } = await rollcall(["plan", "--config", "run.jsonc"], { cwd });
  assert.equal(code, 0, err);
  assert.match(out, /4 rollouts/);
});

Deno.test("a user of init is told what a flag cannot be, and nothing is written", async () => {
  await using scratch = new Scratch();
  const { code, err } = await rollcall(["init", "-c", "0"], { cwd: scratch.path });
  assert.equal(code, 2);
  assert.match(err, /num_samples_in_parallel/);
  assert.deepEqual(scratch.snapshot(), {});
});

Deno.test("a user who resumes the demo is advised nothing that the demo lacks, and its hint names the tasks where they are", async () => {
  await using scratch = new Scratch();
  const cwd = scratch.path, env = { NEMO_GYM_MAX_ROLLOUT_ATTEMPTS: "1" };
  const first = await rollcall(["demo", "--count", "40"], { cwd, env });
  assert.match(first.err, /-i rollcall-demo\/tasks\.jsonl /);
  // Without --count: the tasks are those of the demo that is resumed.
  const { err, out } = await rollcall(["demo", "--resume"], { cwd, env });
  const help = (await rollcall(["demo", "--help"], { cwd })).out;
  const advised = `${err}${out}`.replace(/^ {2}rollcall collect .*$/m, "").match(/--[a-z][a-z-]+/g) ?? [];
  for (const flag of advised) assert.ok(help.includes(flag), `${flag} is advised, and demo has none: ${err}`);
  assert.equal(scratch.rows("rollcall-demo/tasks.jsonl").length, 40);
  assert.doesNotMatch(err, /Cannot resume/);
});
