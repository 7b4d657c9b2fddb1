import assert from "node:assert/strict";
import fc from "fast-check";
import { Rate } from "../../src/report/rate.ts";

/** A rate fed `perSecond` events, ten readings a second, from one time to another. */
function fed(rate: Rate, perSecond: number, fromMs: number, toMs: number, before = 0): number {
  let count = before;
  for (let ms = fromMs; ms <= toMs; ms += 100) {
    count = before + Math.floor((ms - fromMs) * perSecond / 1000);
    rate.add(ms, count);
  }
  return count;
}

const near = (got: number, want: number) =>
  assert.ok(Math.abs(got - want) <= 0.05 * want, `${got} is not near ${want}`);

Deno.test("perSecond() is 0 before there are two readings", () => {
  const rate = new Rate();
  assert.equal(rate.perSecond(), 0);
  rate.add(1000, 0);
  assert.equal(rate.perSecond(), 0);
});

Deno.test("perSecond() is the pace of a steady run, from its first seconds on", () => {
  const rate = new Rate();
  fed(rate, 30, 5000, 7000);
  near(rate.perSecond(), 30);
});

Deno.test("perSecond() forgets a pace that is older than the window", () => {
  const rate = new Rate({ windowMs: 20_000 });
  const count = fed(rate, 10, 0, 60_000);
  fed(rate, 50, 60_000, 85_000, count);
  near(rate.perSecond(), 50);
});

Deno.test("perSecond() looks back further in a slow run", () => {
  const rate = new Rate({ windowMs: 20_000, atLeast: 10 });
  fed(rate, 1 / 60, 0, 3_600_000);
  near(rate.perSecond(), 1 / 60);
});

Deno.test("perSecond() falls when nothing comes any more", () => {
  const rate = new Rate({ windowMs: 20_000 });
  const count = fed(rate, 10, 0, 60_000);
  rate.add(120_000, count);
  assert.ok(rate.perSecond() < 4 && rate.perSecond() > 0);
});

Deno.test("add() passes over a reading in which time or count falls", () => {
  const rate = new Rate();
  rate.add(0, 0);
  rate.add(1000, 10);
  rate.add(500, 12);
  rate.add(2000, 5);
  assert.equal(rate.perSecond(), 10);
});

Deno.test("perSecond() is a finite number of 0 or more, whatever is fed", () => {
  fc.assert(fc.property(fc.array(fc.tuple(fc.nat(1e6), fc.nat(1000))), (readings) => {
    const rate = new Rate();
    for (const [ms, count] of readings) rate.add(ms, count);
    assert.ok(Number.isFinite(rate.perSecond()) && rate.perSecond() >= 0);
  }));
});
