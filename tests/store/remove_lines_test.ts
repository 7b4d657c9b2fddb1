import assert from "node:assert/strict";
import fc from "fast-check";
import { replaceWithout, Spans } from "../../src/store/remove_lines.ts";
import { MemoryFiles, PowerCut } from "../fakes/memory_files.ts";

const PATH = "/runs/a.jsonl", NEW = "/runs/a.jsonl.new";

/** Takes every line out that begins with `x`. */
async function without(
  files: MemoryFiles,
  kept: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const out = new Spans();
  let offset = 0;
  for (const line of files.text(PATH)!.split("\n").slice(0, -1)) {
    if (line.startsWith("x")) out.push(offset, line.length + 1);
    offset += line.length + 1;
  }
  await replaceWithout(files, PATH, NEW, out, kept);
}

Deno.test("replaceWithout() leaves the other lines as they are, whichever are removed", async () => {
  const line = fc.constantFrom("", "a", "x", "xx", "b".repeat(700_000), "x".repeat(700_000));
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 6 }), async (lines) => {
      const text = lines.map((line) => `${line}\n`).join("");
      const files = new MemoryFiles({ [PATH]: text, [NEW]: "of a crash before" });
      files.modes.set(PATH, 0o640);
      await without(files);
      assert.deepEqual(files.all(), { [PATH]: text.replaceAll(/^x.*\n/gm, "") });
      assert.equal(files.durable(PATH), files.text(PATH));
      assert.equal(files.modes.get(PATH), 0o640);
      assert.equal(files.open, 0);
    }),
    { numRuns: 30 },
  );
});

Deno.test("replaceWithout() calls back when the new file is complete and the old one still in place", async () => {
  const files = new MemoryFiles({ [PATH]: "a\nx\nb\n" });
  await without(files, () => {
    assert.equal(files.text(PATH), "a\nx\nb\n");
    assert.equal(files.durable(NEW), "a\nb\n");
    return Promise.resolve();
  });
});

Deno.test("replaceWithout() leaves the file as it was when anything fails before it is replaced", async () => {
  const before = { [PATH]: "a\nx\nb\n" };
  const refused = new MemoryFiles(before);
  await assert.rejects(without(refused, () => Promise.reject(new Error("no room"))), /no room/);
  assert.deepEqual(refused.all(), before);
  for (let step = 0;; step++) {
    const files = new MemoryFiles(before);
    let left = step;
    files.before = () => {
      if (left-- === 0) throw new PowerCut();
    };
    const done = await without(files).then(() => true, () => false);
    assert.ok(["a\nx\nb\n", "a\nb\n"].includes(files.text(PATH)!), `step ${step}`);
    if (done) break;
  }
});
