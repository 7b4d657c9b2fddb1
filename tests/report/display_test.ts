import assert from "node:assert/strict";
import type { Clock } from "../../src/ports/clock.ts";
import type { Terminal } from "../../src/ports/terminal.ts";
import { Display, PLAIN_MS, REDRAW_MS } from "../../src/report/display.ts";
import { halfWay } from "./samples.ts";

/** A clock that stands until it is moved. */
class HandClock implements Clock {
  #ms = 0;
  #timers: { at: number; call: () => void }[] = [];
  now = () => this.#ms;
  date = () => new Date(this.#ms);
  after(ms: number, call: () => void) {
    const timer = { at: this.#ms + ms, call };
    this.#timers.push(timer);
    return () => void (this.#timers = this.#timers.filter((t) => t !== timer));
  }
  get pending() {
    return this.#timers.length;
  }
  move(ms: number) {
    this.#ms += ms;
    const due = this.#timers.filter((t) => t.at <= this.#ms);
    this.#timers = this.#timers.filter((t) => t.at > this.#ms);
    for (const { call } of due) call();
  }
}

/** Remembers what was written, and can say what a screen would show: carriage return and clear-to-end only. */
class PaperTerminal implements Terminal {
  readonly writes: string[] = [];
  readonly colour = false;
  /** Whether the terminal is paused. */
  busy = false;
  constructor(readonly live: boolean, public wide = 80) {}
  columns = () => this.wide;
  out = () => assert.fail("nothing goes to standard output");
  err = (text: string) => void this.writes.push(text);
  flush = () => Promise.resolve();
  get screen(): string[] {
    return this.writes.join("").split("\n").map((written) => {
      let line = "", at = 0;
      for (const sign of written.replaceAll("\x1b[K", "\v")) {
        if (sign === "\r") at = 0;
        else if (sign === "\v") line = line.slice(0, at);
        else line = line.slice(0, at) + sign + line.slice(++at);
      }
      return line;
    });
  }
}

function set(live: boolean, options: { quiet?: boolean } = {}) {
  const terminal = new PaperTerminal(live), clock = new HandClock();
  return { terminal, clock, display: new Display(terminal, clock, options) };
}

Deno.test("update() on a terminal draws at once, then at most every 100 ms, the newest last", () => {
  const { terminal, clock, display } = set(true);
  for (let done = 400; done < 410; done++) {
    display.update(halfWay({ done }));
    clock.move(REDRAW_MS / 10);
  }
  assert.equal(terminal.writes.length, 2);
  assert.match(terminal.screen.at(-1)!, / 424\/1000/);
  assert.equal(terminal.screen.length, 1);
});

Deno.test("update() with a shorter line leaves nothing of the longer one", () => {
  const { terminal, clock, display } = set(true);
  terminal.wide = 160;
  display.update(halfWay());
  clock.move(REDRAW_MS);
  display.update(halfWay({ failures: {}, inFlight: 0 }));
  assert.deepEqual(terminal.screen, [
    "██████████░░░░░░░░░░   512/1000 51%  p50 1.2s p90 4.0s",
  ]);
});

Deno.test("update() follows the terminal's width and leaves its last column free", () => {
  const { terminal, clock, display } = set(true);
  terminal.wide = 10;
  display.update(halfWay());
  assert.deepEqual(terminal.screen, [" 512/1000"]);
  clock.move(REDRAW_MS);
  terminal.wide = 9;
  display.update(halfWay());
  assert.deepEqual(terminal.screen, [" 512/10…"]);
});

Deno.test("note() stands above the line, in one write", () => {
  const { terminal, clock, display } = set(true);
  display.note("before the first line");
  display.update(halfWay());
  clock.move(REDRAW_MS);
  const writes = terminal.writes.length;
  display.note("task 3, rollout 1: \x1b[2Jsandbox_lost\nsecond line");
  assert.equal(terminal.writes.length, writes + 1);
  assert.deepEqual(terminal.screen.slice(0, -1), [
    "before the first line",
    "task 3, rollout 1: sandbox_lost",
    "  second line",
  ]);
  assert.match(terminal.screen.at(-1)!, / 512\/1000/);
});

Deno.test("update() draws nothing on a terminal that has not taken the last line, and the newest once it has", () => {
  const { terminal, clock, display } = set(true);
  display.update(halfWay({ done: 400 }));
  terminal.busy = true;
  for (let done = 401; done < 500; done++) {
    display.update(halfWay({ done }));
    clock.move(REDRAW_MS);
  }
  assert.equal(terminal.writes.length, 1);
  assert.equal(clock.pending, 1);
  terminal.busy = false;
  clock.move(REDRAW_MS);
  assert.equal(terminal.writes.length, 2);
  assert.match(terminal.screen.at(-1)!, / 514\/1000/);
});

Deno.test("note() to a terminal that is busy takes no progress line along; that comes later", () => {
  const { terminal, clock, display } = set(true);
  display.update(halfWay());
  clock.move(REDRAW_MS);
  terminal.busy = true;
  for (const text of ["one", "two"]) display.note(text);
  assert.deepEqual(terminal.screen, ["one", "two", ""]);
  terminal.busy = false;
  clock.move(REDRAW_MS);
  assert.deepEqual(terminal.screen.slice(0, 2), ["one", "two"]);
  assert.match(terminal.screen[2]!, / 512\/1000/);
});

Deno.test("update() without a terminal leaves a plain line out while the last one is not taken", () => {
  const { terminal, clock, display } = set(false);
  terminal.busy = true;
  for (let ms = 0; ms <= 3 * PLAIN_MS; ms += 1000) {
    display.update(halfWay());
    clock.move(1000);
  }
  assert.deepEqual(terminal.writes, []);
});

Deno.test("note() and say() indent further lines, so that a server's text cannot pass for a note of its own", () => {
  const { terminal, display } = set(false);
  display.note("task 3: boo\nrollcall: all is well\r\n  indented\n\u2028   \n\tStopped");
  display.say("Ignored:\n  --config\n    deeper");
  assert.equal(
    terminal.writes.join(""),
    "task 3: boo\n  rollcall: all is well\n  indented\n\n   Stopped\nIgnored:\n  --config\n    deeper\n",
  );
});

Deno.test("close() leaves the terminal clean and no timer, and may be called twice", () => {
  const { terminal, clock, display } = set(true);
  display.update(halfWay());
  display.update(halfWay());
  assert.equal(clock.pending, 1);
  display.close();
  display.close();
  assert.equal(clock.pending, 0);
  display.update(halfWay());
  display.say("the end");
  assert.deepEqual(terminal.screen, ["the end", ""]);
});

Deno.test("close() writes nothing where nothing was drawn", () => {
  for (const live of [true, false]) {
    const { terminal, display } = set(live);
    display.close();
    assert.deepEqual(terminal.writes, []);
  }
});

Deno.test("update() without a terminal prints a plain line every 10 s", () => {
  const { terminal, clock, display } = set(false);
  for (let ms = 0; ms <= 2.5 * PLAIN_MS; ms += 100) {
    display.update(halfWay({ elapsedS: ms / 1000 }));
    clock.move(100);
  }
  display.note("a note");
  display.close();
  assert.equal(terminal.writes.length, 3);
  assert.match(terminal.writes[0]!, /^\[10s\] 512 of 1000 \(51%\), .*\n$/);
  assert.match(terminal.writes[1]!, /^\[20s\] /);
  assert.equal(terminal.writes[2], "a note\n");
});

Deno.test("update() measures the rate itself, drained rollouts aside", () => {
  const { terminal, clock, display } = set(false);
  for (let s = 0; s <= 10; s++) {
    display.update(halfWay({ done: 5 * s, failed: 0, drained: s > 5 ? 400 : 0 }));
    clock.move(1000);
  }
  assert.match(terminal.writes[0]!, /, 5\/s, /);
});

Deno.test("a quiet display shows only what is said or printed", () => {
  for (const live of [true, false]) {
    const { terminal, clock, display } = set(live, { quiet: true });
    display.update(halfWay());
    clock.move(2 * PLAIN_MS);
    display.update(halfWay());
    display.note("a note");
    display.say("an error");
    display.print("\x1b[32ma summary\x1b[39m\n");
    display.close();
    assert.deepEqual(terminal.writes, ["an error\n", "\x1b[32ma summary\x1b[39m\n"]);
  }
});
