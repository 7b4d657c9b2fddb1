/** A shell that is started while programs may be run, and runs its command later, or never. */
import type { CommandEnd, WaitingCommand } from "../ports/world.ts";
import { UsageFault } from "../kit/fault.ts";

/**
 * Waits for a line, then becomes the command, which finds the rest on its standard input. When standard input ends
 * first, because rollcall is gone, nothing is run. Signals to the whole process group are for rollcall while it waits.
 * What the command prints goes to standard error: standard output is the summary's.
 */
const SCRIPT = `trap '' HUP INT TERM USR1
IFS= read -r go && [ "$go" = go ] || exit 0
trap - HUP INT TERM USR1
exec sh -c "$1" >&2`;

/**
 * Starts the shell.
 *
 * @param env variables that the command has on top of this process's
 * @throws {UsageFault} when no shell can be started
 */
export function waitingShell(command: string, env: Readonly<Record<string, string>>): WaitingCommand {
  const child = spawned(command, env), stdin = child.stdin.getWriter();
  // The command need not read what it is given, and may be gone.
  const close = () => void stdin.close().catch(() => {});
  return {
    async run(input) {
      const written = stdin.write(new TextEncoder().encode(`go\n${input}`));
      written.then(close, close);
      const { code, signal }: CommandEnd = await child.status;
      return { code, signal };
    },
    cancel: close,
  };
}

function spawned(command: string, env: Readonly<Record<string, string>>): Deno.ChildProcess {
  try {
    return new Deno.Command("sh", {
      args: ["-c", SCRIPT, "sh", command],
      env: { ...env },
      stdin: "piped",
      stdout: "null",
      stderr: "inherit",
    }).spawn();
  } catch (error) {
    const why = error instanceof Deno.errors.NotFound
      ? "there is no sh on the PATH"
      : error instanceof Deno.errors.NotCapable
      ? "rollcall may not run programs here"
      : (error as Error).message;
    throw new UsageFault(`--on-finish needs a shell: ${why}. Nothing was sent.`, { cause: error });
  }
}
