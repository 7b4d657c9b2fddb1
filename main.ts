/** rollcall: builds the real world, runs, exits. */
import { run } from "./src/cli/run.ts";
import { denoWorld } from "./src/edge/deno_world.ts";

// Exits by itself instead of when nothing is left to do: a request for a lock that somebody else holds never ends.
if (import.meta.main) Deno.exit(await run(denoWorld(Deno.execPath(), Deno.args)));
