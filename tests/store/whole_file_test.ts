import assert from "node:assert/strict";
import { makeFile, replaceFile, textInto } from "../../src/store/whole_file.ts";
import { MemoryFiles } from "../fakes/memory_files.ts";

const PATH = "/runs/made", TEMPORARY = `${PATH}.new`;
const X = new TextEncoder().encode("x");

Deno.test("makeFile() replaces whatever was there with a new file, and syncs it", async () => {
  const files = new MemoryFiles({ [PATH]: "what was there" });
  await makeFile(files, PATH, (write) => {
    const text = textInto(write);
    text("one ");
    text("läufe\n");
    return Promise.resolve();
  });
  assert.deepEqual([files.text(PATH), files.durable(PATH), files.open], ["one läufe\n", "one läufe\n", 0]);
});

for (const what of ["append", "write", "sync", "remove"] as const) {
  Deno.test(`makeFile() that cannot ${what} throws the system's error and leaves no file open`, async () => {
    const files = new MemoryFiles();
    files.before = (step) => {
      if (step.what === what) throw new Error(`no ${what}`);
    };
    await assert.rejects(makeFile(files, PATH, (write) => Promise.resolve(write(X))), {
      message: `no ${what}`,
    });
    assert.equal(files.open, 0);
    assert.equal(files.text(PATH), undefined);
  });
}

Deno.test("makeFile() leaves nothing when what fills it throws", async () => {
  const files = new MemoryFiles();
  await assert.rejects(
    makeFile(files, PATH, (write) => {
      write(X);
      return Promise.reject(new Error("interrupted"));
    }),
    { message: "interrupted" },
  );
  assert.deepEqual([files.all(), files.open], [{}, 0]);
});

Deno.test("replaceFile() renames the new file in once it is durable, after `before`", async () => {
  const files = new MemoryFiles({ [PATH]: "what was there" });
  await replaceFile(files, { path: PATH, temporary: TEMPORARY }, (write) => Promise.resolve(write(X)), () => {
    assert.deepEqual([files.text(PATH), files.durable(TEMPORARY)], ["what was there", "x"]);
    return Promise.resolve();
  });
  assert.deepEqual([files.all(), files.open], [{ [PATH]: "x" }, 0]);
});

for (const what of ["append", "write", "sync", "rename"] as const) {
  Deno.test(`replaceFile() that cannot ${what} leaves the old file, and throws what \`refused\` says`, async () => {
    const files = new MemoryFiles({ [PATH]: "what was there" });
    files.before = (step) => {
      if (step.what === what) throw new Error(`no ${what}`);
    };
    const refused = (cause: unknown) => new Error(`refused: ${(cause as Error).message}`, { cause });
    await assert.rejects(
      replaceFile(
        files,
        { path: PATH, temporary: TEMPORARY, refused },
        (write) => Promise.resolve(write(X)),
      ),
      { message: `refused: no ${what}` },
    );
    assert.deepEqual([files.all(), files.open], [{ [PATH]: "what was there" }, 0]);
  });
}

Deno.test("replaceFile() leaves the old file when what fills the new one, or `before`, throws; neither is `refused`", async () => {
  const files = new MemoryFiles({ [PATH]: "what was there" });
  const refused = () => new Error("refused"), stop = () => Promise.reject(new Error("stopped"));
  const where = { path: PATH, temporary: TEMPORARY, refused };
  await assert.rejects(replaceFile(files, where, stop), { message: "stopped" });
  await assert.rejects(replaceFile(files, where, () => Promise.resolve(), stop), { message: "stopped" });
  assert.deepEqual([files.all(), files.open], [{ [PATH]: "what was there" }, 0]);
});

Deno.test("textInto() hands on strings of any length", () => {
  let bytes = new Uint8Array(0);
  const text = textInto((piece) => bytes = new Uint8Array([...bytes, ...piece]));
  const long = "ä".repeat(100_000);
  text("");
  text(long);
  text("😀");
  assert.equal(new TextDecoder().decode(bytes), `${long}😀`);
});
