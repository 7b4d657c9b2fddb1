/** What a terminal is shown. */
import assert from "node:assert/strict";
import { COMMAND, environment, Gym, Scratch } from "../e2e/_rollcall.ts";

const GO = ["collect", "-i", "tasks.jsonl", "-o", "r.jsonl"];
// deno-lint-ignore no-control-regex -- escape sequences are what is looked for
const ESCAPE = /\x1b/, COLOUR = /\x1b\[[0-9;]*m/;

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

Deno.test("rollcall shows colours and a progress line on a terminal, and no colours with NO_COLOR", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(3);
  const args = [...GO, ...gym.flag];
  assert.match(await onTerminal(args, scratch.path, {}), COLOUR);
  assert.doesNotMatch(await onTerminal(args, scratch.path, { NO_COLOR: "1" }), COLOUR);
  assert.doesNotMatch(await onTerminal(args, scratch.path, { TERM: "dumb" }), ESCAPE);
});

Deno.test("rollcall plan on a terminal says its notes before the plan", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(3);
  const args = ["plan", ...GO.slice(1), "--resume", ...gym.flag];
  assert.match(await onTerminal(args, scratch.path, {}), /^Nothing to resume.*\r\n3 rows, /);
});
