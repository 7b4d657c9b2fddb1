/**
 * Running the program under test.
 */

/** A shell command line and how to run it. */
export interface CommandOptions {
  /** Any shell text: a path, a program with arguments, several commands. `"$@"` is added at its end. */
  readonly command: string;
  /** The subcommand and its arguments. */
  readonly args: readonly string[];
  readonly cwd: string;
  /** Added to this process's environment, from which the NEMO_GYM_ variables are taken out. */
  readonly env: Readonly<Record<string, string>>;
  /** Seconds; then the program and all it started are killed. */
  readonly timeout: number;
}

/** How it ended, and what it wrote to both outputs. */
export interface CommandResult {
  readonly exit: "ok" | "error" | "timeout";
  readonly output: string;
}

/** Sends both outputs into a file and becomes the command: $1 is the file, $2 the command, then its arguments. */
const TO_FILE = 'log=$1; line=$2; shift 2; exec sh -c "$line" sh "$@" >"$log" 2>&1';

/**
 * Runs the command in a process group of its own. The output goes to a file, not a pipe: a process that the
 * program leaves behind cannot keep us waiting.
 */
export async function runCommand(options: CommandOptions): Promise<CommandResult> {
  const log = await Deno.makeTempFile({ prefix: "conformance-", suffix: ".log" });
  try {
    const line = `${options.command.replaceAll("{cwd}", options.cwd)} "$@"`;
    const child = new Deno.Command("sh", {
      args: ["-c", TO_FILE, "sh", log, line, ...options.args],
      cwd: options.cwd,
      clearEnv: true,
      env: environmentOf(Deno.env.toObject(), options.env),
      stdin: "null",
      stdout: "null",
      stderr: "null",
      detached: true, // a session, and so a process group, of its own
    }).spawn();
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = killGroup(child.pid);
    }, options.timeout * 1000);
    const { code } = await child.status.finally(() => clearTimeout(timer));
    const output = new TextDecoder().decode(await Deno.readFile(log));
    return { exit: timedOut ? "timeout" : code === 0 ? "ok" : "error", output };
  } finally {
    await Deno.remove(log);
  }
}

/** Kills the process group that a call started; false if the group has just ended by itself. */
function killGroup(leader: number): boolean {
  try {
    Deno.kill(-leader, "SIGKILL");
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/**
 * The program that a shell command line starts, if there is none of that name: a path that leads to nothing, or a name
 * that is not on the PATH. `undefined` when there is, or when the line begins with more than a plain word.
 */
export async function missingProgram(line: string): Promise<string | undefined> {
  const [, quoted, plain] = /^\s*(?:'([^']+)'|([\w./@+-]+))(?=\s|$)/.exec(line) ?? [];
  const program = quoted ?? plain;
  if (program === undefined) return undefined;
  const args = ["-c", 'command -v -- "$1" >/dev/null', "sh", program];
  const { success } = await new Deno.Command("sh", { args, stdin: "null" }).output();
  return success ? undefined : program;
}

/** The inherited variables without Gym's own, which would change what is recorded, and the step's. */
export function environmentOf(
  inherited: Readonly<Record<string, string>>,
  added: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept = Object.entries(inherited).filter(([name]) => !name.startsWith("NEMO_GYM_"));
  return { ...Object.fromEntries(kept), ...added };
}

/** A string as one word of a shell command. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
