/** The program under test, started and killed. */

/** How a run of it ended. */
export interface Ended {
  /** Null when it was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

const project = new URL("../../", import.meta.url).pathname;

/** The command: the compiled binary that ROLLCALL_BIN names, or the sources. */
export function commandOf(binary: string | undefined): readonly string[] {
  if (binary) return [binary];
  return [
    Deno.execPath(),
    "run",
    "-q",
    "--no-prompt",
    "--config",
    `${project}deno.json`,
    "-P=rollcall",
    `${project}main.ts`,
  ];
}

/**
 * What a resume says that is refused because something has changed. After a kill that came before a fresh run had
 * replaced the one before it, this is right: a resume finds that earlier run.
 */
export const REFUSED_FOR_DRIFT = /settings that determine its rollouts have changed since it was planned/;

/** When a run is killed, unless it has ended before. */
export interface Kill {
  /** Milliseconds after its start at the latest. */
  readonly afterMs: number;
  /** Or once this resolves. */
  readonly when?: Promise<void> | undefined;
}

/** Runs the command to its end, or until it is killed. */
export async function run(command: readonly string[], args: readonly string[], kill?: Kill): Promise<Ended> {
  const [program, ...first] = command;
  const started = performance.now();
  const child = new Deno.Command(program!, {
    args: [...first, ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let killed = false, over = false;
  const shoot = () => {
    if (over || killed) return;
    killed = true;
    try {
      child.kill("SIGKILL");
    } catch {
      killed = false; // it has just ended
    }
  };
  const timer = kill && setTimeout(shoot, kill.afterMs);
  kill?.when?.then(shoot);
  const { code, signal, stdout, stderr } = await child.output();
  over = true;
  clearTimeout(timer);
  const decoder = new TextDecoder();
  return {
    code: killed && signal === "SIGKILL" ? null : code,
    stdout: decoder.decode(stdout),
    stderr: decoder.decode(stderr),
    ms: performance.now() - started,
  };
}
