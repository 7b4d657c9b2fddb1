import assert from "node:assert/strict";
import fc from "fast-check";
import { Topology } from "../../src/config/topology.ts";
import { readObject } from "../../src/json/object.ts";
import { UsageFault } from "../../src/kit/fault.ts";
import { materialize, reorder } from "../../src/plan/materialize.ts";
import { gathering, type Sink } from "../../src/kit/gathering.ts";
import { byRollout, type RowIndex } from "../../src/plan/row_index.ts";
import { Preparation } from "../../src/rows/prepare.ts";
import { config } from "../rows/_rows.ts";

const encoder = new TextEncoder(), decoder = new TextDecoder("utf-8", { ignoreBOM: true });

const preparation = (set: Parameters<typeof config>[0] = {}) =>
  new Preparation({
    config: config(set),
    topology: new Topology({}, { solver: "http://solver:1", scribe: "http://scribe:2" }, () => undefined),
    file: "in.jsonl",
  });

/** Keeps what it is given, and then spoils it: sinks must use bytes before they return. */
function keeping() {
  let kept = new Uint8Array();
  const sink: Sink = (bytes) => {
    const grown = new Uint8Array(kept.length + bytes.length);
    grown.set(kept);
    grown.set(bytes, kept.length);
    kept = grown;
  };
  return { sink, bytes: () => kept, text: () => decoder.decode(kept) };
}

async function* chunks(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = encoder.encode(text), chunk = new Uint8Array(size);
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size);
    chunk.set(part);
    yield await Promise.resolve(chunk.subarray(0, part.length)); // the same memory each time, as readers do
  }
}

const task = (name: string, agent = "solver") =>
  `{"q": "${name}", "n": 1.0, "agent_ref": {"name": "${agent}"}, "responses_create_params": {"input": "é"}}`;

const never = () => {};

/** Checks that the index says of every row where it is and who it is. */
function checkIndex(index: RowIndex, bytes: Uint8Array): void {
  const { offset, length, task, rollout } = index.columns;
  let end = 0;
  for (let row = 0; row < index.size; row++) {
    assert.equal(offset[row], end);
    end = offset[row]! + length[row]! + 1;
    assert.equal(bytes[end - 1], 0x0a);
    const object = readObject(bytes.subarray(offset[row], offset[row]! + length[row]!));
    assert.equal(object.value("_ng_task_index"), task[row]);
    assert.equal(object.value("_ng_rollout_index"), rollout[row]);
  }
  assert.equal(end, bytes.length);
}

Deno.test("materialize() writes the rollouts of every line, and an index that finds each", async () => {
  const input = `\ufeff${task("a")}\r\n\n${task("b", "scribe")}\n  \n${task("a")}`;
  for (const size of [1, 7, 64, 10_000]) {
    const { sink, bytes, text } = keeping();
    const { prepared, index } = await materialize(
      chunks(input, size),
      preparation({ num_repeats: 2 }),
      sink,
    );
    assert.equal(index.size, 6);
    checkIndex(index, bytes());
    assert.deepEqual([prepared.rows, prepared.tasks, prepared.rollouts], [3, 2, 6]);
    assert.deepEqual(prepared.routes.map(({ server }) => server), ["solver", "scribe"]);
    assert.deepEqual([...index.columns.route.subarray(0, 6)], [0, 0, 1, 1, 0, 0]);
    assert.ok(text().startsWith(task("a").slice(0, -1)), "rows keep their text");
  }
});

Deno.test("materialize() of an empty input is an empty run", async () => {
  for (const input of ["", "\n", " \r\n\n", "\ufeff"]) {
    const { sink, text } = keeping();
    const { prepared, index } = await materialize(chunks(input, 2), preparation(), sink);
    assert.deepEqual([prepared.rows, prepared.rollouts, index.size, text()], [0, 0, 0, ""]);
  }
});

Deno.test("materialize() leaves the input alone once the limit is reached", async () => {
  let read = 0, closed = false;
  async function* endless() {
    try {
      for (;; read++) yield await Promise.resolve(encoder.encode(`${task("a")}\nnot JSON\n`));
    } finally {
      closed = true;
    }
  }
  const { sink, text } = keeping();
  const { prepared } = await materialize(endless(), preparation({ limit: 1 }), sink);
  assert.deepEqual([prepared.rows, read, closed], [1, 0, true]);
  assert.equal(text().split("\n").length, 2);
});

Deno.test("materialize() shows the bytes of the rows that it used, and of no other", async () => {
  const input = `\ufeff${task("a")}\r\n\n${task("b")}\n \n${task("c")}`;
  const seenOf = async (input: string, size: number, limit: number) => {
    const { sink, text } = keeping();
    await materialize(chunks(input, size), preparation({ limit }), never, { seen: sink });
    return text();
  };
  for (const size of [1, 7, 64, 10_000]) {
    const two = `${task("a")}\n${task("b")}\n`;
    assert.equal(await seenOf(input, size, 0), `${two}${task("c")}\n`);
    assert.equal(await seenOf(`${input}\n`, size, 0), `${two}${task("c")}\n`);
    assert.equal(await seenOf(input, size, 2), two);
  }
});

Deno.test("materialize() asks between chunks whether to stop, and ends with what was thrown", async () => {
  let asked = 0;
  const stop = () => {
    if (++asked === 3) throw new Error("stopped");
  };
  const { sink } = keeping();
  await assert.rejects(materialize(chunks(task("a"), 10), preparation(), sink, { stop }), /^Error: stopped$/);
  assert.equal(asked, 3);
});

Deno.test("materialize() lets others in, and refuses more rollouts than a run can have, saying how many that is", async () => {
  let breaths = 0;
  const breathe = () => Promise.resolve(void breaths++);
  const repeats = preparation({ num_repeats: 40_000 });
  await assert.rejects(
    materialize(chunks(`${task("a")}\n`, 100), repeats, () => {}, { breathe, most: 39_999 }),
    { name: "UsageFault", message: /at most 39,?999\./ },
  );
  assert.equal(breaths, 2);
});

Deno.test("materialize() tells what is wrong with the input, and which line", async () => {
  const input = `${task("a")}\n\n[1]\n`;
  await assert.rejects(materialize(chunks(input, 9), preparation(), never), (error) => {
    assert.ok(error instanceof UsageFault);
    assert.match(
      error.message,
      /^Lines that are not a JSON object:\n {2}in\.jsonl:3: a value that is not an object \(column 1\)$/,
    );
    return true;
  });
  await assert.rejects(
    materialize(chunks(`${task("a")}\n${task("b", "solvr")}\n`, 9), preparation(), never),
    /solver/,
  );
});

Deno.test("reorder() writes the same rows in rounds, with an index of their new offsets", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(3), { maxLength: 20 }),
      fc.integer({ min: 1, max: 4 }),
      async (names, times) => {
        const input = names.map((name) => `${task("x".repeat(name * 10), name % 2 ? "scribe" : "solver")}\n`)
          .join("");
        const first = keeping(), second = keeping();
        const { index } = await materialize(
          chunks(input, 50),
          preparation({ num_repeats: times }),
          first.sink,
        );
        const readAt = (into: Uint8Array, offset: number) =>
          into.set(first.bytes().subarray(offset, offset + into.length));
        const order = byRollout(index), rounds = await reorder(index, order, readAt, second.sink);
        checkIndex(rounds, second.bytes());
        const lines = first.text().split("\n");
        assert.equal(second.text(), [...order].map((row) => `${lines[row]}\n`).join(""));
        for (const name of ["task", "rollout", "route", "length"] as const) {
          assert.deepEqual(
            [...rounds.columns[name].subarray(0, rounds.size)],
            [...order].map((row) => index.columns[name][row]),
          );
        }
      },
    ),
    { numRuns: 50 },
  );
});

Deno.test("gathering() hands on the same bytes in order, in pieces that are large", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.uint8Array({ maxLength: 5 }), fc.uint8Array({ minLength: 6, maxLength: 40 }))),
      fc.integer({ min: 1, max: 16 }),
      (pieces, size) => {
        const { sink: write, bytes } = keeping();
        const sizes: number[] = [];
        const { sink, flush } = gathering((piece) => {
          sizes.push(piece.length);
          write(piece);
        }, size);
        for (const piece of pieces) {
          const lent = piece.slice();
          sink(lent);
          lent.fill(0xee); // used by now, or copied
        }
        flush();
        flush();
        assert.deepEqual([...bytes()], pieces.flatMap((piece) => [...piece]));
        assert.ok(sizes.every((length) => length > 0));
        // Two writes in a row could not have been one.
        for (let i = 1; i < sizes.length; i++) assert.ok(sizes[i - 1]! + sizes[i]! > size);
      },
    ),
  );
});
