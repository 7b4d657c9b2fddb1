import assert from "node:assert/strict";
import { ManualClock, settled } from "./manual_clock.ts";

Deno.test("ManualClock stands still until it is moved", async () => {
  const clock = new ManualClock("2026-01-01T00:00:00Z");
  const start = clock.now();
  await settled();
  assert.equal(clock.now(), start);
  clock.advance(1500);
  assert.equal(clock.now(), start + 1500);
  assert.equal(clock.date().toISOString(), "2026-01-01T00:00:01.500Z");
});

Deno.test("ManualClock calls timers when they are due, in the order in which they are, each at its own time", () => {
  const clock = new ManualClock(), calls: string[] = [];
  const say = (what: string) => calls.push(`${what} at ${clock.now()}`);
  clock.after(20, () => say("b"));
  clock.after(10, () => {
    say("a");
    clock.after(5, () => say("a2"));
    clock.after(1000, () => say("later"));
  });
  clock.after(20, () => say("c"));
  clock.after(0, () => say("now"));
  const cancel = clock.after(12, () => say("never"));
  cancel();
  cancel();
  clock.advance(9);
  assert.deepEqual(calls, ["now at 0"]);
  clock.advance(91);
  assert.deepEqual(calls.slice(1), ["a at 10", "a2 at 15", "b at 20", "c at 20"]);
  assert.equal(clock.timers, 1);
});

Deno.test("ManualClock's pass() lets what a timer promised come about before the next one", async () => {
  const clock = new ManualClock(), calls: number[] = [];
  clock.after(10, () => void settled().then(() => clock.after(10, () => calls.push(clock.now()))));
  clock.after(50, () => calls.push(clock.now()));
  await clock.pass(20);
  await clock.pass(40);
  assert.deepEqual(calls, [20, 50]);
});

Deno.test("ManualClock's wall clock can be set without time noticing", () => {
  const clock = new ManualClock("2026-01-01T01:00:00Z");
  let called = false;
  clock.after(10, () => called = true);
  clock.setWallClock(-3_600_000);
  const { date } = clock;
  assert.equal(date().toISOString(), "2026-01-01T00:00:00.000Z");
  assert.equal(clock.now(), 0);
  clock.advance(10);
  assert.ok(called);
});
