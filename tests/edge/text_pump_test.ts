import assert from "node:assert/strict";
import { TextPump } from "../../src/edge/text_pump.ts";

/** A stream that takes what it is given when the test says so. */
class Stream {
  /** What was accepted, one string per write. */
  readonly taken: string[] = [];
  #open = Promise.resolve();
  #resume = () => {};
  /** What writes do instead of taking something, first things first. */
  readonly failing: Error[] = [];
  /** Bytes that one write takes at most. */
  most = Infinity;

  pause(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#open = promise;
    this.#resume = resolve;
  }

  resume(): void {
    this.#resume();
  }

  write = async (bytes: Uint8Array): Promise<number> => {
    await this.#open;
    const error = this.failing.shift();
    if (error) throw error;
    const some = bytes.subarray(0, this.most);
    this.taken.push(new TextDecoder().decode(some));
    return some.length;
  };

  get text(): string {
    return this.taken.join("");
  }
}

Deno.test("TextPump writes in order, in one piece what is pushed in one go, and is busy until then", async () => {
  const stream = new Stream(), pump = new TextPump(stream.write);
  assert.equal(pump.busy, false);
  for (const text of ["one\n", "two\n", "three\n"]) pump.push(text);
  assert.equal(pump.busy, true);
  await pump.flush();
  assert.deepEqual(stream.taken, ["one\ntwo\nthree\n"]);
  assert.equal(pump.busy, false);
  pump.push("four\n");
  await pump.flush();
  assert.equal(stream.text, "one\ntwo\nthree\nfour\n");
  await pump.flush();
});

Deno.test("TextPump writes what a stream takes in parts", async () => {
  const stream = new Stream(), pump = new TextPump(stream.write);
  stream.most = 3;
  pump.push("more than three bytes\n");
  await pump.flush();
  assert.equal(stream.text, "more than three bytes\n");
  assert.equal(stream.taken.length, 8);
});

Deno.test("TextPump.push() never waits for a stream that is paused, and flush() does", async () => {
  const stream = new Stream(), pump = new TextPump(stream.write);
  stream.pause();
  pump.push("one\n");
  await Promise.resolve();
  pump.push("two\n");
  let flushed = false;
  const flushing = pump.flush().then(() => flushed = true);
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual([flushed, pump.busy, stream.taken.length], [false, true, 0]);
  stream.resume();
  await flushing;
  assert.equal(stream.text, "one\ntwo\n");
});

Deno.test("TextPump drops the oldest texts beyond its limit, and says how many lines", async () => {
  const stream = new Stream();
  const pump = new TextPump(stream.write, { limit: 20, dropped: (lines) => `[${lines} gone]\n` });
  stream.pause();
  pump.push("in flight\n");
  await Promise.resolve();
  await Promise.resolve();
  for (let n = 0; n < 5; n++) pump.push(`note ${n}\nand\n`);
  stream.resume();
  await pump.flush();
  assert.equal(stream.text, "in flight\n[8 gone]\nnote 4\nand\n");
  pump.push(`${"x".repeat(100)}\n`);
  await pump.flush();
  assert.match(stream.text, /\nx{100}\n$/, "one that is longer than the bound is kept");
});

Deno.test("TextPump ignores any failure of a stream, and continues", async () => {
  const stream = new Stream(), pump = new TextPump(stream.write);
  stream.failing.push(new Error("Input/output error (os error 5)"), new Deno.errors.BrokenPipe("gone"));
  for (const text of ["lost\n", "lost too\n", "kept\n"]) {
    pump.push(text);
    await pump.flush();
  }
  assert.equal(stream.text, "kept\n");
});

Deno.test("TextPump tries again where a stream would block", async () => {
  const stream = new Stream(), pump = new TextPump(stream.write);
  stream.failing.push(new Deno.errors.WouldBlock(), new Deno.errors.WouldBlock());
  pump.push("kept\n");
  await pump.flush();
  assert.equal(stream.text, "kept\n");
});
