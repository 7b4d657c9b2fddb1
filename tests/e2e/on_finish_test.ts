import assert from "node:assert/strict";
import { Gate, Gym, reward, rollcall, Scratch, start } from "./_rollcall.ts";

const GO = ["collect", "-i", "tasks.jsonl", "-o", "out/r.jsonl"];

/** The processes that there are, by number, with their state and parent. The runtime itself may not read /proc. */
async function processes(): Promise<{ number: string; state: string; parent: number }[]> {
  const { stdout } = await new Deno.Command("sh", {
    args: ["-c", "cat /proc/[0-9]*/stat 2>/dev/null"],
    stderr: "null",
  }).output();
  return [...new TextDecoder().decode(stdout).matchAll(/^(\d+) \(.*\) (\w) (\d+) /gm)]
    .map(([, number, state, parent]) => ({ number: number!, state: state!, parent: Number(parent) }));
}

async function childrenOf(pid: number): Promise<string[]> {
  return (await processes()).filter(({ parent }) => parent === pid).map(({ number }) => number);
}

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; tries < 1200; tries++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(what);
}

async function lives(pid: string): Promise<boolean> {
  return (await processes()).some(({ number, state }) => number === pid && state !== "Z");
}

Deno.test("--on-finish runs its command with the summary as JSON on standard input, and keeps standard output clean", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(2);
  const ended = await rollcall(
    [...GO, ...gym.flag, "--json", "--on-finish", `cat > "$FILE"; echo "it's heard by $HTTP_PROXY"`],
    { cwd: scratch.path, env: { FILE: scratch.at("told.json"), HTTP_PROXY: "http://127.0.0.1:1" } },
  );
  assert.equal(ended.code, 0, ended.err);
  assert.equal(Deno.readTextFileSync(scratch.at("told.json")), ended.out);
  assert.equal(JSON.parse(ended.out).ending, "complete");
  assert.match(ended.err, /it's heard by http:\/\/127\.0\.0\.1:1\n/);
});

Deno.test("a command of --on-finish that fails, or reads nothing, is said and changes nothing", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(1);
  for (
    const [command, said] of [["exit 3", /--on-finish ended with exit code 3\. The run is not affected/], [
      "kill -9 $$",
      /--on-finish was ended by SIGKILL/,
    ]] as const
  ) {
    const ended = await rollcall([...GO, "--fresh", ...gym.flag, "--on-finish", command], {
      cwd: scratch.path,
    });
    assert.equal(ended.code, 0, ended.err);
    assert.match(ended.err, said);
  }
});

Deno.test("--on-finish without a shell is an error before anything is sent", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(1);
  const ended = await rollcall([...GO, ...gym.flag, "--on-finish", "true"], {
    cwd: scratch.path,
    env: { PATH: scratch.path },
  });
  assert.notEqual(ended.code, 0);
  assert.match(ended.err, /--on-finish needs a shell: there is no sh on the PATH\. Nothing was sent/);
  assert.equal(gym.seen.length, 0);
});

for (const signal of ["SIGINT", "SIGKILL"] as const) {
  Deno.test({
    name: signal === "SIGINT"
      ? "after Ctrl-C to the whole process group --on-finish still runs, with the summary of what was done"
      : "a rollcall that is killed leaves no shell behind, and the command of --on-finish is not run",
    ignore: Deno.build.os !== "linux",
    async fn() {
      const gate = new Gate();
      await using gym = new Gym(async () => {
        await gate.passed;
        return reward(1);
      });
      await using scratch = new Scratch();
      scratch.tasks(3);
      await using run = start(
        [...GO, ...gym.flag, "-c", "1", "--grace", "3600", "--on-finish", "cat > told.json"],
        { cwd: scratch.path },
      );
      await run.until(gym.hasSeen(1));
      const shells = await childrenOf(run.child.pid);
      assert.equal(shells.length, 1);
      if (signal === "SIGINT") Deno.kill(Number(shells[0]), signal);
      run.kill(signal);
      if (signal === "SIGINT") await run.says(/Stopping \(SIGINT\)/);
      gate.open();
      await run.ends();
      await until(async () => !await lives(shells[0]!), "the shell is still there");
      const told = Object.keys(scratch.snapshot()).includes("told.json");
      assert.equal(told, signal === "SIGINT");
      if (told) assert.equal(JSON.parse(Deno.readTextFileSync(scratch.at("told.json"))).signal, "SIGINT");
    },
  });
}
