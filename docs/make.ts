/** Writes the pages that are made from the sources: `deno task docs`. */
import { keysReference } from "../src/config/reference.ts";
import { jsonReference } from "../src/report/json_reference.ts";

await Deno.writeTextFile(new URL("keys.md", import.meta.url), keysReference());
await Deno.writeTextFile(new URL("json.md", import.meta.url), jsonReference());
