/** rollcall: builds the real world, runs, exits. */
import process from "node:process";
import { run } from "./src/cli/run.ts";
import { denoWorld } from "./src/edge/deno_world.ts";

// Exits by itself instead of when nothing is left to do: a request for a lock that somebody else holds never ends.
// The name it was called by, which a link gives it, is in argv0 only: Deno.execPath() has links resolved.
if (import.meta.main) Deno.exit(await run(denoWorld(process.argv0, Deno.args)));
