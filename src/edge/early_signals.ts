/**
 * Signals from the very start. Imports nothing, so that `main.ts` has it before everything that is slow to load: without
 * listeners a signal ends the process at once, whatever it was about to do.
 */

/** The signals that a run handles. */
export type StopSignal = "SIGINT" | "SIGTERM" | "SIGUSR1";

const STOPPING: readonly StopSignal[] = ["SIGINT", "SIGTERM", "SIGUSR1"];

/** What {@link earlySignals} returns. */
export interface EarlySignals {
  /** Whether one has come yet. */
  readonly came: boolean;
  /**
   * Passes on signals that have come already, and later ones as they come. The returned function ends that permanently:
   * signals then have their default effect.
   */
  onSignal(call: (name: StopSignal) => void): () => void;
}

/** Starts listening. */
export function earlySignals(): EarlySignals {
  const waiting: StopSignal[] = [];
  let came = false;
  let hear: (name: StopSignal) => void = (name) => waiting.push(name);
  const stopping = (name: StopSignal) => () => {
    came = true;
    hear(name);
  };
  const listeners: (readonly [Deno.Signal, () => void])[] = [
    ...STOPPING.map((name) => [name, stopping(name)] as const),
    // A closed terminal is not a reason to stop.
    ["SIGHUP", () => {}],
    // Without a listener a write beyond `ulimit -f` ends the process; with one it fails like one to a full disk.
    ["SIGXFSZ", () => {}],
  ];
  for (const [name, listener] of listeners) Deno.addSignalListener(name, listener);
  return {
    get came() {
      return came;
    },
    onSignal(call) {
      hear = call;
      for (const name of waiting.splice(0)) call(name);
      return () => {
        for (const [name, listener] of listeners.splice(0)) Deno.removeSignalListener(name, listener);
      };
    },
  };
}
