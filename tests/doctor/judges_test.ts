import assert from "node:assert/strict";
import { judgeClock } from "../../src/doctor/clock.ts";
import { judgeProxy } from "../../src/doctor/proxy.ts";
import { judgeSpace, meanLine } from "../../src/doctor/space.ts";

const NOW = new Date("2026-03-01T12:00:00Z");

for (
  const [date, verdict, words] of [
    [undefined, "ok", /no server told/],
    ["not a date", "ok", /no server told/],
    ["Sun, 01 Mar 2026 12:00:03 GMT", "ok", /agrees/],
    ["Sun, 01 Mar 2026 11:59:00 GMT", "ok", /1m00s ahead of/],
    ["Sun, 01 Mar 2026 13:00:00 GMT", "warning", /1h00m behind .* set it/],
  ] as const
) {
  Deno.test(`judgeClock() at noon, a server saying ${date}, is ${verdict}`, () => {
    const found = judgeClock(NOW, date);
    assert.equal(found.verdict, verdict);
    assert.match(found.text, words);
  });
}

for (
  const [what, free, need, verdict] of [
    ["room enough", 1e9, { rollouts: 100, inputs: 1000, perRollout: 5000 }, "ok"],
    ["less than rollouts as large as the earlier ones need", 1e5, {
      rollouts: 100,
      inputs: 0,
      perRollout: 5000,
    }, "fail"],
    ["less than a guess", 1e5, { rollouts: 100, inputs: 0, perRollout: undefined }, "warning"],
    ["less than the inputs alone", 1e5, { rollouts: 100, inputs: 2e5, perRollout: undefined }, "fail"],
    ["nothing known", undefined, { rollouts: 100, inputs: 0, perRollout: undefined }, "warning"],
    ["a full disk and nothing to run", 0, { rollouts: 0, inputs: 0, perRollout: undefined }, "ok"],
  ] as const
) {
  Deno.test(`judgeSpace() with ${what} is ${verdict}`, () =>
    assert.equal(judgeSpace(free, need).verdict, verdict));
}

Deno.test("meanLine() is of whole lines only", () => {
  const mean = (text: string) => meanLine(new TextEncoder().encode(text));
  assert.equal(mean("abc\na\nxxxxxxxx"), 3);
  assert.equal(mean("abc"), undefined);
  assert.equal(mean(""), undefined);
});

Deno.test("judgeProxy() names the proxy without its password, and warns of variables that are ignored", () => {
  const named = judgeProxy("http://me:secret@proxy:3128", ["HTTP_PROXY"]);
  assert.equal(named.verdict, "ok");
  assert.match(named.text, /proxy:3128/);
  assert.doesNotMatch(named.text, /secret/);
  assert.match(judgeProxy(null, ["HTTP_PROXY", "NO_PROXY"]).text, /^HTTP_PROXY ignored/);
  assert.equal(judgeProxy(null, ["NO_PROXY"]).verdict, "ok");
});
