import assert from "node:assert/strict";
import { list, LISTED, RunFault, UsageFault } from "../../src/kit/fault.ts";

const items = (n: number) => Array.from({ length: n }, (_, i) => `row ${i}`);

Deno.test("list() shows up to 20 items, each on a line", () => {
  assert.equal(list([]), "");
  assert.equal(list(["a", "b"]), "\n  a\n  b");
  assert.equal(list(items(LISTED)).split("\n").length, LISTED + 1);
  assert.ok(!list(items(LISTED)).includes("more"));
});

Deno.test("list() counts what it does not show", () => {
  assert.ok(list(items(LISTED + 1)).endsWith("\n  row 19\n  … and 1 more"));
  assert.ok(list(items(50)).endsWith("… and 30 more"));
  assert.equal(list(["a"], 1000), "\n  a\n  … and 999 more");
  assert.ok(list(items(LISTED), 21).endsWith("… and 1 more"));
});

Deno.test("faults are distinguished by class and by name", () => {
  assert.equal(String(new UsageFault("x")), "UsageFault: x");
  assert.equal(String(new RunFault("x")), "RunFault: x");
  assert.ok(!((new RunFault("x") as Error) instanceof UsageFault));
});
