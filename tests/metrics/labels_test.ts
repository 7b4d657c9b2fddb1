import assert from "node:assert/strict";
import fc from "fast-check";
import { type Labelled, labelsOf } from "../../src/metrics/labels.ts";

const cases: Record<string, [Labelled[], string[]]> = {
  "its agent's name": [[{ server: "s_env", agent: "s" }, { server: "t_env", agent: "t" }], ["s", "t"]],
  "its server's, where the agent ran behind two": [
    [{ server: "one", agent: "s" }, { server: "two", agent: "s" }, { server: "three", agent: "t" }],
    ["one", "two", "t"],
  ],
  "its server's, where there is no agent": [[{ server: "one" }, { server: "two" }], ["one", "two"]],
  "its server's, where another server has the agent's name": [
    [{ server: "one", agent: "two" }, { server: "two" }],
    ["one", "two"],
  ],
  "its server's, where settling one clash made another": [
    [{ server: "a", agent: "b" }, { server: "b", agent: "c" }, { server: "c" }],
    ["a", "b", "c"],
  ],
};

for (const [what, [groups, labels]] of Object.entries(cases)) {
  Deno.test(`labelsOf() calls a group by ${what}`, () => assert.deepEqual(labelsOf(groups), labels));
}

Deno.test("labelsOf() gives no label twice, and the same ones in whatever order", () => {
  const name = fc.constantFrom("a", "b", "c", "d");
  const group = fc.record({ server: name, agent: fc.option(name, { nil: undefined }) });
  const groups = fc.uniqueArray(group, { selector: ({ server }) => server, maxLength: 4 });
  fc.assert(fc.property(groups, (groups) => {
    const labels = labelsOf(groups);
    assert.equal(new Set(labels).size, labels.length);
    assert.deepEqual(labelsOf(groups.toReversed()).toReversed(), labels);
  }));
});
