import assert from "node:assert/strict";
import { Provenance } from "../../src/config/provenance.ts";

function said(): Provenance {
  const said = new Provenance();
  said.add({ who: "file", path: ["a"], value: { b: { c: 1 }, d: 2 } });
  said.add({ who: "flag", path: ["a"], value: { e: 3 } });
  said.add({ who: "word", path: ["a", "b", "f"], value: 4 });
  said.add({ who: "other", path: ["z"], value: null });
  return said;
}

for (
  const [path, who] of [
    [["a", "b", "c"], "file"],
    [["a", "d"], "file"],
    [["a", "e"], "flag"],
    [["a", "b", "f"], "word"],
    [["a", "b", "f", "deeper"], "word"],
    [["a", "b"], "word"],
    [["a"], "word"],
    [["a", "nobody"], "word"],
    [["z"], "other"],
    [["z", "inside"], "other"],
    [["nobody"], undefined],
    [["toString"], undefined],
  ] as const
) {
  Deno.test(`Provenance.of(${path.join(".")}) is ${who}`, () => assert.equal(said().of(path)?.who, who));
}
