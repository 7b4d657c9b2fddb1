import assert from "node:assert/strict";
import { COMMAND, environment, Gym, reward, rollcall, Scratch, start } from "./_rollcall.ts";
import { HAS_PYTHON } from "./_terminal.ts";

const GO = ["collect", "-i", "tasks.jsonl", "-o", "r.jsonl"];
// deno-lint-ignore no-control-regex -- escape sequences are what is looked for
const ESCAPE = /\x1b/, COLOUR = /\x1b\[[0-9;]*m/;

Deno.test("rollcall writes no escape sequences where there is no terminal", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(3);
  const { code, err } = await rollcall([...GO, ...gym.flag], {
    cwd: scratch.path,
    env: { TERM: "xterm-256color" },
  });
  assert.equal(code, 0, err);
  assert.doesNotMatch(err, ESCAPE);
});

/** Runs rollcall with a terminal for its standard error, and gives back what stands on it. */
async function onTerminal(
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<string> {
  const { code, stdout } = await new Deno.Command("python3", {
    args: [
      "-c",
      "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))",
      ...COMMAND,
      ...args,
    ],
    cwd,
    clearEnv: true,
    env: environment({ TERM: "xterm-256color", ...env }),
    stdin: "null",
    stdout: "piped",
  }).output();
  const text = new TextDecoder().decode(stdout);
  assert.equal(code, 0, text);
  return text;
}

Deno.test({
  name: "rollcall shows colours and a progress line on a terminal, and no colours with NO_COLOR",
  ignore: !HAS_PYTHON,
  fn: async () => {
    await using gym = new Gym();
    await using scratch = new Scratch();
    scratch.tasks(3);
    const args = [...GO, ...gym.flag];
    assert.match(await onTerminal(args, scratch.path, {}), COLOUR);
    assert.doesNotMatch(await onTerminal(args, scratch.path, { NO_COLOR: "1" }), COLOUR);
    assert.doesNotMatch(await onTerminal(args, scratch.path, { TERM: "dumb" }), ESCAPE);
  },
});

Deno.test({
  name: "rollcall plan on a terminal says its notes before the plan",
  ignore: !HAS_PYTHON,
  fn: async () => {
    await using gym = new Gym();
    await using scratch = new Scratch();
    scratch.tasks(3);
    const args = ["plan", ...GO.slice(1), "--resume", ...gym.flag];
    assert.match(await onTerminal(args, scratch.path, {}), /^Nothing to resume.*\r\n3 rows, /);
  },
});

Deno.test("rollcall lets no line that a server says pass for one of its own", async () => {
  await using gym = new Gym(({ n }) =>
    n ? reward(1) : {
      body: JSON.stringify({
        _ng_failure_class: "x\nforged",
        _ng_failure_message: "boo\nforged\r\nforged",
      }),
    }
  );
  await using scratch = new Scratch();
  scratch.tasks(2);
  const { code, err } = await rollcall([...GO, ...gym.flag], { cwd: scratch.path });
  assert.equal(code, 0, err);
  assert.match(err, /boo/);
  assert.doesNotMatch(err, /^forged/m);
});

Deno.test("rollcall takes the escape sequences out of what servers say", async () => {
  await using gym = new Gym(({ n }) =>
    n
      ? reward(1)
      : { body: JSON.stringify({ _ng_failure_class: "x", _ng_failure_message: "\x1b[2Jboo\x1b[0m" }) }
  );
  await using scratch = new Scratch();
  scratch.tasks(2);
  const { err } = await rollcall([...GO, ...gym.flag], { cwd: scratch.path });
  assert.match(err, /boo/);
  assert.doesNotMatch(err, ESCAPE);
});

for (const stream of ["stdout", "stderr"] as const) {
  Deno.test(`rollcall collect takes a ${stream} that nobody reads for no reason to fail`, async () => {
    await using gym = new Gym();
    await using scratch = new Scratch();
    scratch.tasks(3);
    await using process = start([...GO, ...gym.flag, "--json"], { cwd: scratch.path, deaf: stream });
    const { code, err } = await process.ends();
    assert.equal(code, 0, err);
    assert.equal(scratch.rows("r.jsonl").length, 3);
  });
}

Deno.test("rollcall plan into a pipe that is closed after a line ends well", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(3);
  const { code, out, err } = await rollcall(["plan", "-i", "tasks.jsonl", "-o", "r.jsonl", ...gym.flag], {
    cwd: scratch.path,
    wrap: ["bash", "-c", '"$@" | head -1; exit ${PIPESTATUS[0]}', "-"],
  });
  assert.equal(code, 0, err);
  assert.equal(err, "");
  assert.equal(out.split("\n").length, 2);
});

Deno.test("rollcall --help tells the exit codes, and --version the versions", async () => {
  await using scratch = new Scratch();
  const help = await rollcall(["--help"], { cwd: scratch.path });
  assert.equal(help.code, 0);
  assert.match(help.out, /130/);
  const version = await rollcall(["--version"], { cwd: scratch.path });
  assert.equal(version.code, 0);
  assert.match(version.out, /^rollcall \d+\.\d+\.\d+ \(commit \w+\)\n.* NeMo Gym 0\.7\.0\nDeno \d+\./);
  assert.equal((await rollcall([], { cwd: scratch.path })).code, 2);
});
