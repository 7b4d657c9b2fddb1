import assert from "node:assert/strict";
import { UnseenConnects } from "../../src/wire/unseen_connects.ts";
import { ManualClock } from "../fakes/manual_clock.ts";

const URL_OF_A = "http://a:1/run";

/** Connections of which a test decides when a probe gets through. */
class Bench {
  readonly clock = new ManualClock();
  readonly probes: { readonly to: string; readonly done: PromiseWithResolvers<void> }[] = [];
  readonly connected: number[] = [];
  readonly connects = new UnseenConnects({
    keptMs: 500,
    clock: this.clock,
    probe: (url) => {
      const done = Promise.withResolvers<void>();
      this.probes.push({ to: url.origin, done });
      return done.promise;
    },
  });

  /** Sends requests with these numbers. */
  send(from: number, to: number, { url = URL_OF_A, isKept = true } = {}) {
    return Array.from(
      { length: to - from },
      (_, k) => this.connects.sent(url, isKept, () => this.connected.push(from + k)),
    );
  }
}

/** Lets everything that waits for a promise go on. */
const turn = () => new Promise((resolve) => setTimeout(resolve));

Deno.test("a few requests are not worth a probe: each has its connection when its response comes", () => {
  const b = new Bench(), sent = b.send(0, 15);
  b.clock.advance(60_000);
  assert.deepEqual([b.probes.length, b.connected], [0, []]);
  sent[3]!.settle();
  sent[3]!.settle();
  assert.deepEqual(b.connected, [3]);
});

Deno.test("sixteen requests have their connections when the probe that was sent after them has", async () => {
  const b = new Bench(), sent = b.send(0, 20);
  b.clock.advance(0);
  assert.deepEqual(b.probes.map(({ to }) => to), ["http://a:1"]);
  b.send(20, 30); // later than the probe
  sent[5]!.settle(); // its response was faster
  b.probes[0]!.done.resolve();
  await turn();
  assert.deepEqual(b.connected, [5, ...[...Array(20).keys()].filter((n) => n !== 5)]);
  b.send(30, 36);
  b.clock.advance(0);
  assert.equal(b.probes.length, 2);
});

Deno.test("where the server's queue is full another probe is sent for the next sixteen", async () => {
  const b = new Bench();
  b.send(0, 16);
  b.clock.advance(0);
  b.send(16, 32);
  b.clock.advance(0);
  b.probes[1]!.done.resolve();
  await turn();
  assert.deepEqual(b.connected, [...Array(16).keys()].map((n) => n + 16));
});

Deno.test("a connection that was used a moment ago serves one request at once, if it may be used", () => {
  const b = new Bench();
  b.connects.freed(URL_OF_A);
  b.send(0, 1, { isKept: false });
  b.send(1, 2, { url: "http://b:1/run" });
  assert.deepEqual(b.connected, []);
  b.send(2, 4, { url: "http://a:1/other" });
  assert.deepEqual(b.connected, [2]);
});

Deno.test("a connection that has been idle for longer is not counted on", () => {
  const b = new Bench();
  b.connects.freed(URL_OF_A);
  b.clock.advance(500);
  b.send(0, 1);
  assert.deepEqual(b.connected, []);
});

Deno.test("requests do not wait forever for a probe that cannot be sent", async () => {
  const b = new Bench();
  b.send(0, 16);
  b.clock.advance(0);
  b.probes[0]!.done.reject(new Error("Connection refused"));
  await turn();
  assert.deepEqual(b.connected, []);
  b.clock.advance(1000);
  await turn();
  assert.equal(b.connected.length, 16);
});

/** Sends requests as a client does, and returns those that were sent so far. */
function sendInTurn(b: Bench, from: number, to: number, signal: AbortSignal): number[] {
  const sent: number[] = [];
  for (let n = from; n < to; n++) {
    void (async () => {
      await b.connects.turn(URL_OF_A, true, signal);
      sent.push(n);
      b.connects.sent(URL_OF_A, true, () => b.connected.push(n));
    })();
  }
  return sent;
}

Deno.test("once a probe was slow probes go first: one request after a slow one, twice as many after each fast one", async () => {
  const b = new Bench(), { signal } = new AbortController();
  const through = async (ms = 0) => {
    b.clock.advance(ms);
    b.probes.at(-1)!.done.resolve();
    await turn();
    b.clock.advance(0);
    await turn();
  };
  b.send(0, 16);
  b.clock.advance(0);
  await through(501);
  const sent = sendInTurn(b, 16, 40, signal);
  await turn();
  assert.deepEqual(sent, []); // the probe is on its way
  const seen: number[] = [];
  for (const ms of [0, 0, 500, 501, 0]) {
    await through(ms);
    seen.push(sent.length);
  }
  assert.deepEqual(seen, [2, 6, 14, 15, 17]);
  // All that were sent before the last probe that came through.
  assert.deepEqual(b.connected.length, 16 + 15);
});

Deno.test("who waits for a turn goes at once when its signal fires", async () => {
  const b = new Bench(), abort = new AbortController();
  b.send(0, 16);
  b.clock.advance(0);
  b.clock.advance(501);
  b.probes[0]!.done.resolve();
  await turn();
  const sent = sendInTurn(b, 16, 18, abort.signal);
  await turn();
  assert.deepEqual(sent, []);
  abort.abort();
  await turn();
  assert.deepEqual(sent, [16, 17]);
});
