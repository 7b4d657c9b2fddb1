/** Writes the pages that are made from the sources: `deno task docs`. */
import { keysReference } from "../src/config/reference.ts";

await Deno.writeTextFile(new URL("keys.md", import.meta.url), keysReference());
