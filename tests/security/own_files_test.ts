/** Whatever name of a run somebody has put a link at, it is refused before anything is written. */
import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { denoDisk } from "../../src/edge/deno_disk.ts";
import { denoFiles } from "../../src/edge/deno_files.ts";
import { takeLock } from "../../src/edge/deno_lock.ts";
import { runPaths } from "../../src/plan/paths.ts";
import { outputPaths } from "../../src/prepare/output_paths.ts";

/** Registers a test that gets a folder of its own, with a file that has to stay as it is. */
function test(name: string, run: (folder: string, precious: string) => void | Promise<void>): void {
  Deno.test(name, async () => {
    const folder = Deno.realPathSync(Deno.makeTempDirSync());
    const precious = join(folder, "precious");
    try {
      Deno.writeTextFileSync(precious, "precious");
      Deno.mkdirSync(join(folder, "out"));
      await run(folder, precious);
      assert.equal(Deno.readTextFileSync(precious), "precious");
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  });
}

test(
  "a run refuses each of its files that is a link, and takes the output where it leads",
  (folder, precious) => {
    const output = join(folder, "out/r.jsonl"), world = { disk: denoDisk };
    const { folder: _, rollouts, ...others } = runPaths(output);
    for (const path of Object.values(others)) {
      Deno.symlinkSync("../precious", path);
      assert.throws(() => outputPaths({ output_jsonl_fpath: output }, world), {
        name: "UsageFault",
        message: new RegExp(`${basename(path)} is a link to ${precious}`),
      });
      Deno.removeSync(path);
      Deno.symlinkSync("../nowhere", path);
      assert.throws(() => outputPaths({ output_jsonl_fpath: output }, world), /is a link to .*nowhere/);
      Deno.removeSync(path);
    }
    Deno.symlinkSync("../elsewhere.jsonl", rollouts);
    assert.equal(outputPaths({ output_jsonl_fpath: output }, world).folder, folder);
  },
);

test(
  "a file that is appended to is none that a link leads to, at its name or on the way",
  (folder, precious) => {
    const own = join(folder, "out/own");
    Deno.symlinkSync("../precious", own);
    assert.throws(() => denoFiles.append(own), /leads through a link to .*precious, which is not written to/);
    Deno.removeSync(own);
    Deno.symlinkSync("nowhere", own);
    assert.throws(() => denoFiles.append(own), /leads through a link to nowhere/);
    Deno.symlinkSync("out", join(folder, "way"));
    Deno.writeTextFileSync(join(folder, "out/file"), "");
    assert.throws(() => denoFiles.append(join(folder, "way/file")), /leads through a link/);
    assert.throws(() => Deno.statSync(join(folder, "out/nowhere")), Deno.errors.NotFound);
    const file = denoFiles.append(join(folder, "out/file"));
    file.close();
    assert.equal(precious, join(folder, "precious"));
  },
);

test("a file that is made anew replaces a link instead of what it leads to", (folder) => {
  const own = join(folder, "out/own");
  Deno.symlinkSync("../precious", own);
  const file = denoDisk.create(own);
  file.write(new TextEncoder().encode("mine"));
  file.finish();
  assert.equal(Deno.readTextFileSync(own), "mine");
  assert.equal(Deno.lstatSync(own).isSymlink, false);
});

test("a lock that is a link is not taken", async (folder) => {
  const lock = join(folder, "out/r.lock");
  Deno.symlinkSync("../precious", lock);
  await assert.rejects(takeLock(lock, "r.jsonl", () => {}), /r\.lock is a link/);
});
