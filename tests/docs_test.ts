/** The pages of docs/ that are made from the sources. */
import assert from "node:assert/strict";
import { keysReference } from "../src/config/reference.ts";

Deno.test("docs/keys.md is what `deno task docs` makes", async () => {
  assert.equal(await Deno.readTextFile(new URL("../docs/keys.md", import.meta.url)), keysReference());
});
