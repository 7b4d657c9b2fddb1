import assert from "node:assert/strict";
import { identityKey, identityOf, nameOf, partKey, partOf } from "./identity.ts";
import { parseJson } from "./json.ts";

Deno.test("identityOf() reads rows, results and episode requests", () => {
  const table: [json: string, name: string][] = [
    ['{"_ng_task_index": 3, "_ng_rollout_index": 1}', "task 3 rollout 1"],
    ['{"_ng_task_index": 3, "_ng_rollout_index": 1, "_ng_attempt_index": 2}', "task 3 rollout 1 attempt 2"],
    ['{"_ng_task_index": "a"}', "task a rollout None"],
    ['{"_ng_task_index": 1.0, "_ng_rollout_index": true}', "task 1.0 rollout True"],
    ['{"_ng_task_index": [1]}', "task [1] rollout None"],
    ['{"_ng_rollout_index": 1}', "no identity"],
    ['{"_ng_task_index": null, "_ng_rollout_index": 1}', "no identity"],
    ["[1]", "no identity"],
    ['"text"', "no identity"],
    [
      '{"task": {"task_id": {"task_id": 4}}, "episode_id": {"rollout_id": "run-x-12", "attempt": 1}}',
      "task 4 rollout 12 attempt 1",
    ],
    [
      '{"task": {"task_id": "q"}, "episode_id": {"rollout_id": "whole", "attempt": 0}}',
      "task q rollout whole",
    ],
    ['{"task": "q", "episode_id": {}}', "no identity"],
    ['{"episode_id": {"rollout_id": "x-1"}, "_ng_task_index": 0}', "task 0 rollout None"],
  ];
  for (const [json, name] of table) assert.equal(nameOf(identityOf(parseJson(json))), name, json);
});

Deno.test("identityKey() is the same for equal identities and for no others", () => {
  const key = (task: string) => identityKey(identityOf(parseJson(`{"_ng_task_index": ${task}}`)));
  assert.equal(key("1.0"), key("1.00"));
  assert.equal(new Set(["1", "1.0", '"1"', "null", '"null"', "true", "[1]"].map(key)).size, 7);
});

Deno.test("a missing attempt is the first", () => {
  const key = (rest: string) => identityKey(identityOf(parseJson(`{"_ng_task_index": 1${rest}}`)));
  assert.equal(key(""), key(', "_ng_attempt_index": 0'));
  assert.equal(key(""), key(', "_ng_attempt_index": null'));
  assert.notEqual(key(""), key(', "_ng_attempt_index": 1'));
});

Deno.test("partOf() keeps every digit", () => {
  assert.notEqual(
    partKey(partOf(parseJson("12345678901234567890"))),
    partKey(partOf(parseJson("12345678901234567891"))),
  );
});
