import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import type { BodyReader } from "../../src/ports/http.ts";
import { announcedLength, type BodyLimits, readBody } from "../../src/wire/read_body.ts";
import { ManualClock } from "../fakes/manual_clock.ts";

/** A body in pieces, which keeps count of the memory that it is given. */
class Pieces implements BodyReader {
  readonly #pieces: Uint8Array[];
  #next = 0;
  #rest: Uint8Array | undefined;
  readonly #end: "whole" | "silence" | Error;
  readonly #cancelled = Promise.withResolvers<void>();
  isCancelled = false;
  largestBuffer = 0;
  arrived = 0;
  /** Bytes that had to be moved into larger buffers. */
  copied = 0;
  /** Bytes of buffer above eight times what had arrived, at most. */
  excess = 0;

  constructor(pieces: Uint8Array[], end: "whole" | "silence" | Error = "whole") {
    this.#pieces = pieces;
    this.#end = end;
  }

  async read(buffer: ArrayBuffer, from: number) {
    assert.ok(from < buffer.byteLength, "there is room");
    if (buffer.byteLength > this.largestBuffer) this.copied += from;
    this.largestBuffer = Math.max(this.largestBuffer, buffer.byteLength);
    this.excess = Math.max(this.excess, buffer.byteLength - 8 * this.arrived);
    const piece = this.#rest ?? this.#pieces[this.#next++];
    if (piece === undefined) {
      if (this.#end instanceof Error) throw this.#end;
      if (this.#end === "silence") await this.#cancelled.promise;
      return { buffer, count: 0 };
    }
    const count = Math.min(piece.length, buffer.byteLength - from);
    const filled = buffer.transfer(); // as the runtime does
    new Uint8Array(filled).set(piece.subarray(0, count), from);
    this.#rest = count < piece.length ? piece.subarray(count) : undefined;
    this.arrived += count;
    return { buffer: filled, count };
  }

  cancel(): void {
    this.isCancelled = true;
    this.#cancelled.resolve();
  }
}

const limits = (given: Partial<BodyLimits> = {}): BodyLimits => ({
  maxBytes: null,
  idleTimeoutMs: null,
  clock: new ManualClock(),
  signal: new AbortController().signal,
  ...given,
});

const bytes = (length: number) => Uint8Array.from({ length }, (_, index) => index % 251);

Deno.test("readBody() reads a body whatever its pieces and its announced length, with memory for what arrives", async () => {
  const piece = fc.integer({ min: 1, max: 300_000 }).map(bytes);
  const announced = fc.oneof(fc.constant("exact" as const), fc.constant(undefined), fc.nat(1e15));
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 6 }), announced, async (pieces, announced) => {
      const whole = new Uint8Array(await new Blob(pieces as Uint8Array<ArrayBuffer>[]).arrayBuffer());
      const reader = new Pieces(pieces);
      const length = announced === "exact" ? whole.length : announced;
      const { body, broken } = await readBody(reader, length, limits());
      assert.equal(broken, undefined);
      assert.ok(Buffer.from(body).equals(Buffer.from(whole)));
      assert.ok(reader.excess <= 65_537, `${reader.excess} bytes more than eight times what had arrived`);
    }),
    { numRuns: 20 },
  );
});

Deno.test("readBody() takes 300 KB in pieces of one byte into a buffer of no more than twice that", async () => {
  const reader = new Pieces(Array(300_000).fill(new Uint8Array([120])));
  const { body } = await readBody(reader, undefined, limits());
  assert.equal(body.length, 300_000);
  assert.ok(reader.largestBuffer <= 600_000);
});

Deno.test("readBody() copies less than a quarter of a body whose announced length is true, and takes no byte too many", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3_000_000 }), async (length) => {
      const reader = new Pieces([bytes(length)]);
      const { body } = await readBody(reader, length, limits());
      assert.equal(body.buffer.byteLength, length + 1);
      assert.ok(reader.copied <= length / 4, `${reader.copied} bytes of ${length}`);
    }),
    { numRuns: 20 },
  );
});

Deno.test("readBody() ends at a length that is announced too large without reading", async () => {
  const reader = new Pieces([bytes(10)]);
  const { body, broken } = await readBody(reader, 30e9, limits({ maxBytes: 2 ** 30 }));
  assert.equal(body.length, 0);
  assert.equal(broken, "30000000000 bytes, more than max_response_bytes=1073741824");
  assert.ok(reader.isCancelled);
  assert.equal(reader.largestBuffer, 0);
});

Deno.test("readBody() takes no more memory for a length that is announced and never comes", async () => {
  const reader = new Pieces([bytes(10)], new Error("connection closed"));
  const { broken } = await readBody(reader, 30e9, limits());
  assert.equal(broken, "connection closed");
  assert.ok(reader.largestBuffer <= 65_536);
});

Deno.test("readBody() ends a silence, and only a silence", async () => {
  const clock = new ManualClock(), reader = new Pieces([bytes(10)], "silence");
  const read = readBody(reader, 20, limits({ clock, idleTimeoutMs: 3_000_000_000 }));
  await clock.pass(2_999_000_000 / 1000);
  assert.equal(reader.isCancelled, false);
  reader.cancel();
  assert.equal((await read).broken, undefined);
  const silent = new Pieces([bytes(10)], "silence");
  const ended = readBody(silent, 20, limits({ clock, idleTimeoutMs: 3_000 }));
  await clock.pass(3_000);
  assert.equal((await ended).broken, "no byte for idle_timeout_s=3");
  assert.equal(clock.timers, 0);
});

for (
  const [headers, length] of [
    [{ "content-length": "12" }, 12],
    [{ "content-length": "12", "content-encoding": "gzip" }, undefined],
    [{ "content-length": "-1" }, undefined],
    [{ "content-length": "x" }, undefined],
    [{}, undefined],
  ] as [Record<string, string>, number | undefined][]
) {
  Deno.test(`announcedLength() of ${JSON.stringify(headers)} is ${length}`, () => {
    const answer = {
      kind: "answered" as const,
      status: 200,
      header: (name: string) => headers[name],
      body: new Pieces([]),
    };
    assert.equal(announcedLength(answer), length);
  });
}
