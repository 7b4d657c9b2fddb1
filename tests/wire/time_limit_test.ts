import assert from "node:assert/strict";
import type { Clock } from "../../src/ports/clock.ts";
import { timeLimit } from "../../src/wire/time_limit.ts";
import { ManualClock } from "../fakes/manual_clock.ts";

/** A clock whose process can be stopped: time goes by, and what was due is called afterwards, all at once. */
class StoppableClock implements Clock {
  readonly #manual = new ManualClock();
  #stopped = 0;
  #timers: { due: number; call: () => void }[] = [];
  date = this.#manual.date;

  now(): number {
    return this.#manual.now() + this.#stopped;
  }

  after(ms: number, call: () => void): () => void {
    const timer = { due: this.now() + ms, call };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  run(ms: number): void {
    const end = this.now() + ms;
    for (;;) {
      this.#timers.sort((a, b) => a.due - b.due);
      const next = this.#timers[0];
      if (!next || next.due > end) break;
      this.#timers.shift();
      this.#manual.advance(Math.max(0, next.due - this.now()));
      next.call();
    }
    this.#manual.advance(end - this.now());
  }

  stop(ms: number): void {
    this.#stopped += ms;
  }

  get timers(): number {
    return this.#timers.length;
  }
}

function begin(ms: number) {
  const clock = new StoppableClock();
  let ended = 0;
  const limit = timeLimit(clock, ms, () => ended++);
  return { clock, limit, ended: () => ended };
}

Deno.test("timeLimit() calls once, when the time is over, and leaves no timer", () => {
  const { clock, ended } = begin(30_000);
  clock.run(29_999);
  assert.equal(ended(), 0);
  clock.run(1);
  assert.equal(ended(), 1);
  clock.run(100_000);
  assert.equal(ended(), 1);
  assert.equal(clock.timers, 0);
});

Deno.test("timeLimit() does not count time in which the process was stopped", () => {
  const { clock, ended } = begin(30_000);
  clock.run(10_000);
  clock.stop(3_600_000);
  clock.run(18_900); // up to a second of the stop may count
  assert.equal(ended(), 0);
  clock.run(2_000);
  assert.equal(ended(), 1);
});

Deno.test("timeLimit() leaves time after a stop to read what has arrived, however little was left", () => {
  const { clock, ended } = begin(30_000);
  clock.run(29_999);
  clock.stop(60_000);
  clock.run(4_900);
  assert.equal(ended(), 0);
  clock.run(200);
  assert.equal(ended(), 1);
});

Deno.test("timeLimit() can be held, restarted and cancelled", () => {
  const { clock, limit, ended } = begin(10_000);
  clock.run(9_000);
  limit.hold();
  clock.run(50_000);
  limit.goOn();
  clock.run(900);
  assert.equal(ended(), 0);
  limit.restart();
  clock.run(9_900);
  assert.equal(ended(), 0);
  limit.hold();
  limit.restart();
  clock.run(9_900);
  assert.equal(ended(), 0);
  limit.cancel();
  clock.run(50_000);
  assert.equal(ended(), 0);
  assert.equal(clock.timers, 0);
});

Deno.test("timeLimit() gives what has just arrived a few turns before it fires", () => {
  const clock = new StoppableClock();
  let isOver = false;
  const limit = timeLimit(clock, 1_000, () => isOver = true);
  clock.after(1_000, () => clock.after(0, () => limit.cancel()));
  clock.run(5_000);
  assert.equal(isOver, false);
});
