/** The driver over rows that are offered while it runs, with servers, files and a clock of the test's. */
import assert from "node:assert/strict";
import { dispatchOf } from "../../src/config/config.ts";
import { configure } from "../config/_configure.ts";
import { Drive } from "../../src/dispatch/drive.ts";
import type { RunEvent } from "../../src/events/run_event.ts";
import { ManualClock } from "../fakes/manual_clock.ts";
import { ScriptedWire } from "../fakes/scripted_wire.ts";

/** A drive over an endless source of rows, each one of server a. */
function endless() {
  const { config } = configure({
    files: [],
    flags: [],
    words: ["+input_jsonl_fpath=in.jsonl", "+output_jsonl_fpath=r.jsonl", "+num_samples_in_parallel=4"],
  });
  const clock = new ManualClock(), events: RunEvent[] = [], asked: number[] = [];
  const wire = new ScriptedWire(({ body }) => {
    asked.push(JSON.parse(body).row);
    return { body: `{"reward":1}` };
  });
  const line = { append: (_: readonly Uint8Array[], done: () => void) => done() };
  const drain = new AbortController();
  const drive = new Drive({
    dispatch: dispatchOf(config),
    routes: [{ server: "a", url: "http://a:1" }],
    rules: { attempts: 3, routeFailures: false, outageRetry: false, retryTerminalTimeouts: false },
  }, {
    rows: {
      read: (row) => new TextEncoder().encode(JSON.stringify({ row })),
      id: (row) => ({ task: row, rollout: 0 }),
      idRead: (row) => ({ task: row, rollout: 0 }),
      route: () => 0,
      attempts: () => 0,
      failedAgain: () => 1,
      reuses: () => false,
    },
    lines: { rollouts: line, failures: line },
    wire,
    clock,
    dice: () => 0,
    observer: { on: (event) => events.push(event) },
    marginMs: () => 0,
    drain: drain.signal,
    abort: new AbortController().signal,
  });
  const settled = () => events.filter(({ kind }) => kind === "settled").length;
  return { drive, clock, asked, settled, drain };
}

Deno.test("Drive runs what is offered to it while it runs, waits for more, and ends once it is closed", async () => {
  const { drive, clock, asked, settled } = endless();
  let isOver = false;
  const over = drive.run().finally(() => isOver = true);
  await clock.pass(1000);
  assert.deepEqual([isOver, asked], [false, []]);
  drive.offer([7, 3]);
  await clock.pass(1000);
  drive.offer(new Set([5]));
  await clock.pass(1000);
  assert.deepEqual([isOver, asked, settled()], [false, [7, 3, 5], 3]);
  drive.close();
  assert.equal(await over, null);
  assert.deepEqual([drive.wanted, drive.state().waiting], [0, 0]);
});

Deno.test("Drive wants no more rows than it has room for, and more of them as some are settled", async () => {
  const { drive, clock, settled } = endless();
  const over = drive.run();
  let offered = 0;
  const offer = () => {
    const rows = Array.from({ length: drive.wanted }, () => offered++);
    drive.offer(rows);
    return rows.length;
  };
  assert.ok(offer() > 4);
  assert.ok(drive.wanted <= 4, "what was wanted has been offered");
  while (settled() < 2000) {
    await clock.pass(1);
    offer();
  }
  assert.ok(offered - settled() <= 2000, "what waits does not grow with the run");
  drive.close();
  assert.equal(await over, null);
  assert.equal(settled(), offered);
});

Deno.test("Drive wants nothing once it is stopped, and leaves what waits", async () => {
  const { drive, drain } = endless();
  const over = drive.run();
  drive.offer([0, 1, 2, 3, 4, 5, 6, 7]);
  drain.abort("SIGTERM");
  assert.equal(drive.wanted, 0);
  await over;
  drive.offer([8]);
  assert.equal(drive.state().waiting, 5);
});
