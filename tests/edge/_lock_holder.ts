/**
 * A process that takes the lock of an output, says how that went, and holds it until its standard input is closed; or
 * one that asks who holds it.
 */
import { lockHolder, takeLock } from "../../src/edge/deno_lock.ts";

const path = Deno.args[0]!, says: string[] = [];
if (Deno.args[1] === "ask") {
  console.log(JSON.stringify(await lockHolder(path)));
  Deno.exit();
}
try {
  const lock = await takeLock(path, path.replace(/\.lock$/, ""), (text) => says.push(text));
  console.log(JSON.stringify({ held: true, says }));
  for await (const _ of Deno.stdin.readable);
  lock.release();
  console.log("released");
} catch (error) {
  console.log(JSON.stringify({ refused: (error as Error).message, name: (error as Error).name }));
}
// A request for a lock that somebody else holds never ends by itself.
Deno.exit();
