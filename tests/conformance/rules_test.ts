import assert from "node:assert/strict";
import { identityOf } from "./identity.ts";
import { parseJson } from "./json.ts";
import { bodyOf, Rules } from "./rules.ts";
import { readRule, type Rule } from "./script.ts";

const rule = (json: string): Rule => readRule("rule", parseJson(json));
const who = (task: string, rollout = "0") =>
  identityOf(parseJson(`{"_ng_task_index": ${task}, "_ng_rollout_index": ${rollout}}`));
const text = (json: string, request: string) =>
  new TextDecoder().decode(bodyOf(rule(json), parseJson(request)));

Deno.test("Rules.pick() takes the first rule that matches in every key it has", () => {
  const rules = new Rules([
    rule('{"server": "other", "status": 201}'),
    rule('{"path": "/run", "task": 1, "rollout": 2, "status": 202}'),
    rule('{"path": "/run", "task": "1", "status": 203}'),
    rule('{"path": "/run", "attempt": 0, "status": 204}'),
  ]);
  assert.equal(rules.pick("other", "/x", who("1")).status, 201);
  assert.equal(rules.pick("env", "/run", who("1", "2")).status, 202);
  assert.equal(rules.pick("env", "/run", who('"1"')).status, 203);
  assert.equal(rules.pick("env", "/run", who("1")).status, 204);
  assert.equal(rules.pick("env", "/x", who("1")).status, 404);
});

Deno.test("Rules.pick() uses a rule up after its times, and does not count what does not match", () => {
  const rules = new Rules([rule('{"task": 1, "times": 2, "status": 500}'), rule('{"status": 200}')]);
  const statuses = ["1", "2", "1", "1"].map((task) => rules.pick("env", "/run", who(task)).status);
  assert.deepEqual(statuses, [500, 200, 500, 200]);
  assert.equal(new Rules([rule('{"times": 0}')]).pick("env", "/run", who("1")).status, 404);
});

Deno.test("bodyOf() makes the bytes a rule asks for", () => {
  assert.deepEqual([...bodyOf(rule('{"hex": "00ff 62"}'), null)], [0, 255, 98]);
  assert.equal(text('{"text": "é☃", "repeat": 3}', "null"), "é☃é☃é☃");
  assert.equal(text('{"text": "once"}', "null"), "once");
  assert.equal(text('{"text": ""}', "null"), "");
  assert.equal(text("{}", "null"), "{}");
  assert.equal(text('{"json": null}', "null"), "null");
  assert.equal(text('{"json": {"a": 1.0, "b": [1e-07]}}', "null"), '{"a": 1.0, "b": [1e-07]}');
});

Deno.test("bodyOf() fills in parts of the request, wherever they stand", () => {
  const request = '{"id": {"n": 12345678901234567890}, "all": [1]}';
  assert.equal(
    text('{"json": {"a": "$req:id.n", "b": [{"c": "$req:all"}], "d": "x $req:id"}}', request),
    '{"a": 12345678901234567890, "b": [{"c": [1]}], "d": "x $req:id"}',
  );
  assert.throws(() => text('{"json": "$req:id.m"}', request), /the request has no id\.m/);
});

Deno.test("bodyOf() echoes the request's fields under those of the answer", () => {
  assert.equal(text('{"echo": true, "json": {"b": 3}}', '{"a": 1, "b": 2}'), '{"a": 1, "b": 3}');
  assert.throws(() => text('{"echo": true}', "[]"), TypeError);
});
