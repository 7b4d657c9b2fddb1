/** The terminal the process was started from. */
import type { Terminal } from "../ports/terminal.ts";

/** A terminal of unknown size: not one, or one that says it has no columns. */
const COLUMNS = 80;

/** {@link Terminal} over standard output and standard error. */
export function denoTerminal(): Terminal {
  const live = Deno.stderr.isTerminal() && Deno.env.get("TERM") !== "dumb";
  return {
    live,
    colour: live && !Deno.noColor,
    columns: () => consoleColumns() || COLUMNS,
    out: (text) => write(Deno.stdout, text),
    err: (text) => write(Deno.stderr, text),
  };
}

function consoleColumns(): number {
  try {
    return Deno.consoleSize().columns;
  } catch {
    return 0; // not a terminal
  }
}

/** A reader that has gone away (`| head`) is a quiet success. */
function write(stream: { writeSync(bytes: Uint8Array): number }, text: string): void {
  const bytes = new TextEncoder().encode(text);
  try {
    for (let at = 0; at < bytes.length;) at += stream.writeSync(bytes.subarray(at));
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe || error instanceof Deno.errors.WouldBlock) return;
    throw error;
  }
}
