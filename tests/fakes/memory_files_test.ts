import assert from "node:assert/strict";
import { MemoryFiles, PowerCut, type Step } from "./memory_files.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("MemoryFiles with room for some bytes takes those, then refuses, and has room again after a cut", () => {
  const files = new MemoryFiles({ "/a": "old\n" }), file = files.append("/a");
  files.room = 3;
  assert.equal(file.write(bytes("12345")), 3);
  assert.throws(() => file.write(bytes("45")), /No space left/);
  assert.equal(files.text("/a"), "old\n123");
  file.truncate(4);
  assert.equal(file.write(bytes("12345")), 3);
});

Deno.test("MemoryFiles whose power fails keeps what it was given until then, and nothing works any more", async () => {
  const files = new MemoryFiles(), file = files.append("/a");
  files.power = 2;
  assert.equal(file.write(bytes("123")), 2);
  assert.equal(files.text("/a"), "12");
  assert.throws(() => file.write(bytes("3")), PowerCut);
  assert.throws(() => file.truncate(0), PowerCut);
  assert.throws(() => files.rename("/a", "/b"), PowerCut);
  await assert.rejects(file.sync(), PowerCut);
});

Deno.test("MemoryFiles knows what is durable: what was written before a sync began", async () => {
  const files = new MemoryFiles({ "/a": "old\n" }), file = files.append("/a");
  assert.equal(files.durable("/a"), "old\n");
  file.write(bytes("one\n"));
  const { promise, resolve } = Promise.withResolvers<void>();
  files.syncing = () => promise;
  const syncing = file.sync();
  file.write(bytes("two\n"));
  assert.equal(files.durable("/a"), "old\n");
  resolve();
  await syncing;
  assert.equal(files.durable("/a"), "old\none\n");
  file.truncate(2);
  assert.equal(files.durable("/a"), "ol");
});

Deno.test("MemoryFiles announces every step before it happens, and an error thrown then replaces it", () => {
  const files = new MemoryFiles({ "/a": "x" }), steps: Step[] = [];
  files.before = (step) => {
    steps.push(step);
    if (step.what === "remove") throw new Error("killed");
  };
  files.rename("/a", "/b");
  assert.throws(() => files.remove("/b"), /killed/);
  files.append("/c").close();
  assert.deepEqual(files.all(), { "/b": "x", "/c": "" });
  assert.deepEqual(steps.map(({ what, path }) => `${what} ${path}`), [
    "rename /a",
    "remove /b",
    "append /c",
    "close /c",
  ]);
  assert.equal(files.open, 0);
});

Deno.test("MemoryFiles keeps the permissions of a file with the file", () => {
  const files = new MemoryFiles({ "/a": "a", "/b": "b" });
  files.modes.set("/a", 0o600);
  files.copyMode("/a", "/b");
  files.rename("/b", "/c");
  assert.deepEqual(Object.fromEntries(files.modes), { "/a": 0o600, "/c": 0o600 });
  files.remove("/a");
  files.put("/a", "another");
  files.copyMode("/a", "/c");
  assert.deepEqual(Object.fromEntries(files.modes), {});
});
