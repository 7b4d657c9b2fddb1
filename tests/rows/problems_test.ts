import assert from "node:assert/strict";
import { type Kind, Problems, RowFault, shown } from "../../src/rows/problems.ts";

const LONE: Kind = { heading: "Rows without a hat", advice: "Give them one." };
const SHARED: Kind = { heading: "Hats that do not fit", advice: "" };

Deno.test("Problems.message() is undefined while there are none", () => {
  assert.equal(new Problems("in.jsonl").message(), undefined);
});

Deno.test("Problems.message() lists rows by kind, with file, line, task and detail", () => {
  const problems = new Problems("in.jsonl");
  problems.add(new RowFault(LONE, ""), { line: 2, task: 1 });
  problems.add(new RowFault(SHARED, "it is red"), { line: 3, task: 2 });
  problems.add(new RowFault(LONE, ""), { line: 9 });
  assert.equal(
    problems.message(),
    "Rows without a hat:\n  in.jsonl:2 (task 1)\n  in.jsonl:9\nGive them one.\n\n" +
      "Hats that do not fit:\n  in.jsonl:3 (task 2): it is red",
  );
});

Deno.test("Problems.message() lists what rows share once, with the first row", () => {
  const problems = new Problems("in.jsonl");
  for (const line of [1, 2, 3]) problems.add(new RowFault(SHARED, `"red"`, "red"), { line, task: line });
  problems.add(new RowFault(SHARED, `"blue"`, "blue"), { line: 4, task: 4 });
  assert.equal(
    problems.message(),
    `Hats that do not fit:\n  in.jsonl:1 (task 1) and 2 more: "red"\n  in.jsonl:4 (task 4): "blue"`,
  );
});

Deno.test("Problems.message() shows the first 20 and counts the rest", () => {
  const problems = new Problems("in.jsonl");
  for (let line = 1; line <= 100; line++) problems.add(new RowFault(LONE, ""), { line });
  for (let line = 1; line <= 100; line++) {
    problems.add(new RowFault(SHARED, `${line % 25}`, `${line % 25}`), { line });
  }
  const [lone, shared] = problems.message()!.split("\n\n");
  assert.match(lone!, /in\.jsonl:20\n {2}… and 80 more\nGive/);
  assert.doesNotMatch(lone!, /in\.jsonl:21/);
  assert.match(shared!, / {2}in\.jsonl:20 and 3 more: 20\n {2}… and 20 more$/);
});

Deno.test("shown() truncates long values", () => {
  assert.equal(shown("x"), `"x"`);
  assert.equal(shown(undefined), "missing");
  assert.equal(shown("x".repeat(1000)).length, 61);
});
