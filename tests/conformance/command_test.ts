import assert from "node:assert/strict";
import { environmentOf, missingProgram, runCommand, shellWord } from "./command.ts";

const run = (command: string, args: string[] = [], timeout = 60) =>
  runCommand({ command, args, cwd: Deno.cwd(), env: { CASE_WORD: "from the step" }, timeout });

Deno.test("runCommand() hands the arguments to the last command of any shell text, as they are", async () => {
  assert.deepEqual(await run("X=1; printf '[%s]'", ["collect", "+a=$X 'b'", "", "*"]), {
    exit: "ok",
    output: "[collect][+a=$X 'b'][][*]",
  });
});

Deno.test("runCommand() collects both outputs in order and distinguishes success from failure", async () => {
  assert.deepEqual(await run("echo out; echo err >&2; echo $CASE_WORD; false"), {
    exit: "error",
    output: "out\nerr\nfrom the step\n",
  });
  assert.equal((await run("no-such-program-here")).exit, "error");
  assert.equal((await run("kill -9 $$; true")).exit, "error");
});

Deno.test("runCommand() runs in the folder, which {cwd} names", async () => {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  const options = { command: 'echo "$(pwd -P)" {cwd}; true', args: [], cwd: folder, env: {}, timeout: 60 };
  assert.equal((await runCommand(options)).output, `${folder} ${folder}\n`);
  await Deno.remove(folder);
});

Deno.test("runCommand() kills the program when its time is over", async () => {
  assert.equal((await run("sleep 1000; true", [], 0.05)).exit, "timeout");
});

Deno.test("runCommand() does not wait for a process that the program leaves behind", async () => {
  const { exit, output } = await run("sleep 1000 & echo $!; true");
  Deno.kill(Number(output), "SIGKILL");
  assert.equal(exit, "ok");
});

Deno.test("environmentOf() takes Gym's variables out and puts the step's in", () => {
  assert.deepEqual(
    environmentOf({ PATH: "/bin", NEMO_GYM_X: "1", NEMO_GYM_Y: "1" }, { NEMO_GYM_Y: "2", PATH: "/sbin" }),
    { NEMO_GYM_Y: "2", PATH: "/sbin" },
  );
});

Deno.test("shellWord() makes one word of any text", async () => {
  const text = "a 'b' \"c\" $d `e` \\ *\nf";
  assert.equal((await run(`printf %s ${shellWord(text)}; true`)).output, text);
});

for (
  const [line, missing] of [
    ["sh -c true", undefined],
    ["'/bin/sh' -c true", undefined],
    ["/no/such/rollcall", "/no/such/rollcall"],
    ["'/no such/rollcall' --flag", "/no such/rollcall"],
    ["rollcall-that-nobody-has --flag", "rollcall-that-nobody-has"],
    // More than a plain word: left to the shell.
    ["NAME=1 /no/such/rollcall", undefined],
    ["cd {cwd} && /no/such/rollcall", undefined],
    ['"$PROGRAM" x', undefined],
  ] as const
) {
  Deno.test(`missingProgram() of ${line} is ${missing}`, async () => {
    assert.equal(await missingProgram(line), missing);
  });
}
