import assert from "node:assert/strict";
import { Notes } from "../../src/collect/notes.ts";

Deno.test("Notes.say() says the first twenty of a kind, and once where the others are", () => {
  const said: string[] = [], notes = new Notes((text) => said.push(text));
  for (let n = 0; n < 50; n++) notes.say("a", `line ${n}`, "the file");
  assert.equal(said.length, 21);
  assert.equal(said[19], "line 19");
  assert.match(said[20]!, /the file/);
  notes.say("b", "another kind", "elsewhere");
  assert.equal(said.at(-1), "another kind");
});
