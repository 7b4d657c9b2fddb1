/** Whatever a line holds, the checks come to their end with it. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { ROLLOUT_CHECKS } from "../../src/health/checks.ts";
import { examine } from "../../src/health/examine.ts";
import { BRAIN, call, examined, type Json, row, trajectory, turn } from "./_rollouts.ts";

const anyValue = fc.jsonValue({ maxDepth: 3 });

/** An object that has some of its members from a good one, and any values for others. */
function mixed(good: Json): fc.Arbitrary<Json> {
  return fc.record(
    Object.fromEntries(
      Object.entries(good).map(([name, value]) => [name, fc.oneof(fc.constant(value), anyValue)]),
    ),
    { requiredKeys: [] },
  );
}

const anyCall = mixed(
  call("call-0", { response_id: "r", response_status: "failed", finish_reason: "length" }),
);
const anyTurn = mixed(turn(1, ["call-0"], { answer: [{ content: ["x"] }], reasoning_content: null }));
const anyTrajectory = fc.oneof(
  anyValue,
  mixed(trajectory()),
  fc.record({
    task_id: fc.constant("0"),
    rollout_id: fc.constant("0-0"),
    turns: fc.array(fc.oneof(anyTurn, fc.constant(turn(1, ["call-0"]))), { maxLength: 3 }),
    model_calls: fc.array(fc.oneof(anyCall, fc.constant(call("call-0", { model_ref: BRAIN }))), {
      maxLength: 3,
    }),
    gaps: fc.array(mixed({ code: "turns_unavailable", detail: "x", invocation_id: null }), { maxLength: 2 }),
  }),
);
const anyRow = fc.record({
  _ng_task_index: anyValue,
  _ng_rollout_index: anyValue,
  _ng_rollout_id: anyValue,
  stage_index: anyValue,
  response: anyValue,
  ng_trajectory: anyTrajectory,
}, { requiredKeys: [] });

Deno.test("examine() never throws, and never misses that something is wrong, whatever a line holds", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        anyRow.map((row) => JSON.stringify(row)),
        anyValue.map((it) => JSON.stringify(it)),
        fc.string(),
      ),
      (line) => {
        const { findings, unobserved, counts } = examined(line);
        assert.ok(unobserved >= 0 && unobserved < 1 << ROLLOUT_CHECKS.length);
        if (counts === null) assert.ok(findings.length > 0);
        assert.doesNotThrow(() => JSON.stringify(findings));
      },
    ),
    { numRuns: 2000 },
  );
});

Deno.test("examine() never throws, whatever bytes a line is", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
    examine(bytes, { file: "f", fileIndex: 0, line: 1, ordinal: 0 }, new Set());
  }));
});

Deno.test("examine() of a response nested a thousand lists deep finishes", () => {
  const deep = `${"[".repeat(1000)}${"]".repeat(1000)}`;
  const line = JSON.stringify(row({}, { turns: [turn(1, ["call-0"], { answer: 0 })] })).replace(
    '"answer":0',
    `"answer":${deep}`,
  );
  assert.deepEqual(examined(line).findings.map(({ check }) => check), ["agent_turn_hollow"]);
});

for (
  const [line, task, rollout, stage, id] of [
    ["{}", 3, 0, null, "3-0"],
    ['{"_ng_task_index":5}', 5, 0, null, "5-0"],
    ['{"_ng_task_index":"a","_ng_rollout_index":"b","stage_index":"c"}', "a", "b", "c", "a-b"],
    ['{"_ng_task_index":-1,"_ng_rollout_index":2.0}', -1, 2, null, "-1-2"],
    ['{"_ng_task_index":1.5,"_ng_rollout_index":true}', 3, 0, null, "3-0"],
    ['{"_ng_task_index":null,"_ng_rollout_index":null,"stage_index":null}', 3, 0, null, "3-0"],
    ['{"_ng_task_index":12345678901234567890}', 12345678901234567890n, 0, null, "12345678901234567890-0"],
    ['{"_ng_task_index":1,"_ng_rollout_id":"own.1","ng_trajectory":{"rollout_id":"t"}}', 1, 0, null, "own.1"],
    ['{"_ng_task_index":1,"_ng_rollout_id":"","ng_trajectory":{"rollout_id":"t"}}', 1, 0, null, "t"],
    ['{"_ng_task_index":1,"_ng_rollout_id":7}', 1, 0, null, "7"],
    ["oops", "__unreadable_record__:input-0:line-7", 0, null, "__unreadable_record__:input-0:line-7-0"],
  ] as const
) {
  Deno.test(`examine() says which rollout ${line} is`, () => {
    const examined_ = examined(line);
    assert.deepEqual([examined_.identity, examined_.id], [{ task, rollout, stage }, id]);
  });
}
