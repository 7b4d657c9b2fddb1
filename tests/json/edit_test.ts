import assert from "node:assert/strict";
import fc from "fast-check";
import { edit, type Edits, join, onOneLine, toJson } from "../../src/json/edit.ts";
import { type JsonObject, MEMBER, readObject } from "../../src/json/object.ts";
import {
  bytes,
  isJson,
  keyText,
  membersText,
  type MemberText,
  objectText,
  text,
  valueText,
} from "./_texts.ts";

const edited = (json: string, edits: Edits) => text(join(edit(readObject(bytes(json)), edits)));

const setting = (members: Readonly<Record<string, string>>) =>
  new Map(Object.entries(members).map(([name, json]) => [name, bytes(json)]));

for (
  const [json, set, drop, want] of [
    // Nothing to do.
    [`{}`, {}, [], `{}`],
    [` { "a" : 1 , "b":2 } `, {}, [], `{ "a" : 1 , "b":2 }`],
    [`{"a":1}`, {}, ["b", ""], `{"a":1}`],
    // Setting.
    [`{}`, { a: "1" }, [], `{"a":1}`],
    [`{ }`, { a: "1" }, [], `{"a":1 }`],
    [`{}`, { a: "1", b: "2" }, [], `{"a":1,"b":2}`],
    [`{"a":1}`, { a: "[2]" }, [], `{"a":[2]}`],
    [`{ "a" : 1 }`, { a: "2" }, [], `{ "a" : 2 }`],
    [`{"a":1,"b":2,"c":3}`, { b: "0" }, [], `{"a":1,"b":0,"c":3}`],
    [`{"a":1}`, { b: "2" }, [], `{"a":1,"b":2}`],
    [`{ "a": 1\n}`, { b: "2" }, [], `{ "a": 1,"b":2\n}`],
    [`{"b":1}`, { a: "2", b: "3", c: "4" }, [], `{"b":3,"a":2,"c":4}`],
    [`{"\\u0061":1}`, { a: "2" }, [], `{"\\u0061":2}`],
    [`{"é":1,"a\\\\b":2}`, { "é": "3", "a\\b": "4" }, [], `{"é":3,"a\\\\b":4}`],
    [`{}`, { 'q"\n': "1", "é": "2", "": "3" }, [], `{"q\\"\\n":1,"é":2,"":3}`],
    // The first of several is replaced, later ones go.
    [`{"a":1,"a":2}`, { a: "3" }, [], `{"a":3}`],
    [`{"a":1,"b":2,"a":3,"c":4,"\\u0061":5}`, { a: "0" }, [], `{"a":0,"b":2,"c":4}`],
    [`{"b":2,"a":1,"a":1,"a":1}`, { a: "0", d: "9" }, [], `{"b":2,"a":0,"d":9}`],
    // Duplicates of what is not set stay.
    [`{"a":1,"a":2,"b":3}`, { b: "0" }, [], `{"a":1,"a":2,"b":0}`],
    // Dropping.
    [`{"a":1}`, {}, ["a"], `{}`],
    [`{ "a" : 1 }`, {}, ["a"], `{ }`],
    [`{"a":1,"b":2,"c":3}`, {}, ["a"], `{"b":2,"c":3}`],
    [`{"a":1,"b":2,"c":3}`, {}, ["b"], `{"a":1,"c":3}`],
    [`{"a":1,"b":2,"c":3}`, {}, ["c"], `{"a":1,"b":2}`],
    [`{"a":1,"b":2,"c":3}`, {}, ["a", "b"], `{"c":3}`],
    [`{"a":1,"b":2,"c":3}`, {}, ["b", "c"], `{"a":1}`],
    [`{"a":1,"b":2,"c":3}`, {}, ["a", "c"], `{"b":2}`],
    [`{"a":1,"b":2,"c":3}`, {}, ["a", "b", "c"], `{}`],
    [`{"a":1,"b":2,"a":3,"a":4}`, {}, ["a"], `{"b":2}`],
    [`{ "a": 1 ,\n"b": 2 ,\t"c": 3 }`, {}, ["b"], `{ "a": 1 ,\t"c": 3 }`],
    // Both.
    [`{"a":1,"b":2}`, { c: "3" }, ["a", "b"], `{"c":3}`],
    [`{"a":1,"b":2}`, { b: "3" }, ["a"], `{"b":3}`],
    [`{"a":1,"b":2}`, { a: "3" }, ["b"], `{"a":3}`],
    [`{"a":1,"b":2,"c":3}`, { b: "0", d: "4" }, ["a", "c"], `{"b":0,"d":4}`],
    [`{"a":1}`, { a: "2" }, ["a"], `{"a":2}`],
    [`{"a":1,"b":2}`, { a: "3" }, ["a"], `{"b":2,"a":3}`],
  ] as const
) {
  Deno.test(`edit() of ${json} setting ${JSON.stringify(set)} and dropping [${drop}]`, () => {
    assert.equal(edited(json, { set: setting(set), drop: new Set(drop) }), want);
    assert.ok(isJson(bytes(want)));
  });
}

/** What an object's members should become, computed naively. */
function model(
  members: readonly MemberText[],
  set: ReadonlyMap<string, string>,
  drop: ReadonlySet<string>,
): { name: string; member: string }[] {
  const left: { name: string; member: string }[] = [], done = new Set<string>();
  for (const { key, value, spaces: [, b, c] } of members) {
    const name = JSON.parse(key) as string;
    if (drop.has(name) || done.has(name)) continue;
    if (set.has(name)) done.add(name);
    left.push({ name, member: `${key}${b}:${c}${set.get(name) ?? value}` });
  }
  for (const [name, value] of set) {
    if (!done.has(name)) left.push({ name, member: `${JSON.stringify(name)}:${value}` });
  }
  return left;
}

/** The members of an object, from the key's to the value's last byte. */
function membersOf(object: JsonObject): { name: string; member: string }[] {
  const members: { name: string; member: string }[] = [];
  for (let at = 0; at < object.members.length; at += MEMBER) {
    const [start, , , end] = object.members.slice(at, at + MEMBER);
    members.push({ name: object.nameAt(at), member: text(object.bytes.subarray(start, end)) });
  }
  return members;
}

const nameOf = keyText.map((key) => JSON.parse(key) as string);

Deno.test("edit() changes what is named and keeps the bytes of every other member", () => {
  fc.assert(
    fc.property(
      membersText,
      fc.array(fc.tuple(nameOf, valueText), { maxLength: 4 }),
      fc.array(nameOf, { maxLength: 3 }),
      fc.constantFrom("", " \n"),
      fc.func(fc.boolean()),
      (members, sets, drops, around, alsoNamed) => {
        // Names that are there too, or the edits would mostly miss.
        const there = members.map(({ key }) => JSON.parse(key) as string);
        const drop = new Set([...drops, ...there.filter((name) => alsoNamed("drop", name))]);
        const set = new Map([
          ...there.filter((name) => alsoNamed("set", name)).map((name) => [name, "[0]"] as const),
          ...sets,
        ]);
        const object = readObject(bytes(around + objectText(members, around) + around));
        const pieces = edit(object, {
          set: new Map([...set].map(([name, json]) => [name, bytes(json)])),
          drop,
        });
        const whole = join(pieces);
        assert.ok(isJson(whole));
        assert.deepEqual(membersOf(readObject(whole)), model(members, set, drop));
      },
    ),
    { numRuns: 3000 },
  );
});

Deno.test("edit() of absent members gives the same bytes, without surrounding white space", () => {
  fc.assert(fc.property(membersText, (members) => {
    const object = readObject(bytes(` ${objectText(members, " ")}\n`));
    assert.equal(text(join(edit(object, {}))), objectText(members, " "));
    const edits = { set: new Map(), drop: new Set(["no such name"]) };
    assert.equal(text(join(edit(object, edits))), objectText(members, " "));
  }));
});

Deno.test("edit() leaves the object as it was", () => {
  const json = bytes(`{"a":1,"b":2}`), object = readObject(json);
  join(edit(object, { set: setting({ a: "9" }), drop: new Set(["b"]) })).fill(0);
  assert.equal(text(json), `{"a":1,"b":2}`);
  assert.equal(object.value("a"), 1);
});

Deno.test("edit() passes set values through unchanged, so that a piece can be a placeholder", () => {
  const replaced = new Uint8Array(0), appended = new Uint8Array(0);
  const pieces = edit(readObject(bytes(`{"a":1}`)), { set: new Map([["a", replaced], ["b", appended]]) });
  assert.equal(pieces.filter((piece) => piece === replaced).length, 1);
  assert.equal(pieces.filter((piece) => piece === appended).length, 1);
});

Deno.test("edit() does not copy what it keeps", () => {
  const json = bytes(`{"a":"${"x".repeat(1000)}","b":1}`);
  const pieces = edit(readObject(json), { set: setting({ b: "2" }) });
  assert.equal(pieces[0]!.buffer, json.buffer);
  assert.ok(pieces[0]!.length > 1000);
});

Deno.test("edit() of an object inside a larger buffer does not touch bytes outside it", () => {
  const around = bytes(`{"x":1}{"a":2}{"y":3}`);
  const object = readObject(around.subarray(7, 14));
  assert.equal(text(join(edit(object, { set: setting({ b: "3" }) }))), `{"a":2,"b":3}`);
});

Deno.test("join() puts pieces together, none and empty ones too", () => {
  assert.equal(text(join([])), "");
  assert.equal(text(join([bytes("a"), bytes(""), bytes("bc")])), "abc");
});

Deno.test("toJson() is the bytes of JSON.stringify", () => {
  assert.equal(text(toJson({ a: ["é", null, 1.5] })), `{"a":["é",null,1.5]}`);
  assert.equal(text(toJson("\ud83d")), `"\\ud83d"`); // half a character cannot be UTF-8: it becomes an escape
});

Deno.test("onOneLine() turns line breaks between tokens into spaces and changes nothing else", () => {
  const pretty = bytes(`{\r\n\t"a": "x\\ny",\n\n  "b": [\n1.0,\r2]\n}`);
  onOneLine(pretty);
  assert.equal(text(pretty), `{  \t"a": "x\\ny",    "b": [ 1.0, 2] }`);
});

Deno.test("onOneLine() of any JSON text is the same text but for white space, on one line", () => {
  fc.assert(
    fc.property(valueText, (json) => {
      const line = bytes(json);
      onOneLine(line);
      assert.ok(!/[\r\n]/.test(text(line)));
      assert.equal(text(line), json.replaceAll(/[\r\n]/g, " "));
      assert.ok(isJson(line));
    }),
  );
});

Deno.test("onOneLine() leaves other line separators inside strings: they are text", () => {
  const json = `{"a":"\u2028\u2029\u0085"}`, line = bytes(json);
  onOneLine(line);
  assert.equal(text(line), json);
});
