import assert from "node:assert/strict";
import fc from "fast-check";
import { readObject } from "../../src/json/object.ts";
import { JsonFault } from "../../src/json/scan.ts";
import { readLine } from "../../src/health/read_line.ts";
import { trajectory } from "../../src/health/read_trajectory.ts";
import { readShape, ShapeFault } from "../../src/health/shape.ts";
import { usageOf } from "../../src/health/usage.ts";
import { call, row, turn } from "./_rollouts.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** What `make` gives, or the name of what it throws. */
function outcome(make: () => unknown): unknown {
  try {
    return make();
  } catch (fault) {
    assert.ok(fault instanceof JsonFault || fault instanceof ShapeFault, String(fault));
    return fault.name;
  }
}

/** The line in one pass tells what its members tell read one by one. */
function assertSame(line: Uint8Array): void {
  const whole = outcome(() => readObject(line)), read = outcome(() => readLine(line));
  if (whole === "JsonFault" || read === "JsonFault") return assert.equal(read, whole);
  const { row, trajectory: ofLine, usage } = readLine(line);
  assert.deepEqual([...row.members], [...readObject(line).members]);
  assert.deepEqual(usage(), usageOf(row));
  const raw = row.raw("ng_trajectory");
  const alone = raw && raw[0] !== 0x6e ? outcome(() => readShape(raw, trajectory)) : null;
  assert.deepEqual(outcome(ofLine), alone);
}

const LINE = JSON.stringify(row({}, {
  turns: [
    turn(1, ["call-0"], { answer: [{ type: "message", content: [{ text: "hi \\" }] }], timestamp: 1.25 }),
  ],
  model_calls: [call("call-0", {}, { request: { input: [1, { a: null }] } })],
}));

const LINES: readonly (readonly [what: string, line: string])[] = [
  ["a rollout", LINE],
  ["white space everywhere", JSON.stringify(JSON.parse(LINE), null, "\t").replaceAll("\n", "\r ")],
  ["no trajectory", '{"reward":1}'],
  [
    "a trajectory that is null, and usage of chat completions",
    '{"ng_trajectory":null,"response":{"usage":{"prompt_tokens":3}}}',
  ],
  ["a trajectory that is a list", '{"ng_trajectory":[1]}'],
  ["two trajectories, of which the last counts", `{"ng_trajectory":{"a":1},${LINE.slice(1)}`],
  ["two trajectories, the last with its name in escapes", `${LINE.slice(0, -1)},"\\u006eg_trajectory":7}`],
  [
    "two responses",
    '{"response":{"usage":{"input_tokens":1}},"response":{"usage":{"output_tokens":2,"output_tokens":null}}}',
  ],
  ["a response that is a string", '{"response":"usage"}'],
  [
    "a list that ends in a comma",
    '{"ng_trajectory":{"task_id":"0","rollout_id":"0-0","turns":[],"gaps":[{"code":"x"},]}}',
  ],
  ["an object that ends in a comma", '{"ng_trajectory":{"task_id":"0","rollout_id":"0-0",}}'],
  ["members without a comma", '{"ng_trajectory":{"task_id":"0" "rollout_id":"0-0"}}'],
  [
    "elements without a comma",
    '{"ng_trajectory":{"task_id":"0","rollout_id":"0-0","gaps":[{"code":"x"} {"code":"y"}]}}',
  ],
  [
    "a null that is none",
    '{"ng_trajectory":{"task_id":"0","rollout_id":"0-0","gaps":[{"code":"x","detail":nuLL}]}}',
  ],
  ["a trajectory that does not fit and is no JSON behind that", '{"ng_trajectory":{"task_id":0,"x":}}'],
];

for (const [what, line] of LINES) {
  Deno.test(`a line read in one pass tells what its members tell: ${what}`, () => assertSame(encode(line)));
}

Deno.test("for any byte of a line that is another, or where it ends early: one pass finds what reading it twice finds", () => {
  const bytes = encode(LINE);
  const odd = [...'{}[],:"\\ nt0-.e\0'].map((c) => c.charCodeAt(0)).concat(0x80, 0xc3, 0xff);
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.constantFrom(...odd), fc.boolean(), (at, byte, cut) => {
      const line = bytes.slice(0, cut ? at : bytes.length);
      if (!cut) line[at] = byte;
      assertSame(line);
    }),
    { numRuns: 3000 },
  );
});

Deno.test("a byte-order mark at the start of a string is part of it", () => {
  const id = `\ufeff${"x".repeat(60)}`;
  const line = JSON.stringify(row({}, { turns: [turn(1, [], { invocation_id: id })] }));
  assert.equal(readLine(encode(line)).trajectory()!.turns[0]!.invocation_id, id);
});
