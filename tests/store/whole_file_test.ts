import assert from "node:assert/strict";
import { makeFile } from "../../src/store/make_file.ts";
import { MemoryFiles } from "../fakes/memory_files.ts";

const PATH = "/runs/made";

Deno.test("makeFile() makes a file in the place of whatever was there, and syncs it", async () => {
  const files = new MemoryFiles({ [PATH]: "what was there" });
  await makeFile(files, PATH, (write) => {
    write("one ");
    write("läufe\n");
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
    await assert.rejects(makeFile(files, PATH, (write) => Promise.resolve(write("x"))), {
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
      write("x");
      return Promise.reject(new Error("given up"));
    }),
    { message: "given up" },
  );
  assert.deepEqual([files.all(), files.open], [{}, 0]);
});
