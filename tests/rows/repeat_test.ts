import assert from "node:assert/strict";
import { RowFault } from "../../src/rows/problems.ts";
import { Repeats } from "../../src/rows/repeat.ts";
import { messageOf } from "./_rows.ts";

type Config = ConstructorParameters<typeof Repeats>[0];

for (
  const [config, target, key, want] of [
    [3, "a", "a", 3],
    [null, undefined, undefined, 1],
    [{ a: 2, s: 3, _default: 4 }, "a", "s", 2],
    [{ s: 3, _default: 4 }, "a", "s", 3],
    [{ s: 3 }, undefined, "s", 3],
    [{ _default: 4 }, "a", "s", 4],
    [{ _default: 4 }, "a", undefined, 4],
    [{ a: null }, "a", "a", 1],
    [{ _default: 2 }, "constructor", "toString", 2],
  ] as [Config, string | undefined, string | undefined, number][]
) {
  Deno.test(`Repeats.of(${target}, ${key}) with ${JSON.stringify(config)} is ${want}`, () => {
    const repeats = new Repeats(config);
    assert.deepEqual(repeats.problems, []);
    assert.equal(repeats.of(target, key), want);
  });
}

Deno.test("Repeats.of() refuses names without an entry", () => {
  const repeats = new Repeats({ other: 2 });
  assert.throws(() => repeats.of("a", "s"), RowFault);
  assert.match(messageOf(() => repeats.of("a", "s")), /num_repeats has no entry.*"a \/ s"/);
  assert.match(messageOf(() => repeats.of(undefined, "s")), /"s"/);
  assert.match(messageOf(() => repeats.of("s", "s")), /"s"/);
});

Deno.test("Repeats.warnings() names entries that were for no row, and not _default", () => {
  const repeats = new Repeats({ a: 1, s: 2, tyop: 3, _default: 1 });
  repeats.of("a", "s");
  assert.match(repeats.warnings().join(), /no row's.*: "tyop"\./);
  repeats.of("tyop", undefined);
  assert.deepEqual(repeats.warnings(), []);
});

for (
  const [config, words] of [
    [0, ["num_repeats", "0"]],
    [-1, ["num_repeats", "-1"]],
    [1.5, ["num_repeats", "1.5"]],
    [{ a: 0, b: 1, _default: -2 }, ["num_repeats.a", "num_repeats._default"]],
  ] as [Config, string[]][]
) {
  Deno.test(`Repeats.problems of ${JSON.stringify(config)}`, () => {
    const problems = new Repeats(config).problems.join("\n");
    for (const word of words) assert.ok(problems.includes(word), problems);
  });
}
