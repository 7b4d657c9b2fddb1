import assert from "node:assert/strict";
import fc from "fast-check";
import { LineWriter } from "../../src/store/line_writer.ts";
import { WriteFault } from "../../src/kit/fault.ts";
import { ManualClock, settled } from "../fakes/manual_clock.ts";
import { MemoryFiles, PowerCut } from "../fakes/memory_files.ts";

const PATH = "/runs/a.jsonl", OLD = "old 1\nold 2\n", BATCH = 1 << 18;

const encoder = new TextEncoder();

/** A writer on a file that already has lines, and a diary of what it says of each line. */
class Bench {
  readonly files = new MemoryFiles({ [PATH]: OLD });
  readonly clock = new ManualClock();
  readonly told: { line: string; fault: WriteFault | undefined }[] = [];
  #deferred: (() => void)[] = [];
  readonly writer = new LineWriter(
    this.files.append(PATH),
    PATH,
    this.clock,
    (call) => this.#deferred.push(call),
  );

  append(line: string, pieces: readonly string[] = [line]): void {
    const bytes = pieces.map((piece) => encoder.encode(piece));
    this.writer.append(bytes, (fault) => this.told.push({ line, fault }));
    for (const piece of bytes) piece.fill(0x3f); // they were taken by now
  }

  /** What had to wait until the events at hand were dealt with happens now. */
  turn(): number {
    const calls = this.#deferred;
    this.#deferred = [];
    for (const call of calls) call();
    return calls.length;
  }

  get text(): string {
    return this.files.text(PATH)!;
  }

  /** The lines reported as being in the file. */
  get kept(): string[] {
    return this.told.filter(({ fault }) => !fault).map(({ line }) => line);
  }
}

const asText = (lines: readonly string[]) => OLD + lines.map((line) => `${line}\n`).join("");

Deno.test("append() writes lines that come together in one batch, in order, and then calls back", () => {
  const bench = new Bench();
  bench.append("one");
  bench.append("two", ["t", "", "wo"]);
  assert.equal(bench.text, OLD);
  assert.deepEqual(bench.told, []);
  let writes = 0;
  bench.files.before = ({ what }) => void (what === "write" && writes++);
  assert.equal(bench.turn(), 1);
  assert.equal(writes, 1);
  assert.equal(bench.text, asText(["one", "two"]));
  assert.deepEqual(bench.told, [{ line: "one", fault: undefined }, { line: "two", fault: undefined }]);
  bench.append("three");
  bench.turn();
  assert.equal(bench.text, asText(["one", "two", "three"]));
});

Deno.test("append() writes once the batch is full, without waiting for a turn", () => {
  const bench = new Bench(), line = "x".repeat(100_000);
  bench.append(line);
  bench.append(line);
  assert.equal(bench.text, OLD);
  bench.append(line);
  assert.equal(bench.text, asText([line, line]));
  assert.equal(bench.told.length, 2);
  bench.turn();
  assert.equal(bench.text, asText([line, line, line]));
});

for (const length of [BATCH - 2, BATCH - 1, BATCH, BATCH + 1, 3 * BATCH]) {
  Deno.test(`append() of a line of ${length} bytes between short ones keeps the order`, () => {
    const bench = new Bench(), long = "x".repeat(length);
    bench.append("before");
    bench.append(long, [long.slice(0, 10), long.slice(10)]);
    bench.append("after");
    bench.turn();
    assert.equal(bench.text, asText(["before", long, "after"]));
    assert.deepEqual(bench.kept, ["before", long, "after"]);
  });
}

Deno.test("append() keeps writing when the file accepts less than it is given", () => {
  for (const most of [1, 2, 5]) {
    const bench = new Bench(), long = "y".repeat(BATCH);
    bench.append("one");
    bench.append("two", ["tw", "o"]);
    bench.files.mostPerWrite = most;
    bench.turn();
    bench.files.mostPerWrite = 100_000;
    bench.append(long);
    bench.append("three");
    bench.turn();
    assert.equal(bench.text, asText(["one", "two", long, "three"]));
    assert.equal(bench.kept.length, 4);
  }
});

Deno.test("append() from inside a callback is one line more", () => {
  const bench = new Bench(), order: string[] = [];
  const append = (line: string, then: () => void = () => {}) =>
    bench.writer.append([encoder.encode(line)], () => {
      order.push(line);
      then();
    });
  append("one", () => append("three"));
  append("two");
  bench.turn();
  bench.turn();
  assert.deepEqual(order, ["one", "two", "three"]);
  assert.equal(bench.text, asText(order));
});

const GROUPS = [["one"], ["2", ""], ["three 3 three", "four"], ["é"]] as const;
const ALL = GROUPS.flat();

for (const mostPerWrite of [Infinity, 1, 3]) {
  Deno.test(
    `LineWriter leaves whole lines only when the disk fills up at any byte (${mostPerWrite} a write)`,
    async () => {
      const total = encoder.encode(asText(ALL)).length - OLD.length;
      for (let room = 0; room <= total; room++) {
        const bench = new Bench();
        Object.assign(bench.files, { room, mostPerWrite });
        for (const group of GROUPS) {
          for (const line of group) bench.append(line);
          bench.turn();
        }
        // Every line was told of once and in order: in the file up to some line, and none after it.
        assert.deepEqual(bench.told.map(({ line }) => line), ALL, `room for ${room}`);
        assert.equal(bench.text, asText(bench.kept), `room for ${room}`);
        assert.deepEqual(bench.kept, ALL.slice(0, bench.kept.length), `room for ${room}`);
        assert.equal(bench.kept.length === ALL.length, room === total);
        const fault = bench.told.find(({ fault }) => fault)?.fault;
        if (fault) await assert.rejects(bench.writer.close(), fault);
        else await bench.writer.close();
        assert.equal(bench.files.durable(PATH), bench.text, "what is in the file is synced all the same");
        assert.equal(bench.files.open, 0);
      }
    },
  );

  Deno.test(
    `LineWriter leaves whole lines and one torn tail at most when the power fails at any byte (${mostPerWrite} a write)`,
    () => {
      const whole = asText(ALL), total = encoder.encode(whole).length - OLD.length;
      for (let power = 1; power <= total; power++) {
        const bench = new Bench();
        Object.assign(bench.files, { power, mostPerWrite });
        for (const group of GROUPS) {
          for (const line of group) bench.append(line);
          bench.turn();
        }
        const left = bench.files.bytes(PATH)!;
        assert.deepEqual(left, encoder.encode(whole).subarray(0, OLD.length + power));
        assert.deepEqual(bench.told.map(({ line }) => line), ALL);
        // What was reported to be in the file is.
        assert.ok(new TextDecoder().decode(left).startsWith(asText(bench.kept)));
        if (power < total) {
          const { fault } = bench.told.at(-1)!;
          assert.ok(fault instanceof WriteFault);
          assert.ok(mostPerWrite < Infinity || fault.cause instanceof PowerCut);
        }
      }
    },
  );
}

Deno.test("LineWriter cuts a long line off again wherever it broke, and keeps what was before it", () => {
  const long = "x".repeat(BATCH + 10), pieces = [long.slice(0, 7), long.slice(7, 7), long.slice(7)];
  const before = "before\n".length;
  for (
    const room of [0, 3, before, 1, 7, 8, 70_000, BATCH + 9, BATCH + 10].map((n, i) => i < 3 ? n : n + before)
  ) {
    const bench = new Bench();
    bench.files.room = room;
    bench.append("before");
    bench.append("long", pieces);
    bench.append("after");
    bench.turn();
    assert.deepEqual(bench.told.map(({ line }) => line), ["before", "long", "after"], `room for ${room}`);
    assert.deepEqual(bench.kept, room < before ? [] : ["before"], `room for ${room}`);
    assert.equal(bench.text, asText(bench.kept));
  }
});

Deno.test("LineWriter refuses every line after a fault, even once there is room again", () => {
  const bench = new Bench();
  bench.files.room = 2;
  bench.append("one");
  bench.turn();
  bench.files.room = Infinity;
  bench.append("two");
  assert.equal(bench.told.length, 2);
  assert.equal(bench.told[1]!.fault, bench.told[0]!.fault);
  bench.turn();
  assert.equal(bench.text, OLD);
});

Deno.test("WriteFault says what happened where, what is intact and what to do, and keeps the cause", () => {
  const bench = new Bench();
  bench.files.room = 0;
  bench.append("one");
  bench.turn();
  const { fault } = bench.told[0]!;
  assert.equal(
    fault!.message,
    "Cannot write to /runs/a.jsonl: No space left on device. What was written before is intact; " +
      "free space or fix the cause, then continue with --resume.",
  );
  assert.ok(fault!.cause instanceof Error);
  assert.equal(fault!.name, "WriteFault");
});

Deno.test("LineWriter treats a file that accepts nothing, without an error, as full", () => {
  const bench = new Bench();
  bench.files.mostPerWrite = 0;
  bench.append("one");
  bench.turn();
  assert.match(bench.told[0]!.fault!.message, /accepts no more bytes/);
  assert.equal(bench.text, OLD);
});

Deno.test("LineWriter does what a list of lines does, whatever comes when and wherever the disk is full", async () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        line: fc.integer({ min: 0, max: 2 * BATCH }).map((n) => n < BATCH ? n % 40 : n),
      }),
    },
    { weight: 2, arbitrary: fc.constant("turn" as const) },
    { weight: 1, arbitrary: fc.constant("second" as const) },
    { weight: 1, arbitrary: fc.constant("flush" as const) },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 20 }),
      fc.oneof(fc.constant(Infinity), fc.nat(200), fc.nat(3 * BATCH)),
      fc.constantFrom(Infinity, 100_000),
      async (steps, room, mostPerWrite) => {
        const bench = new Bench(), lines: string[] = [];
        Object.assign(bench.files, { room, mostPerWrite });
        for (const step of steps) {
          if (step === "turn") bench.turn();
          else if (step === "second") await bench.clock.pass(1000);
          else if (step === "flush") bench.writer.flush();
          else {
            lines.push(`${lines.length}${"x".repeat(step.line)}`);
            bench.append(lines.at(-1)!);
          }
          assert.ok(bench.text === asText(bench.kept), "the file holds the reported lines");
        }
        await bench.writer.close().catch((fault) => assert.ok(fault instanceof WriteFault));
        bench.turn();
        assert.deepEqual(bench.told.map(({ line }) => line.length), lines.map((line) => line.length));
        assert.ok(bench.text === asText(lines.slice(0, bench.kept.length)));
        assert.equal(bench.files.durable(PATH).length, bench.text.length);
        assert.equal(bench.clock.timers, 0);
        assert.equal(bench.files.open, 0);
      },
    ),
    { numRuns: 100 },
  );
});

Deno.test("LineWriter syncs a line within a second of its writing, and not again without need", async () => {
  const bench = new Bench();
  let syncs = 0;
  bench.files.before = ({ what }) => void (what === "sync" && syncs++);
  await bench.clock.pass(5000);
  assert.equal(syncs, 0);
  assert.equal(bench.clock.timers, 0);
  bench.append("one");
  bench.turn();
  await bench.clock.pass(999);
  assert.equal(bench.files.durable(PATH), OLD);
  await bench.clock.pass(1);
  assert.equal(bench.files.durable(PATH), asText(["one"]));
  await bench.clock.pass(60_000);
  await bench.writer.close();
  assert.equal(syncs, 1);
});

Deno.test("LineWriter syncs every line within a second while lines keep coming", async () => {
  const bench = new Bench(), writtenBy = new Map<number, string>();
  for (let now = 0; now <= 10_000; now += 70) {
    bench.append(`line at ${now}`);
    bench.turn();
    writtenBy.set(now, bench.text);
    await bench.clock.pass(70);
    for (const [at, text] of writtenBy) {
      if (at + 1000 > bench.clock.now()) break;
      assert.ok(bench.files.durable(PATH).startsWith(text), `at ${bench.clock.now()}, written at ${at}`);
      writtenBy.delete(at);
    }
  }
});

Deno.test("sync() and close() put on the disk what was appended, gathered lines too", async () => {
  const bench = new Bench();
  bench.append("one");
  await bench.writer.sync();
  assert.equal(bench.files.durable(PATH), asText(["one"]));
  bench.append("two");
  await bench.writer.close();
  assert.equal(bench.files.durable(PATH), asText(["one", "two"]));
  assert.deepEqual(bench.kept, ["one", "two"]);
  assert.equal(bench.clock.timers, 0);
  assert.equal(bench.files.open, 0);
});

Deno.test("close() of a writer that wrote nothing closes the file", async () => {
  const bench = new Bench();
  await bench.writer.close();
  assert.equal(bench.text, OLD);
  assert.equal(bench.files.open, 0);
});

Deno.test("close() waits for every sync under way, one after the other", async () => {
  const bench = new Bench(), under: (() => void)[] = [];
  bench.files.syncing = () => new Promise((resolve) => under.push(resolve));
  let closed = false;
  bench.files.before = ({ what }) => void (what === "close" && (closed = true));
  bench.append("one");
  bench.turn();
  await bench.clock.pass(1000); // a sync begins, and takes long
  bench.append("two");
  bench.turn();
  await bench.clock.pass(1000); // the next one is due
  bench.append("three");
  const closing = bench.writer.close();
  await settled();
  assert.equal(under.length, 1);
  under[0]!();
  await settled();
  assert.equal(under.length, 2);
  assert.equal(closed, false);
  under[1]!();
  await settled();
  for (const resolve of under.slice(2)) resolve();
  await closing;
  assert.equal(closed, true);
  assert.equal(bench.files.durable(PATH), asText(["one", "two", "three"]));
});

Deno.test("LineWriter refuses lines once a sync has failed, and close() says why", async () => {
  const bench = new Bench();
  bench.append("one");
  bench.turn();
  bench.files.syncing = () => Promise.reject(new Error("Input/output error (os error 5)"));
  await bench.clock.pass(1000);
  bench.append("two");
  const { fault } = bench.told[1]!;
  assert.match(fault!.message, /^Cannot sync \/runs\/a\.jsonl: Input\/output error/);
  await assert.rejects(bench.writer.close(), fault!);
  assert.equal(bench.text, asText(["one"]));
  assert.equal(bench.files.open, 0);
});

Deno.test("LineWriter does not write its batch once a sync has failed: it could not guarantee it", async () => {
  for (const line of ["two", "x".repeat(BATCH)]) {
    const bench = new Bench();
    bench.append("one");
    bench.turn();
    bench.files.syncing = () => Promise.reject(new Error("Input/output error (os error 5)"));
    bench.append("gathered");
    await bench.clock.pass(1000);
    bench.append(line);
    bench.turn();
    assert.deepEqual(bench.told.map(({ line }) => line), ["one", "gathered", line]);
    assert.deepEqual(bench.kept, ["one"]);
    assert.equal(bench.text, asText(["one"]));
    await assert.rejects(bench.writer.close(), WriteFault);
  }
});

Deno.test("close() closes the file even when the last lines cannot be written", async () => {
  const bench = new Bench();
  bench.files.room = 1;
  bench.append("one");
  await assert.rejects(bench.writer.close(), WriteFault);
  assert.equal(bench.files.open, 0);
  assert.equal(bench.text, OLD);
  assert.equal(bench.told.length, 1);
});

for (const replaced of [false, true]) {
  Deno.test(`LineWriter notices within a second that its file was ${replaced ? "replaced" : "removed"}`, async () => {
    const bench = new Bench();
    bench.append("one");
    bench.turn();
    bench.files.remove(PATH);
    if (replaced) bench.files.put(PATH, "another\n");
    bench.append("two");
    bench.turn();
    assert.deepEqual(bench.kept, ["one", "two"]); // nobody can know yet
    await bench.clock.pass(1000);
    bench.append("three");
    assert.match(
      bench.told[2]!.fault!.message,
      /^\/runs\/a\.jsonl was removed or replaced while the run was writing/,
    );
    await assert.rejects(bench.writer.close(), bench.told[2]!.fault!);
    assert.equal(bench.files.open, 0);
    assert.equal(bench.files.text(PATH), replaced ? "another\n" : undefined);
  });
}

Deno.test("close() notices that the file was removed, even when nothing was written since the last sync", async () => {
  const bench = new Bench();
  bench.append("one");
  bench.turn();
  await bench.clock.pass(1000);
  bench.files.remove(PATH);
  await assert.rejects(bench.writer.close(), /was removed or replaced/);
  assert.equal(bench.files.open, 0);
});

Deno.test("LineWriter notices within a second that its file was truncated", async () => {
  const bench = new Bench();
  bench.append("one");
  bench.turn();
  await bench.clock.pass(1000);
  const other = bench.files.append(PATH);
  other.truncate(0);
  other.close();
  bench.append("two");
  bench.turn();
  await bench.clock.pass(1000);
  await assert.rejects(bench.writer.close(), /a\.jsonl was truncated while the run was writing/);
});

Deno.test("LineWriter treats a path that cannot be looked up as a fault like any other, and throws nothing elsewhere", async () => {
  const files = new MemoryFiles(), clock = new ManualClock();
  const isInPlace = () => {
    throw new Error("Permission denied (os error 13)");
  };
  const writer = new LineWriter({ ...files.append(PATH), isInPlace }, PATH, clock, (call) => call());
  const told: unknown[] = [];
  writer.append([encoder.encode("one")], (fault) => told.push(fault));
  await clock.pass(1000);
  writer.append([encoder.encode("two")], (fault) => told.push(fault));
  assert.equal(told[0], undefined);
  assert.ok(told[1] instanceof WriteFault);
  await assert.rejects(writer.close(), /Cannot sync \/runs\/a\.jsonl: Permission denied/);
});
