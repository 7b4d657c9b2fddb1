/** "Most of my run failed. What failed, and how do I run just that again?" */
import assert from "node:assert/strict";
import { Gym, reward, rollcall, Scratch } from "../_rollcall.ts";

const RESUME = [
  "collect",
  "-i",
  "tasks.jsonl",
  "-o",
  "r.jsonl",
  "--route-failures-to-sidecar",
  "--resume",
  "-c",
  "1",
];
const ONCE = { NEMO_GYM_MAX_ROLLOUT_ATTEMPTS: "1" };

Deno.test("a user whose rollouts failed lists them by class, and runs a class of them again beyond the attempt limit", async () => {
  let isWell = false;
  await using gym = new Gym(({ n }) =>
    isWell || n === 3 ? reward(1) : n === 2 ? { status: 500, body: "boom" } : {
      body: JSON.stringify({
        _ng_failure_class: "sandbox_lost",
        _ng_failure_message: { toString: "gone" },
        _ng_failure_terminal: n === 1,
      }),
    }
  );
  await using scratch = new Scratch();
  scratch.write(
    "tasks.jsonl",
    [0, 1, 2, 3].map((n) =>
      `${
        JSON.stringify({
          n,
          problem_id: `p${n}`,
          agent_ref: { name: "a" },
          responses_create_params: { input: "x" },
        })
      }\n`
    ).join(""),
  );
  const resume = (...more: string[]) =>
    rollcall([...RESUME, ...gym.flag, ...more], { cwd: scratch.path, env: ONCE });
  await resume();

  const text = await rollcall(["failures", "r.jsonl"], { cwd: scratch.path });
  assert.equal(text.code, 0, text.err);
  assert.match(text.out, /^3 failed attempts in .*r_failures\.jsonl:$/m);
  assert.match(text.out, /^sandbox_lost: 2 attempts, 2 rollouts without a result since then$/m);
  assert.match(text.out, /^ {2}message {3}\{"toString":"gone"\}$/m);
  assert.match(text.out, /^ {2}such as {3}0-0 \(p0\), 1-0 \(p1\)$/m);
  assert.match(text.out, /--resume --retry/);
  const json = await rollcall(["failures", "r.jsonl", "--json"], { cwd: scratch.path });
  const [first, second] = JSON.parse(json.out).classes;
  assert.deepEqual([first.class, first.failures, first.without_result, first.servers], [
    "sandbox_lost",
    2,
    2,
    ["a"],
  ]);
  assert.deepEqual(second.examples, [{ task: 2, rollout: 0, id: "p2" }]);

  const before = scratch.snapshot();
  const misspelt = await resume("--retry", "sandbox_lots");
  assert.equal(misspelt.code, 2);
  assert.match(misspelt.err, /no failure of class "sandbox_lots" \(did you mean "sandbox_lost"\?\)/);
  const fresh = await rollcall(
    [...RESUME.filter((word) => word !== "--resume"), ...gym.flag, "--retry", "sandbox_lost"],
    { cwd: scratch.path },
  );
  assert.equal(fresh.code, 2);
  assert.match(fresh.err, /needs resume_from_cache \(--resume\)/);
  assert.deepEqual(scratch.snapshot(), before);

  // What the attempt limit keeps from running is not run by a resume as such; its exit code and words say so.
  isWell = true;
  gym.seen.length = 0;
  await resume();
  assert.deepEqual(gym.asked, []);
  const { code, err } = await resume("--retry", "sandbox_lost");
  assert.equal(code, 0, err);
  assert.deepEqual(gym.asked, [0, 1]);
  assert.deepEqual(
    gym.seen.filter(({ path }) => path === "/run").map(({ body }) => JSON.parse(body)._ng_attempt_index),
    [1, 1],
  );
  assert.deepEqual(scratch.rows("r.jsonl").map(({ _ng_task_index }) => _ng_task_index), [3, 0, 1]);
});

Deno.test("a user whose rollouts are all at the attempt limit is told by exit code 1, and how to try them again", async () => {
  await using gym = new Gym(() => ({ status: 500 }));
  await using scratch = new Scratch();
  scratch.tasks(2);
  const resume = () => rollcall([...RESUME, ...gym.flag], { cwd: scratch.path, env: ONCE });
  await resume();
  const { code, err } = await resume();
  assert.equal(code, 1);
  assert.match(err, /--retry-exhausted/);
  assert.match(err, /NEMO_GYM_MAX_ROLLOUT_ATTEMPTS/);
  assert.equal(gym.asked.length, 2);
});
