import assert from "node:assert/strict";
import fc from "fast-check";
import { type JsonObject, readObject } from "../../src/json/object.ts";
import { JsonFault } from "../../src/json/scan.ts";
import { keyText, mutated, valueText } from "./_texts.ts";
import { MemberScan } from "../../src/json/member_scan.ts";

const encoder = new TextEncoder(), decoder = new TextDecoder();
const NAMES = ["_ng_task_index", "_ng_rollout_index", "a"];

function scan(line: string | Uint8Array): { fault: string | undefined; raws: (string | undefined)[] } {
  const scan = new MemberScan(NAMES);
  const fault = scan.scan(typeof line === "string" ? encoder.encode(line) : line);
  return { fault, raws: NAMES.map((_, place) => scan.raw(place)).map((raw) => raw && decoder.decode(raw)) };
}

for (
  const [what, line, want] of [
    ["members at the end", '{"reward":1.0,"_ng_task_index":7,"_ng_rollout_index":3}', ["7", "3", undefined]],
    ["members at the start", '{"_ng_rollout_index":3,"_ng_task_index":7,"x":[]}', ["7", "3", undefined]],
    ["space around everything", ' { "_ng_task_index" : 7 , "a" : [ 1 , 2 ] } \r', [
      "7",
      undefined,
      "[ 1 , 2 ]",
    ]],
    ["names further down", '{"x":{"_ng_task_index":1},"y":[{"a":2}],"_ng_task_index":7}', [
      "7",
      undefined,
      undefined,
    ]],
    ["a name twice: the last counts", '{"a":1,"a":{"b":"}"}}', [undefined, undefined, '{"b":"}"}']],
    ["a name as a value", '{"b":"a","c":["a"]}', [undefined, undefined, undefined]],
    ["a name with an escape", '{"\\u0061":5,"_ng_task_index":1}', ["1", undefined, "5"]],
    ["a longer and a shorter name", '{"_ng_task_indexx":1,"_ng_task_inde":2}', [
      undefined,
      undefined,
      undefined,
    ]],
    ["quotes, braces and backslashes in texts", '{"x":"\\\\\\"}]{[,:","a":"\\\\"}', [
      undefined,
      undefined,
      '"\\\\"',
    ]],
    ["an empty object", "{}", [undefined, undefined, undefined]],
  ] as const
) {
  Deno.test(`MemberScan finds ${what}`, () => {
    assert.deepEqual(scan(line), { fault: undefined, raws: [...want] });
  });
}

for (
  const line of [
    "",
    "  ",
    "[1]",
    "null",
    '"x"',
    "<html>",
    "{",
    '{"a":1',
    '{"a":"x',
    '{"a":"x\\"}',
    '{"a":1}x',
    '{"a":1}{"a":2}',
    '{"a":1]',
    '{"a":NaN}',
    '{"a":Infinity}',
    '{"a" 1}',
    '{"a":"tab\there"}',
    '{"a":"null\0here"}',
    "\0\0\0\0",
    '{"a":\0}',
    '{"a":1,"b":"x{"a":2,"b":"y"}',
    '{"a":[1,2{"a":1}',
    '{"b":[1},2]}',
    '{"b":01}',
    '{"b":"\\x"}',
    '{"a":1,}',
  ]
) {
  Deno.test(`MemberScan refuses ${JSON.stringify(line)}`, () => {
    assert.notEqual(scan(line).fault, undefined);
  });
}

const object = fc.dictionary(
  fc.oneof(fc.constantFrom(...NAMES), fc.string({ unit: "grapheme" })),
  fc.jsonValue(),
  { noNullPrototype: true },
);

Deno.test("MemberScan accepts every JSON object, and finds in it what the strict reader finds", () => {
  fc.assert(fc.property(object, fc.constantFrom(undefined, 1), (value, space) => {
    const bytes = encoder.encode(JSON.stringify(value, null, space).replaceAll("\n", " "));
    const strict = readObject(bytes);
    const want = NAMES.map((name) => strict.raw(name)).map((raw) => raw && decoder.decode(raw));
    assert.deepEqual(scan(bytes), { fault: undefined, raws: want });
  }));
});

const texts = fc.oneof(
  object.map((value) => encoder.encode(JSON.stringify(value))),
  fc.array(fc.tuple(keyText, valueText)).map((members) =>
    encoder.encode(`{${members.map((member) => member.join(" : ")).join(",")}}`)
  ),
);

Deno.test("MemberScan takes exactly the lines that are JSON objects, whatever was done to them", () => {
  fc.assert(
    fc.property(fc.oneof(texts, mutated(texts)), (given) => {
      let strict: JsonObject | undefined;
      try {
        strict = readObject(given);
      } catch (fault) {
        assert.ok(fault instanceof JsonFault);
      }
      const scan = new MemberScan(NAMES);
      assert.equal(scan.scan(given) === undefined, strict !== undefined);
      if (!strict) return;
      assert.deepEqual(NAMES.map((_, place) => scan.raw(place)), NAMES.map((name) => strict.raw(name)));
    }),
    { numRuns: 300 },
  );
});

Deno.test("MemberScan refuses a key that does not begin with a quote, whatever stands in it", () => {
  for (const line of ['{\\ud83d\\ude00" : 1}', '{a\\"": 1}', '{\\n": 1}', "{a", '{"a\\']) {
    assert.notEqual(new MemberScan(NAMES).scan(encoder.encode(line)), undefined, line);
  }
});

Deno.test("MemberScan refuses every object that was cut off, and every one that runs into another", () => {
  fc.assert(fc.property(object, object, fc.nat(), (one, other, cut) => {
    const bytes = encoder.encode(JSON.stringify(one)), next = encoder.encode(JSON.stringify(other));
    const end = cut % bytes.length;
    assert.notEqual(scan(bytes.subarray(0, end)).fault, undefined);
    if (end === 0) return;
    assert.notEqual(scan(new Uint8Array([...bytes.subarray(0, end), ...next])).fault, undefined);
  }));
});

Deno.test("MemberScan refuses an object of which a part was overwritten with zeros", () => {
  fc.assert(fc.property(object, fc.nat(), fc.nat(), (value, from, length) => {
    const bytes = encoder.encode(JSON.stringify(value));
    bytes.fill(0, from % bytes.length, (from % bytes.length) + 1 + length % bytes.length);
    assert.notEqual(scan(bytes).fault, undefined);
  }));
});

for (
  const [text, want] of [
    ["0", 0],
    ["7", 7],
    ["-7", -7],
    ["9007199254740991", 2 ** 53 - 1],
    ["9007199254740993", undefined],
    ["123456789012345", 123456789012345],
    ["1.0", 1],
    ["1e2", 100],
    ["1.5", undefined],
    ["-0", 0],
    [" 12 ", 12],
    ['"7"', undefined],
    ["null", undefined],
    ["true", undefined],
    ["[7]", undefined],
  ] as const
) {
  Deno.test(`MemberScan.wholeNumber() of ${text} is ${want}`, () => {
    const scan = new MemberScan(NAMES);
    assert.equal(scan.scan(encoder.encode(`{"_ng_task_index":${text},"x":1}`)), undefined);
    assert.ok(Object.is(scan.wholeNumber(0), want));
    assert.equal(scan.wholeNumber(1), undefined);
  });
}
