import assert from "node:assert/strict";
import fc from "fast-check";
import { parse } from "yaml";
import { type JsonObject, parseJson } from "./json.ts";
import { toYaml } from "./yaml.ts";

const write = (json: string) => toYaml(parseJson(json) as JsonObject).join("\n");

Deno.test("toYaml() writes block style, with lists at their key's own depth", () => {
  assert.equal(
    write(
      '{"a": {"b": "plain/word", "c": "two words", "d": "yes"}, "e": [1.0, [2], {"f": [], "g": {}}], "h i": null}',
    ),
    [
      "a:",
      "  b: plain/word",
      '  c: "two words"',
      '  d: "yes"',
      "e:",
      "- 1.0",
      "- - 2",
      "- f: []",
      "  g: {}",
      '"h i": null',
    ].join("\n"),
  );
});

Deno.test("toYaml() means the same as the JSON, for any object", () => {
  // Bare keys such as `null` or `1` would be read as other than texts; a config has no such keys.
  const { tree } = fc.letrec((tie) => ({
    tree: fc.dictionary(fc.stringMatching(/^[a-z_]{3,3}[ :#-]?$/), tie("value"), { noNullPrototype: true }),
    value: fc.oneof(
      { depthSize: "small" },
      fc.string(),
      fc.integer(),
      fc.constantFrom(null, true, "yes", "1e3"),
      tie("tree"),
      fc.array(tie("value")),
    ),
  }));
  fc.assert(fc.property(tree, (value) => {
    const text = JSON.stringify(value);
    assert.deepEqual(parse(write(text)) ?? {}, JSON.parse(text));
  }));
});
