import assert from "node:assert/strict";
import { RowFault } from "../../src/rows/problems.ts";
import { Tasks } from "../../src/rows/task_index.ts";
import { messageOf, row } from "./_rows.ts";

const given = (index: string, more = "") => `{"_ng_task_index": ${index}${more}}`;

/** The identities that rows get, one rollout each. */
function number(lines: string[]): { identities: string[]; size: number } {
  const tasks = new Tasks();
  const identities = lines.map((line) => {
    const task = tasks.indexOf(row(line).object);
    return `${task}-${tasks.nextRollout(task)}`;
  });
  return { identities, size: tasks.size };
}

for (
  const [what, lines, want, size] of [
    ["different lines", [`{"a":1}`, `{"a":2}`], ["0-0", "1-0"], 2],
    ["identical lines", [`{"a":1}`, `{"a":2}`, `{"a":1}`], ["0-0", "1-0", "0-1"], 2],
    ["another spacing", [`{"a":1}`, `{"a": 1}`, `{"a":1} `], ["0-0", "1-0", "2-0"], 3],
    ["another key order", [`{"a":1,"b":2}`, `{"b":2,"a":1}`], ["0-0", "1-0"], 2],
    ["carriage returns", [`{"a":1}\r`, `{"a":1}`], ["0-0", "0-1"], 1],
    ["given numbers", [given("7"), given("7", `,"b":1`), given("40")], ["7-0", "7-1", "40-0"], 2],
    ["given numbers, which take none from the others", [given("7"), `{"a":1}`, `{"a":2}`], [
      "7-0",
      "0-0",
      "1-0",
    ], 3],
    ["a given number met later by a line", [given("1"), `{"a":1}`, `{"a":2}`], ["1-0", "0-0", "1-1"], 2],
    ["a given number that a line has", [`{"a":1}`, given("0"), `{"a":1}`], ["0-0", "0-1", "0-2"], 1],
    ["both, back and forth", [given("1"), given("1"), `{"a":1}`, `{"a":2}`, given("1"), `{"a":2}`], [
      "1-0",
      "1-1",
      "0-0",
      "1-2",
      "1-3",
      "1-4",
    ], 2],
    ["numbers of all sizes", [given("-3"), given("9007199254740991"), given("-0"), given("0"), given("-3")], [
      "-3-0",
      "9007199254740991-0",
      "0-0",
      "0-1",
      "-3-1",
    ], 3],
  ] as [string, string[], string[], number][]
) {
  Deno.test(`Tasks numbers ${what}`, () => assert.deepEqual(number(lines), { identities: want, size }));
}

for (const index of ["1.0", "1e3", `"7"`, "null", "true", "[7]", "9007199254740993", "1.5"]) {
  Deno.test(`Tasks.indexOf() refuses ${index}`, () => {
    const run = () => number([given(index)]);
    assert.throws(run, RowFault);
    assert.ok(messageOf(run).includes(`it is ${index}`));
  });
}

Deno.test("Tasks counts the rollouts of many tasks, given or not", () => {
  const tasks = new Tasks();
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 500; i++) {
      for (const line of [`{"a":${i}}`, given(String(1e12 + i))]) {
        const task = tasks.indexOf(row(line).object);
        assert.equal(task, line.startsWith(`{"a"`) ? i : 1e12 + i);
        assert.equal(tasks.nextRollout(task), round);
      }
    }
  }
  assert.equal(tasks.size, 1000);
});
