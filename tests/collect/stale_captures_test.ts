import assert from "node:assert/strict";
import { staleCaptures } from "../../src/collect/stale_captures.ts";
import { RowIndex, State } from "../../src/plan/row_index.ts";
import { MemoryCaptures } from "../fakes/memory_captures.ts";
import { MemoryFiles } from "../fakes/memory_files.ts";
import { planOf } from "../resume/_run.ts";

/** A row: its own name if it has one, and what it is to the run. */
interface TestRow {
  readonly id?: string;
  readonly state?: number;
  readonly attempts?: number;
}

/** Which of these files have to go before these rows run, with an attempt limit of 3. */
async function stale(rows: readonly TestRow[], names: readonly string[]): Promise<string[]> {
  const index = new RowIndex(), lines: string[] = [];
  let offset = 0;
  for (const [task, { id, state = State.OWED, attempts = 0 }] of rows.entries()) {
    const line = JSON.stringify({
      _ng_task_index: task,
      _ng_rollout_index: 0,
      ...(id ? { _ng_rollout_id: id } : {}),
    });
    index.add({ offset, length: line.length, task, rollout: 0, route: 0 });
    index.columns.state[task] = state;
    index.columns.attempts[task] = attempts;
    offset += line.length + 1;
    lines.push(`${line}\n`);
  }
  const plan = planOf({ captures: "/c", attempts: 3 });
  const inputs = new MemoryFiles({ [plan.paths.inputs]: lines.join("") }).read(plan.paths.inputs);
  const files = new MemoryCaptures(Object.fromEntries(names.map((name) => [name, ""])));
  return (await staleCaptures(plan, index, { files, inputs })).sort();
}

const jsonl = (id: string) => `${id}.capture.jsonl`, incomplete = (id: string) => `${id}.capture.incomplete`;
const { DONE, TERMINAL, AT_CAP } = State;

const rules: Record<string, [rows: readonly TestRow[], names: readonly string[], stale: readonly string[]]> =
  {
    "every attempt's up to the limit, with the marks of damage": [
      [{}],
      ["0-0", "0-0-a1", "0-0-a3"].flatMap((id) => [jsonl(id), incomplete(id)]),
      ["0-0", "0-0-a1", "0-0-a3"].flatMap((id) => [incomplete(id), jsonl(id)]),
    ],
    "no attempt's beyond the limit, unless the row is there": [
      [{}, { attempts: 5 }],
      [jsonl("0-0-a4"), jsonl("1-0-a5"), jsonl("1-0-a6")],
      [jsonl("1-0-a5")],
    ],
    "none of rows that are not about to run": [
      [{ state: DONE }, { state: TERMINAL }, { state: AT_CAP }, {}],
      ["0-0", "1-0", "2-0-a1", "3-0"].map(jsonl),
      [jsonl("3-0")],
    ],
    "none of rollouts that the run does not have": [
      [{}],
      ["9-9", "0-1", "00-0", "0-0-b1", "0-0-a01"].map(jsonl),
      [],
    ],
    "nothing that is not a capture": [
      [{}],
      [
        "0-0",
        "0-0.jsonl",
        "0-0.capture.jsonl.bak",
        "0-0.capture.json",
        ".capture.jsonl",
        "x/0-0.capture.jsonl",
      ],
      [],
    ],
    "names that rows give themselves": [[{ id: "x.1" }], [jsonl("x.1"), jsonl("x.1-a2"), jsonl("0-0")], [
      jsonl("x.1-a2"),
      jsonl("x.1"),
    ]],
    "a name that two rows share": [[{ id: "x", state: DONE }, { id: "x" }], [jsonl("x")], [jsonl("x")]],
    "not the name of a done row that looks like another row's attempt": [
      [{ id: "x" }, { id: "x-a1", state: DONE }],
      [jsonl("x"), jsonl("x-a1")],
      [jsonl("x")],
    ],
    "that name after all when this attempt is about to run": [
      [{ id: "x", attempts: 1 }, { id: "x-a1", state: DONE }],
      [jsonl("x-a1")],
      [jsonl("x-a1")],
    ],
    "an empty folder": [[{}], [], []],
  };

Deno.test("staleCaptures() names the captures of rows that are about to run, and no other file", async () => {
  for (const [name, [rows, names, expected]] of Object.entries(rules)) {
    assert.deepEqual(await stale(rows, names), [...expected].sort(), name);
  }
});
