import assert from "node:assert/strict";
import { sendsBytesOnce, whyRefused } from "../../src/edge/runtime.ts";

for (const version of ["2.6.8", "2.6.10", "2.7.14", "2.9.2", "2.9.6"]) {
  Deno.test(`rollcall runs on Deno ${version}`, () => assert.equal(whyRefused(version), undefined));
}

for (const version of ["1.46.3", "2.5.9", "2.8.3", "2.10.0", "3.0.0"]) {
  Deno.test(`rollcall refuses Deno ${version}, and says which releases are known to be right`, () => {
    assert.match(
      whyRefused(version)!,
      new RegExp(`on Deno ${version}: use a release of 2\\.6, 2\\.7, 2\\.9`),
    );
    assert.doesNotMatch(whyRefused(version)!, /\n/);
  });
}

Deno.test("sendsBytesOnce() is true for the releases up to 2.6", () => {
  assert.deepEqual(["2.6.8", "2.7.0", "2.9.6", "3.0.0"].map(sendsBytesOnce), [true, false, false, false]);
});
