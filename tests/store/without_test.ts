import assert from "node:assert/strict";
import fc from "fast-check";
import { replaceWithout, Spans } from "../../src/store/without.ts";
import { MemoryFiles } from "../fakes/memory_files.ts";

const PATH = "/runs/a.jsonl", NEW = "/runs/a.jsonl.new";

/** The lines of a text, each with its line break, and the places of those that are to go. */
function spansOf(lines: readonly string[], gone: (n: number) => boolean): Spans {
  const spans = new Spans();
  let offset = 0;
  for (const [n, line] of lines.entries()) {
    const { length } = new TextEncoder().encode(line);
    if (gone(n)) spans.push(offset, length);
    offset += length;
  }
  return spans;
}

const nothing = () => Promise.resolve();

Deno.test("replaceWithout() leaves the lines that were not named, in order", async () => {
  const line = fc.tuple(
    fc.string({ maxLength: 5 }).map((text) => `${text.replaceAll("\n", "")}\n`),
    fc.boolean(),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.constantFrom(Infinity, 1, 3), async (lines, mostPerWrite) => {
      const texts = lines.map(([text]) => text), files = new MemoryFiles({ [PATH]: texts.join("") });
      files.mostPerWrite = mostPerWrite;
      await replaceWithout(files, PATH, NEW, spansOf(texts, (n) => lines[n]![1]), nothing);
      assert.deepEqual(files.all(), { [PATH]: texts.filter((_, n) => !lines[n]![1]).join("") });
      assert.equal(files.durable(PATH), files.text(PATH));
      assert.equal(files.open, 0);
    }),
  );
});

Deno.test("replaceWithout() copies files that are longer than any buffer", async () => {
  const lines = ["a".repeat(1_500_000), "b".repeat(3_000_000), "c".repeat(10), "d".repeat(1_048_575)]
    .map((text) => `${text}\n`);
  for (let gone = 0; gone < lines.length; gone++) {
    const files = new MemoryFiles({ [PATH]: lines.join("") });
    await replaceWithout(files, PATH, NEW, spansOf(lines, (n) => n === gone), nothing);
    assert.ok(files.text(PATH) === lines.toSpliced(gone, 1).join(""), `without line ${gone}`);
  }
});

const BEFORE = "one\ntwo\nthree\n", AFTER = "one\nthree\n";
const two = () => spansOf(["one\n", "two\n", "three\n"], (n) => n === 1);

Deno.test("replaceWithout() killed at any step leaves the file as it was or as it should be, and can be run again", async () => {
  let step = 0;
  for (let killed = true; killed; step++) {
    const files = new MemoryFiles({ [PATH]: BEFORE, [NEW]: "left by a kill before\n" });
    let left = step, keptAt: string | undefined;
    // Once it is dead nothing works any more, not even the tidying up.
    files.before = () => {
      if (left-- <= 0) throw new Error("killed");
    };
    const kept = () => {
      keptAt = files.text(PATH);
      return Promise.resolve();
    };
    killed = await replaceWithout(files, PATH, NEW, two(), kept).then(() => false, () => true);
    files.before = () => {};
    assert.ok([BEFORE, AFTER].includes(files.text(PATH)!), `killed before step ${step}`);
    assert.equal(files.durable(PATH), files.text(PATH), `killed before step ${step}`);
    // What is taken out was made durable elsewhere before it was gone here.
    assert.ok(keptAt === BEFORE || files.text(PATH) === BEFORE, `killed before step ${step}`);
    if (files.text(PATH) === BEFORE) await replaceWithout(files, PATH, NEW, two(), nothing);
    assert.deepEqual(files.all()[PATH], AFTER);
  }
  assert.ok(step > 5);
});

Deno.test("replaceWithout() that fails leaves the file as it was, and no other", async () => {
  const full = new MemoryFiles({ [PATH]: BEFORE });
  full.room = 5;
  await assert.rejects(replaceWithout(full, PATH, NEW, two(), nothing), /No space left/);
  assert.deepEqual(full.all(), { [PATH]: BEFORE });
  assert.equal(full.open, 0);

  const unkept = new MemoryFiles({ [PATH]: BEFORE });
  const refusing = () => Promise.reject(new Error("cannot be kept"));
  await assert.rejects(replaceWithout(unkept, PATH, NEW, two(), refusing), /^Error: cannot be kept$/);
  assert.deepEqual(unkept.all(), { [PATH]: BEFORE });
});

Deno.test("replaceWithout() keeps the permissions of the file", async () => {
  const files = new MemoryFiles({ [PATH]: BEFORE });
  files.modes.set(PATH, 0o600);
  await replaceWithout(files, PATH, NEW, two(), nothing);
  assert.deepEqual([...files.modes], [[PATH, 0o600]]);
});
