/** The terminal the process was started from. */
import { systemReason } from "../kit/system_error.ts";
import type { Terminal } from "../ports/terminal.ts";
import { styleOf } from "./terminal_style.ts";
import { TextPump } from "./text_pump.ts";

/** A terminal of unknown size: not one, or one that says it has no columns. */
const COLUMNS = 80;

/** Maximum characters queued for standard error: a terminal may be paused for days. */
const LIMIT = 256 * 1024;

/** {@link Terminal} over standard output and standard error. */
export function denoTerminal(): Terminal {
  const isTerminal = Deno.stderr.isTerminal();
  const { live, colour } = styleOf(isTerminal, (name) => Deno.env.get(name));
  const err = new TextPump((bytes) => Deno.stderr.write(bytes), {
    limit: LIMIT,
    // There may be a progress line.
    dropped: (lines) =>
      `${live ? "\r\x1b[K" : ""}… lines not shown, since the terminal did not accept them: ${lines}\n`,
  });
  const sameScreen = isTerminal && Deno.stdout.isTerminal();
  const out = new TextPump(async (bytes) => {
    // On a shared screen, keep the order of output.
    if (sameScreen) await err.flush();
    return await Deno.stdout.write(bytes);
  });
  return {
    live,
    colour,
    columns: () => consoleColumns() || COLUMNS,
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    get lost() {
      return out.fault === undefined ? undefined : systemReason(out.fault);
    },
    get busy() {
      return err.busy;
    },
    async flush(mostMs) {
      const late = Promise.withResolvers<void>();
      const timer = mostMs === Infinity ? undefined : setTimeout(late.resolve, mostMs);
      await Promise.race([Promise.all([out.flush(), err.flush()]), late.promise]);
      clearTimeout(timer);
    },
  };
}

function consoleColumns(): number {
  try {
    return Deno.consoleSize().columns;
  } catch {
    return 0; // not a terminal
  }
}
