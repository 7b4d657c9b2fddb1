/** A process that gets a signal before it asks for any, and prints what it hears; for early_signals_test.ts. */
import { earlySignals } from "../../src/edge/early_signals.ts";

const signals = earlySignals();
const name = Deno.args[0] as Deno.Signal;
const delivered = Promise.withResolvers<void>();
const tell = () => delivered.resolve();
Deno.addSignalListener(name, tell);
Deno.kill(Deno.pid, name);
await delivered.promise;
Deno.removeSignalListener(name, tell);
const heard: string[] = [];
const close = signals.onSignal((name) => void heard.push(name));
console.log(JSON.stringify({ came: signals.came, heard }));
close();
close();
// Now it does what it always does.
Deno.kill(Deno.pid, name);
await new Promise((resolve) => setTimeout(resolve, 60_000));
