import assert from "node:assert/strict";
import { Shown } from "../../src/collect/shown.ts";
import type { Notice, Settled } from "../../src/events/run_event.ts";
import { readObject } from "../../src/json/object.ts";

function shownOf(servers = 2) {
  const seen: Notice[] = [];
  return { seen, shown: new Shown((notice) => seen.push(notice), { failures: "the sidecar", servers }) };
}

const failed = (failureClass: string, more: Partial<Settled> = {}): Settled => ({
  kind: "settled",
  id: { task: 0, rollout: 0 },
  route: 0,
  became: "failed",
  failure: { failureClass, message: null, body: null },
  recorded: true,
  final: false,
  scored: false,
  result: readObject(new TextEncoder().encode("{}")),
  ...more,
});

Deno.test("of each failure class twenty are shown, then once where the others are", () => {
  const { seen, shown } = shownOf();
  for (let n = 0; n < 50; n++) shown.on(failed("a"));
  assert.equal(seen.length, 21);
  assert.deepEqual(seen[20], { kind: "no_more_shown", see: "the sidecar" });
  shown.on(failed("b"));
  assert.equal(seen.length, 22);
});

Deno.test("what every rollout goes through is not shown, and no result crosses to the other side", () => {
  const { seen, shown } = shownOf();
  shown.on({ kind: "started", row: 0, at: 0, repeated: false });
  shown.on({ kind: "over", row: 0, at: 1, how: "result", bytes: 2, seconds: 1 });
  shown.on(failed("x", { became: "done", failure: null }));
  shown.on(failed("ended the run", { recorded: false }));
  assert.equal(seen.length, 0);
  shown.on(failed("a"));
  const [told] = seen;
  assert.ok(told?.kind === "settled" && told.result === null);
});

Deno.test("that a server is abandoned is shown where others go on", () => {
  const event = { kind: "server_abandoned", server: "a", url: "http://a", reason: "x", afterMs: 1 } as const;
  for (const servers of [1, 2]) {
    const { seen, shown } = shownOf(servers);
    shown.on(event);
    assert.equal(seen.length, servers - 1);
  }
});
