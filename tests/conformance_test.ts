/**
 * Replays the recordings of Gym's collector against the sources.
 *
 * Every case in testdata/cases has to pass, but for those under LATER.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { checkCase } from "./conformance/case.ts";
import { shellWord } from "./conformance/command.ts";
import { LATER } from "./conformance/later.ts";

const project = join(import.meta.dirname!, "..");
const cases = join(project, "testdata", "cases");
const command = [
  shellWord(Deno.execPath()),
  "run --no-prompt --config",
  shellWord(join(project, "deno.json")),
  "-P=rollcall",
  shellWord(join(project, "main.ts")),
].join(" ");

const present = (await Array.fromAsync(Deno.readDir(cases))).map((entry) => entry.name).sort();

for (const name of present.filter((name) => !Object.hasOwn(LATER, name))) {
  Deno.test(`collector does what Gym's did, in case ${name}`, async () => {
    const { differences, outputs } = await checkCase(join(cases, name), { command });
    assert.ok(
      differences.length === 0,
      `\n${differences.join("\n")}\n--- output\n${outputs.join("--- next step\n")}`,
    );
  });
}

Deno.test("cases that are not replayed are there, and each has a reason", () => {
  for (const [name, reason] of Object.entries(LATER)) {
    assert.ok(present.includes(name), name);
    assert.ok(reason.trim(), `${name} needs a reason`);
  }
});
