/** Terminals that take nothing, or that go away. */
import assert from "node:assert/strict";
import { Gate, Gym, reward, Scratch, start } from "../e2e/_rollcall.ts";
import { onHeldTerminal } from "./_terminal.ts";

const GO = ["collect", "-i", "tasks.jsonl", "-o", "out/r.jsonl", "-c", "3", "--json"];

Deno.test("rollcall collect answers to SIGTERM while its terminal is paused: lock given back, 75", async () => {
  const gate = new Gate();
  await using gym = new Gym(async () => {
    await gate.passed;
    return reward(1);
  });
  await using scratch = new Scratch();
  scratch.tasks(10);
  await using process = start([...GO, "--grace", "0.1", ...gym.flag], {
    cwd: scratch.path,
    wrap: onHeldTerminal("paused"),
    env: { TERM: "xterm" },
    input: true,
  });
  await process.until(gym.hasSeen(3));
  process.kill("SIGTERM");
  const { code } = await process.child.status;
  assert.equal(code, 75);
  await process.closeInput();
  const { out } = await process.ends();
  const { ending, signal, left } = JSON.parse(out.split("\n")[0]!);
  assert.deepEqual([ending, signal, left], ["stopped", "SIGTERM", 10]);
  assert.ok(!("out/r.lock" in scratch.snapshot()));
});

Deno.test("rollcall collect comes to its end while its terminal is paused, and can be ended by a signal then", async () => {
  await using gym = new Gym(({ n }) =>
    n % 2
      ? reward(1)
      : { body: JSON.stringify({ _ng_failure_class: "x", _ng_failure_message: "m\n".repeat(200) }) }
  );
  await using scratch = new Scratch();
  scratch.tasks(200);
  await using process = start([...GO, ...gym.flag], {
    cwd: scratch.path,
    wrap: onHeldTerminal("paused"),
    env: { TERM: "xterm" },
    input: true,
  });
  await process.prints(/\}\n$/);
  const { ending, done, failed } = JSON.parse(process.out);
  assert.deepEqual([ending, done, failed], ["complete", 100, 100]);
  assert.ok(!("out/r.lock" in scratch.snapshot()));
  process.kill("SIGTERM");
  const { signal } = await process.child.status;
  assert.equal(signal, "SIGTERM");
  await process.closeInput();
});

Deno.test("rollcall collect comes to its end without its terminal, which is closed in the middle", async () => {
  const gate = new Gate();
  await using gym = new Gym(async ({ n }) => {
    if (n > 0) await gate.passed;
    return n === 5
      ? { body: JSON.stringify({ _ng_failure_class: "x", _ng_failure_message: "m" }) }
      : reward(1);
  });
  await using scratch = new Scratch();
  scratch.tasks(10);
  await using process = start([...GO, ...gym.flag], {
    cwd: scratch.path,
    wrap: onHeldTerminal("open"),
    env: { TERM: "xterm" },
    input: true,
  });
  await process.until(gym.hasSeen(4));
  await process.closeInput();
  await process.prints(/gone\n/);
  gate.open();
  const { code, out } = await process.ends();
  assert.equal(code, 0);
  const { ending, done, failed } = JSON.parse(out.replace("gone\n", ""));
  assert.deepEqual([ending, done, failed], ["complete", 9, 1]);
  assert.equal(scratch.rows("out/r.jsonl").length, 9);
});
