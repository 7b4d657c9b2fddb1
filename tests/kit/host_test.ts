import assert from "node:assert/strict";
import { isHost } from "../../src/kit/host.ts";

for (
  const [name, is] of [
    ["localhost", true],
    ["10.0.0.7", true],
    ["[::1]", true],
    ["node_1.cluster-a.example.", true],
    ["xn--4ca.de", true],
    [`${"a".repeat(63)}.b`, true],
    ["a,b", false],
    ["*", false],
    ["a..b", false],
    [".a", false],
    ["", false],
    ["a;b", false],
    ["a'b", false],
    ["a".repeat(64), false],
    ["a.".repeat(127), false],
  ] as const
) {
  Deno.test(`isHost(${JSON.stringify(name)}) is ${is}`, () => assert.equal(isHost(name), is));
}
