/** The conditions of `rollcall filter`. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { UsageFault } from "../../src/kit/fault.ts";
import { type FieldValue, parseCondition } from "../../src/results/where.ts";

const TASK: Record<string, FieldValue> = {
  pass_rate: 0.5,
  rollouts: 4,
  solved: "sometimes",
  mean: -1.5,
  id: null,
  "pass@2": 0.75,
  "mean/turns": 3,
  "input.meta.subject": 'al"gebra',
};
const NAMES = ["pass_rate", "rollouts", "solved", "mean", "id"];
const KINDS = [
  { shown: "pass@K", names: /^pass@[1-9]\d*$/ },
  { shown: "mean/NAME", names: /^mean\/./ },
  { shown: "input.NAME", names: /^input\../ },
];

function holds(text: string): boolean {
  return parseCondition(text, { names: NAMES, kinds: KINDS }).holds((name) => TASK[name] ?? null);
}

const TRUE = [
  "pass_rate > 0.1 and pass_rate < 0.9",
  "pass_rate >= .5",
  "0.5 = pass_rate",
  "pass_rate == 5e-1",
  "mean < -1",
  "mean=-1.5",
  "rollouts != 3",
  "not rollouts = 3",
  "not not rollouts = 4",
  "(rollouts = 3 or rollouts = 4) and solved = 'sometimes'",
  "rollouts = 4 or rollouts = 3 and rollouts = 2",
  "not (rollouts = 4 and rollouts = 3)",
  `solved != "always"`,
  "pass@2 > 0.7",
  "mean/turns = 3",
  `input.meta.subject = "al\\"gebra"`,
  `input.meta.subject = 'al"gebra'`,
  "not id = 'x'",
  "((((1 < 2))))",
  "'and' = 'and'",
  "  rollouts   >3  ",
];
for (const text of TRUE) Deno.test(`it holds that ${text}`, () => assert.equal(holds(text), true));

const FALSE = [
  "pass_rate > 0.5",
  "not rollouts = 4",
  "(rollouts = 4 or rollouts = 3) and rollouts = 2",
  "id = 'x'",
  "id != 'x'",
  "solved = 1",
  "rollouts = '4'",
  "input.nothing = 1",
];
for (const text of FALSE) Deno.test(`it does not hold that ${text}`, () => assert.equal(holds(text), false));

const WRONG: [string, number, RegExp][] = [
  ["", 1, /expected a field/],
  ["pass_rate", 10, /expected a comparison/],
  ["pass_rate >", 12, /expected a field, a number or a string/],
  ["0.1 < pass_rate < 0.9", 17, /two values at a time: a < b and b < c/],
  ["(pass_rate > 1", 15, /expected \)/],
  ["pass_rate > 1)", 14, /expected and, or, or the end/],
  ["pass_rate > 1 rollouts = 2", 15, /expected and, or/],
  [
    "pas_rate > 1",
    1,
    /no field pas_rate \(did you mean pass_rate\?\)\. Fields: pass_rate, .*, pass@K, mean\/NAME, input\.NAME/,
  ],
  ["and = 1", 1, /expected a field/],
  ["pass_rate & 1", 11, /not part of a condition/],
  ["solved = 'x", 10, /not part of a condition/],
  ["pass_rate > 1x", 13, /not part of a condition/],
  ["input. = 1", 1, /no field input\./],
];
for (const [text, column, why] of WRONG) {
  Deno.test(`a condition is refused: ${text}`, () => {
    assert.throws(() => holds(text), (error) => {
      assert(error instanceof UsageFault);
      assert.match(error.message, why);
      assert.match(error.message, new RegExp(`at character ${column}:`));
      return true;
    });
  });
}

Deno.test("any text is a condition or an error that says where it is none", () => {
  const piece = fc.constantFrom(
    "pass_rate",
    "rollouts",
    "and",
    "or",
    "not",
    "(",
    ")",
    "<",
    ">=",
    "=",
    "1",
    "'x'",
    " ",
    "\n",
    "é",
  );
  fc.assert(fc.property(fc.oneof(fc.array(piece).map((all) => all.join(" ")), fc.string()), (text) => {
    try {
      assert.equal(typeof holds(text), "boolean");
    } catch (error) {
      assert(error instanceof UsageFault, String(error));
      assert.match(error.message, /at character \d+/);
    }
  }));
});

Deno.test("nesting has an end before the stack has", () => {
  const deep = (n: number) => "(".repeat(n) + "1 < 2" + ")".repeat(n);
  assert.equal(holds(deep(100)), true);
  assert.throws(() => holds(deep(100_000)), /too many parentheses/);
  assert.equal(holds("not ".repeat(100_000) + "1 < 2"), true);
});
