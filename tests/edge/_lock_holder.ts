/**
 * A process that takes the lock of an output, says how that went, and holds it until its standard input is closed, also
 * one for which the file system has no locks; or one that asks who holds it.
 */
import { lockHolder, takeLock } from "../../src/edge/deno_lock.ts";

const path = Deno.args[0]!, says: string[] = [];
if (Deno.args[1] === "ask") {
  console.log(JSON.stringify(await lockHolder(path)));
  Deno.exit();
}
if (Deno.args[1] === "unlocked") {
  // As on file systems that have none (ENOSYS) or whose lock server is away (ENOLCK).
  Deno.FsFile.prototype.lock = () => Promise.reject(new Error("No locks available (os error 37)"));
}
const times = Deno.args[1] === "unlocked" ? { beat: 100, firstBeat: 100, watch: 5000 } : undefined;
try {
  const lock = await takeLock(path, path.replace(/\.lock$/, ""), (text) => says.push(text), times);
  console.log(JSON.stringify({ held: true, says }));
  for await (const _ of Deno.stdin.readable);
  lock.release();
  console.log("released");
} catch (error) {
  console.log(JSON.stringify({ refused: (error as Error).message, name: (error as Error).name }));
}
// A request for a lock that somebody else holds never ends by itself.
Deno.exit();
