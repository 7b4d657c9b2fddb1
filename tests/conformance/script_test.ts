import assert from "node:assert/strict";
import { readCase } from "./script.ts";

const STEP = '"steps": [{"command": "collect"}]';

Deno.test("readCase() fills in the defaults", () => {
  const [step] = readCase(`{"title": "t", "config": {"a": 1}, ${STEP}}`).steps;
  const { config, ...rest } = step!;
  assert.deepEqual(Object.keys(config), ["a"]);
  assert.deepEqual(rest, {
    command: "collect",
    args: [],
    env: {},
    remove: [],
    plant: undefined,
    configFormat: "yaml",
    replies: [],
    noHead: false,
    volatile: [],
    mustMention: [],
    ordered: false,
    peak: false,
    free: [],
    bounds: new Map(),
  });
});

Deno.test("readCase() lets a step replace the config and the replies, and add volatile keys", () => {
  const [step] = readCase(`{
    "config": {"a": 1}, "volatile": ["x"], "replies": [{"path": "/a"}, {"path": "/b"}],
    "steps": [{"command": "collect", "config": {"b": 1}, "replies": [{"path": "/c"}], "volatile": ["y"]}]
  }`).steps;
  assert.deepEqual(Object.keys(step!.config), ["b"]);
  assert.deepEqual(step!.replies.map((rule) => rule.match.get("path")), ["/c"]);
  assert.deepEqual(step!.volatile, ["x", "y"]);
});

Deno.test("readCase() says where a case is wrong", () => {
  const table: [json: string, message: RegExp][] = [
    ["[]", /^case\.json: expected an object/],
    [`{"config": {}, "stepz": [], ${STEP}}`, /^case\.json: unknown stepz/],
    [`{${STEP}}`, /^config: expected an object, got nothing/],
    [
      '{"config": {}, "steps": [{"command": "run"}]}',
      /^steps\[0\]\.command: expected collect, aggregate or health/,
    ],
    ['{"config": {}, "steps": [{"command": "collect", "orderd": true}]}', /^steps\[0\]: unknown orderd/],
    [
      `{"config": {}, "replies": [{"delay": "1"}], ${STEP}}`,
      /^steps\[0\]\.replies\[0\]\.delay: expected a number/,
    ],
    [`{"config": {}, "replies": [{"jsn": {}}], ${STEP}}`, /^steps\[0\]\.replies\[0\]: unknown jsn/],
  ];
  for (const [json, message] of table) {
    assert.throws(() => readCase(json), { name: "TypeError", message }, json);
  }
});
