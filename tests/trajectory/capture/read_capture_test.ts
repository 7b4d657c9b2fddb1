import assert from "node:assert/strict";
import type { CaptureRead } from "../../../src/trajectory/capture/capture_read.ts";
import { captureReader } from "../../../src/trajectory/capture/read_capture.ts";
import { ManualClock, settled } from "../../fakes/manual_clock.ts";
import { MemoryCaptures } from "../../fakes/memory_captures.ts";

const clock = new ManualClock();

/** What a reader makes of a folder, its lines as text. */
async function read(files: MemoryCaptures, id = "0-0", maxBytes: number | null = null): Promise<unknown> {
  const reader = captureReader({ folder: "/c", files, clock, maxBytes });
  const found = await reader.read(
    id,
    (read: CaptureRead) =>
      read.kind === "read"
        ? { ...read, lines: read.lines.map((line) => new TextDecoder().decode(line)) }
        : read,
  );
  assert.equal(files.isOpen, 0);
  return found;
}

const rows: Record<string, [files: Record<string, string>, read: unknown]> = {
  "no files": [{}, { kind: "absent" }],
  "files of other rollouts": [{ "0-01.capture.jsonl": "x", "10-0.capture.jsonl": "x", "0-0": "x" }, {
    kind: "absent",
  }],
  "records, and blank lines between them": [
    { "0-0.capture.jsonl": "a\n\n b \r\n \t\nc\n" },
    { kind: "read", lines: ["a", " b \r", "c"], incomplete: false },
  ],
  "a last record without a line break": [
    { "0-0.capture.jsonl": "a\n{half" },
    { kind: "read", lines: ["a", "{half"], incomplete: false },
  ],
  "an empty file": [{ "0-0.capture.jsonl": "" }, { kind: "read", lines: [], incomplete: false }],
  "records and the mark of a damage": [
    { "0-0.capture.jsonl": "a\n", "0-0.capture.incomplete": "" },
    { kind: "read", lines: ["a"], incomplete: true },
  ],
  "the mark alone": [{ "0-0.capture.incomplete": "" }, { kind: "read", lines: [], incomplete: true }],
};

for (const [name, [files, expected]] of Object.entries(rows)) {
  Deno.test(`captureReader() reads a rollout's capture: ${name}`, async () => {
    assert.deepEqual(await read(new MemoryCaptures(files)), expected);
  });
}

Deno.test("captureReader() reads records longer than what it reads at once", async () => {
  const long = "x".repeat(3_000_000);
  assert.deepEqual(await read(new MemoryCaptures({ "0-0.capture.jsonl": `a\n${long}\nb\n` })), {
    kind: "read",
    lines: ["a", long, "b"],
    incomplete: false,
  });
});

Deno.test("captureReader() does not read a capture that is larger than allowed", async () => {
  const files = new MemoryCaptures({ "0-0.capture.jsonl": "12345\n" });
  assert.deepEqual(await read(files, "0-0", 5), {
    kind: "unreadable",
    why: "it is larger than max_response_bytes=5",
  });
  assert.equal((await read(files, "0-0", 6) as CaptureRead).kind, "read");
});

Deno.test("captureReader() says why a capture cannot be used, without its path", async () => {
  const files = new MemoryCaptures();
  files.odd.set("0-0.capture.jsonl", "link");
  assert.deepEqual(await read(files), { kind: "unreadable", why: "it is a link" });
});

Deno.test("captureReader() waits for a writer, and gives up one that hangs", async () => {
  const files = new MemoryCaptures({ "0-0.capture.jsonl": "a\n" }), gate = Promise.withResolvers<void>();
  files.lock = gate.promise;
  const reader = captureReader({ folder: "/c", files, clock, maxBytes: null });
  const waits = reader.read("0-0", (read) => read.kind);
  await settled();
  clock.advance(9_999);
  gate.resolve();
  assert.equal(await waits, "read");
  assert.equal(clock.timers, 0);

  const stuck = Promise.withResolvers<void>();
  files.lock = stuck.promise;
  const gaveUp = reader.read("0-0", (read) => read);
  await settled();
  clock.advance(10_000);
  assert.deepEqual(await gaveUp, { kind: "unreadable", why: "a writer has kept it locked for 10 s" });
  stuck.resolve();
  await settled();
  assert.equal(files.isOpen, 0);
});

Deno.test("captureReader() hands one capture over before it reads the next", async () => {
  const files = new MemoryCaptures({ "0-0.capture.jsonl": "a\n", "1-0.capture.jsonl": "b\n" });
  const reader = captureReader({ folder: "/c", files, clock, maxBytes: null }), order: string[] = [];
  const size = (name: string) => files.files.get(name)!.length;
  await Promise.all(["0-0", "1-0"].map((id) =>
    reader.read(id, () => {
      assert.equal(files.isOpen <= 1, true);
      order.push(`${id} ${size(`${id}.capture.jsonl`)}`);
    })
  ));
  assert.deepEqual(order, ["0-0 2", "1-0 2"]);
});
