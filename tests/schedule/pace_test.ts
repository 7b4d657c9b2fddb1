import assert from "node:assert/strict";
import fc from "fast-check";
import { Pace } from "../../src/schedule/pace.ts";

/** Starts as many as the pace allows until `until`, one millisecond after the other. Returns when each started. */
function startAll(pace: Pace, from: number, until: number, max = Infinity): number[] {
  const starts: number[] = [];
  for (let now = from; now <= until; now++) {
    while (starts.length < max && pace.opensAt <= now) {
      pace.starts(now);
      starts.push(now);
    }
  }
  return starts;
}

Deno.test("Pace lets a burst through at once, and then its rate", () => {
  const starts = startAll(new Pace({ perSecond: 500, burst: 10 }), 0, 1000);
  assert.equal(starts.filter((at) => at === 0).length, 10);
  assert.deepEqual(starts.slice(10, 13), [2, 4, 6]);
  assert.equal(starts.length, 10 + 500);
});

Deno.test("Pace says when the next one may start", () => {
  const pace = new Pace({ perSecond: 100, burst: 1 });
  assert.ok(pace.opensAt <= 0);
  pace.starts(50);
  assert.equal(pace.opensAt, 60);
});

Deno.test("Pace does not limit replacements: one that ends makes room for another at once", () => {
  const pace = new Pace({ perSecond: 1, burst: 64 });
  startAll(pace, 0, 0);
  for (let k = 0; k < 100_000; k++) {
    assert.ok(pace.opensAt > 0);
    pace.ends();
    assert.ok(pace.opensAt <= 0);
    pace.starts(0);
  }
});

Deno.test("Pace lets what was reached be reached again at once, also after a lull", () => {
  const pace = new Pace({ perSecond: 100, burst: 1 });
  assert.equal(startAll(pace, 0, 1000).length, 101);
  for (let k = 0; k < 101; k++) pace.ends();
  assert.equal(startAll(pace, 5000, 5000).length, 102); // and one more, for the time that has passed
});

Deno.test("Pace.restart() makes it count from those that are still in flight", () => {
  const pace = new Pace({ perSecond: 100, burst: 5 });
  startAll(pace, 0, 1000);
  while (pace.opensAt === -Infinity) pace.ends();
  for (let k = 0; k < 100; k++) pace.ends();
  pace.restart();
  assert.equal(startAll(pace, 2000, 2000).length, 5);
});

Deno.test("Pace never lets more than a burst and its rate grow, whatever ends meanwhile", () => {
  const steps = fc.array(fc.record({ passMs: fc.nat(30), starts: fc.nat(40), ends: fc.nat(40) }));
  fc.assert(fc.property(steps, fc.integer({ min: 1, max: 20 }), (steps, burst) => {
    const pace = new Pace({ perSecond: 100, burst });
    let now = 0, inFlight = 0, reached = 0;
    for (const { passMs, starts, ends } of steps) {
      now += passMs;
      for (let k = 0; k < starts && pace.opensAt <= now; k++) {
        pace.starts(now);
        inFlight++;
      }
      for (let k = 0; k < ends && inFlight > 0; k++) {
        pace.ends();
        inFlight--;
      }
      reached = Math.max(reached, inFlight);
      assert.ok(reached <= burst + now / 10 + 1e-6, `${reached} at ${now}`);
    }
  }));
});
