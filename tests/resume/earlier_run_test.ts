import assert from "node:assert/strict";
import { type RowIndex, State } from "../../src/plan/row_index.ts";
import { gate, standing } from "../../src/resume/standing.ts";
import { RowLookup } from "../../src/plan/row_lookup.ts";
import { inOrder, longestFirst } from "../../src/plan/order.ts";
import { readFailures, readRollouts } from "../../src/resume/earlier_run.ts";
import { indexOf, linesOf, statesOf } from "./_run.ts";

const row = (task: number, rollout: number, more = "") =>
  `{${more}"_ng_task_index":${task},"_ng_rollout_index":${rollout}}\n`;

function rollouts(index: RowIndex, text: string, retryInvalidJudge = false) {
  const { bad, invalid, ...rest } = readRollouts(
    linesOf(text),
    index,
    new RowLookup(index),
    retryInvalidJudge,
  );
  return { ...rest, bad: [...bad.spans], shown: bad.shown, invalid: [...invalid] };
}

Deno.test("readRollouts() marks what is done, and counts what is odd", () => {
  const index = indexOf([0, 0], [0, 1], [1, 0], [2, 0]);
  const text = row(0, 1) + "\n  \n" + row(7, 0) + row(1, 0) + row(0, 1) + '{"reward":1}\n' +
    '{"_ng_task_index":"0","_ng_rollout_index":0}\n' + '{"cut":\n' + row(1, 0, '"reward":NaN,');
  const found = rollouts(index, text);
  assert.deepEqual(statesOf(index), [State.OWED, State.DONE, State.DONE, State.OWED]);
  assert.deepEqual({ ...found, bad: found.bad.length }, {
    twice: 1,
    strangers: 1,
    nameless: 2,
    torn: false,
    bad: 4,
    shown: [
      "line 7: it has no _ng_task_index and _ng_rollout_index that are whole numbers",
      "line 8: it has no _ng_task_index and _ng_rollout_index that are whole numbers",
      "line 9: it is cut off",
      `line 10: unexpected "NaN,\\"_ng_tas" at byte 10`,
    ],
    invalid: [],
  });
  for (const [offset, length] of found.bad) {
    assert.match(
      text.slice(offset, offset + length),
      /^\{("cut":|"reward":NaN,.*|"reward":1\}|"_ng_task_index":"0",.*)\n$/,
    );
  }
});

Deno.test("readRollouts() passes over a last line that is cut off or being written, and takes a whole one", () => {
  const index = indexOf([0, 0], [1, 0]);
  assert.equal(rollouts(index, row(0, 0) + '{"_ng_task_index":1,"_ng_roll').torn, true);
  assert.deepEqual(statesOf(index), [State.DONE, State.OWED]);
  assert.equal(rollouts(index, row(1, 0).trimEnd()).torn, false);
  assert.deepEqual(statesOf(index), [State.DONE, State.DONE]);
});

Deno.test("readRollouts() leaves rows with an invalid judge response undone, only where they are retried", () => {
  const text = row(0, 0, '"invalid_judge_response":true,') + row(1, 0, '"invalid_judge_response":false,') +
    row(2, 0, '"invalid_judge_response":1,') + row(9, 0, '"invalid_judge_response":true,');
  const index = indexOf([0, 0], [1, 0], [2, 0]);
  assert.equal(rollouts(index, text, true).invalid.length, 3);
  assert.deepEqual(statesOf(index), [State.OWED, State.DONE, State.OWED]);
  assert.deepEqual(rollouts(index, text).invalid, []);
  assert.deepEqual(statesOf(index), [State.DONE, State.DONE, State.DONE]);
});

function failures(index: RowIndex, text: string, retryTerminalTimeouts = false) {
  return readFailures(linesOf(text), index, new RowLookup(index), retryTerminalTimeouts);
}

Deno.test("readFailures() counts attempts, and knows terminal ones, classes, durations and deliverables", () => {
  const index = indexOf([0, 0], [1, 0], [2, 0], [3, 0]);
  const past = failures(
    index,
    row(0, 0, '"_ng_failure_class":"agent_run_error","elapsed_seconds":5,') +
      row(0, 0, '"_ng_failure_class":"timeout_exceeded","elapsed_seconds":"9",') +
      row(0, 0, '"_ng_failure_class":"timeout_exceeded","elapsed_seconds":7,') +
      row(1, 0, '"_ng_failure_class":"skipped","_ng_failure_terminal":true,') +
      row(1, 0, '"_ng_failure_class":"agent_run_error",') +
      row(2, 0, '"_ng_failure_class":"judge_invalid","reuse_cached_deliverable":true,') +
      row(2, 0, '"reuse_cached_deliverable":false,') + row(8, 0) +
      '{"_ng_failure_class":"no_identity"}\n{bad}\n',
  );
  const { attempts, reuse } = index.columns;
  assert.deepEqual([...attempts.subarray(0, 4)], [3, 2, 2, 0]);
  assert.deepEqual([...reuse.subarray(0, 4)], [0, 0, 1, 0]);
  assert.deepEqual([...past.terminal], [0, 1, 0, 0]);
  assert.deepEqual([...past.elapsed], [9, 0, 0, 0]);
  assert.deepEqual([past.attempts, past.strangers, past.nameless, past.bad.spans.size], [7, 1, 1, 1]);
  assert.deepEqual(
    [...past.lastClass].map((place) => past.classes[place - 1]),
    ["timeout_exceeded", "agent_run_error", "unknown", undefined],
  );

  gate(index, past, { cap: 3, retryExhausted: false, retryFailures: [] });
  assert.deepEqual(statesOf(index), [State.AT_CAP, State.TERMINAL, State.OWED, State.OWED]);
  assert.deepEqual(standing(index, past), {
    rollouts: 4,
    done: 0,
    terminal: 1,
    atCap: 1,
    left: 2,
    leftFailed: 1,
    attempts: 7,
    failed: { timeout_exceeded: 1, agent_run_error: 1, unknown: 1 },
  });
});

Deno.test("readFailures() asks the class what is terminal, where timeouts are retried", () => {
  const index = indexOf([0, 0], [1, 0]);
  const text = row(0, 0, '"_ng_failure_class":"timeout_exceeded","_ng_failure_terminal":true,') +
    row(1, 0, '"_ng_failure_class":"skipped",');
  assert.deepEqual([...failures(index, text).terminal], [1, 0]);
  assert.deepEqual([...failures(index, text, true).terminal], [0, 1]);
});

Deno.test("readFailures() sets aside a line with a member that it reads and that is not JSON", () => {
  const index = indexOf([0, 0]);
  const past = failures(index, row(0, 0, '"_ng_failure_class":truly,'));
  assert.equal(past.bad.spans.size, 1);
  assert.equal(index.columns.attempts[0], 0);
});

Deno.test("gate() leaves alone what is done, whatever failed before", () => {
  const index = indexOf([0, 0], [1, 0]);
  rollouts(index, row(0, 0));
  const past = failures(index, row(0, 0, '"_ng_failure_terminal":true,').repeat(5) + row(1, 0).repeat(2));
  gate(index, past, { cap: 2, retryExhausted: false, retryFailures: [] });
  assert.deepEqual(statesOf(index), [State.DONE, State.AT_CAP]);
  assert.deepEqual([...inOrder(index)], []);
});

Deno.test("longestFirst() starts the longest known first, then the others in the order of the file", () => {
  const index = indexOf([0, 0], [1, 0], [2, 0], [3, 0], [4, 0], [5, 0]);
  index.columns.state[4] = State.DONE;
  assert.deepEqual([...inOrder(index)], [0, 1, 2, 3, 5]);
  assert.deepEqual(longestFirst(index, Float64Array.of(0, 10, 0, 30.5, 99, 10)), [3, 1, 5, 0, 2]);
  assert.deepEqual(longestFirst(index, new Float64Array(6)), [0, 1, 2, 3, 5]);
});

for (
  const [what, line] of [
    ["a number that is two", '{"a":1-2,ID}'],
    ["half a word", '{"a":nul,ID}'],
    ["a comma before a brace", '{"a":1,ID,}'],
    ["mixed brackets", '{"a":[1},ID]}'],
    ["an escape that JSON does not have", '{"a":"\\x",ID}'],
    ["nothing", "{}"],
    ["an identity of the wrong type", '{"_ng_task_index":{},"_ng_rollout_index":0}'],
    ["a fraction as an identity", '{"_ng_task_index":0.5,"_ng_rollout_index":0}'],
    ["another value than an object", "123"],
  ] as const
) {
  Deno.test(`readRollouts() does not take ${what} for a rollout that is done`, () => {
    const index = indexOf([0, 0]);
    const text = `${line.replace("ID", '"_ng_task_index":0,"_ng_rollout_index":0')}\n`;
    const found = rollouts(index, text);
    assert.deepEqual(found.bad, [[0, text.length]]);
    assert.deepEqual(statesOf(index), [State.OWED]);
  });
}

Deno.test("readRollouts() does not take bytes that are not UTF-8 for a rollout that is done", () => {
  const index = indexOf([0, 0]);
  const bytes = new TextEncoder().encode(row(0, 0, '"a":"?",'));
  bytes[bytes.indexOf(0x3f)] = 0xff;
  const line = { bytes: bytes.subarray(0, -1), offset: 0, number: 1, whole: true };
  assert.equal(readRollouts([line], index, new RowLookup(index), false).bad.spans.size, 1);
  assert.deepEqual(statesOf(index), [State.OWED]);
});

const deep = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
for (
  const [what, value, name] of [
    ["an object", '{"toString":1}', '{"toString":1}'],
    ["nested 100,000 deep", deep(100_000), `${deep(100_000).slice(0, 200)}…`],
    ["null", "null", "null"],
    ["a number", "7", "7"],
  ] as const
) {
  Deno.test(`readFailures() counts an attempt whose class is ${what}`, () => {
    const index = indexOf([0, 0]);
    const odd =
      `"_ng_failure_class":${value},"elapsed_seconds":${value},"reuse_cached_deliverable":${value},`;
    const past = failures(index, row(0, 0, odd));
    assert.deepEqual([past.attempts, past.bad.spans.size, index.columns.attempts[0]], [1, 0, 1]);
    assert.deepEqual(past.classes, [name]);
  });
}
