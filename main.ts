/** rollcall: listens to signals, then loads the rest, builds the real world, runs, exits. */
import { earlySignals } from "./src/edge/early_signals.ts";

/** Milliseconds that a paused terminal may hold up the end of a run that a signal has stopped. */
const STOPPED_FLUSH_MS = 2000;

if (import.meta.main) {
  const signals = earlySignals();
  // What takes a while to load is imported only now, so that a signal in that while is not lost.
  const { whyRefused } = await import("./src/edge/runtime.ts"), why = whyRefused(Deno.version.deno);
  if (why !== undefined) {
    console.error(why);
    Deno.exit(2);
  }
  const [{ default: process }, { run }, { denoWorld }] = await Promise.all([
    import("node:process"),
    import("./src/cli/rollcall.ts"),
    import("./src/edge/deno_world.ts"),
  ]);
  // The name it was called by, which a link gives it, is in argv0 only: Deno.execPath() has links resolved.
  const world = denoWorld(process.argv0, Deno.args, signals.onSignal);
  try {
    Deno.exitCode = await run(world);
  } finally {
    // Nobody listens to signals any more: they end a process whose terminal is paused.
    await world.terminal.flush(signals.came ? STOPPED_FLUSH_MS : Infinity);
    const { lost } = world.terminal;
    if (lost !== undefined) {
      console.error(`rollcall: Cannot write to standard output: ${lost}.`);
      Deno.exitCode ||= 1;
    }
  }
  // Exits by itself instead of when nothing is left to do: a request for a lock that somebody else holds never ends.
  Deno.exit();
}
