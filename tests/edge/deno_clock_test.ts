import assert from "node:assert/strict";
import { denoClock, denoDice } from "../../src/edge/deno_clock.ts";

Deno.test("denoClock.after() calls once", async () => {
  let calls = 0;
  await new Promise<void>((resolve) =>
    denoClock.after(0, () => {
      calls++;
      resolve();
    })
  );
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(calls, 1);
});

Deno.test("denoClock.after() treats a time in the past as now", async () => {
  await new Promise<void>((resolve) => denoClock.after(-5, resolve));
});

for (const ms of [2 ** 31, 1e15, Infinity]) {
  Deno.test(`denoClock.after() does not call at once when it is to wait ${ms} ms`, async () => {
    const cancel = denoClock.after(ms, () => assert.fail("it was to wait"));
    for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setTimeout(resolve, 1));
    cancel();
  });
}

Deno.test("denoClock.after() never calls after it was cancelled, not even in the turn in which it is due", async () => {
  let late = 0;
  for (let again = 0; again < 2000; again++) {
    let cancelled = false;
    const cancel = denoClock.after(0, () => cancelled && late++);
    await Deno.stat("."); // comes back in the same turn as the timer, now and then
    cancelled = true;
    cancel();
  }
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(late, 0);
});

Deno.test("denoClock.now() only grows", () => {
  let before = denoClock.now();
  for (let again = 0; again < 1000; again++) {
    const now = denoClock.now();
    assert.ok(now >= before);
    before = now;
  }
});

Deno.test("denoDice() is from 0 to 1, and another one each time", () => {
  const thrown = Array.from({ length: 1000 }, denoDice);
  assert.ok(thrown.every((number) => number >= 0 && number < 1));
  assert.ok(new Set(thrown).size > 990);
});
