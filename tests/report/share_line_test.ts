import assert from "node:assert/strict";
import { ShareLine } from "../../src/report/share_line.ts";
import { SpyTerminal } from "../fakes/fake_world.ts";
import { ManualClock } from "../fakes/manual_clock.ts";

Deno.test("ShareLine draws on a terminal, from half a second on, ten times a second at most, and goes", () => {
  const clock = new ManualClock(), terminal = new SpyTerminal();
  Object.assign(terminal, { live: true });
  const line = new ShareLine(terminal, clock, "Checking a.jsonl");
  line.update(0.1);
  clock.advance(500);
  line.update(0.259);
  line.update(0.3);
  clock.advance(100);
  line.update(0.5);
  line.close();
  line.close();
  assert.equal(terminal.stderr, "\rChecking a.jsonl: 25 %\x1b[K\rChecking a.jsonl: 50 %\x1b[K\r\x1b[K");
});

Deno.test("ShareLine writes nothing where there is no terminal", () => {
  const clock = new ManualClock(), terminal = new SpyTerminal();
  const line = new ShareLine(terminal, clock, "Checking a.jsonl");
  clock.advance(9999);
  line.update(0.5);
  line.close();
  assert.equal(terminal.stderr, "");
});
