import assert from "node:assert/strict";
import { join } from "node:path";
import { denoCaptures } from "../../src/edge/deno_captures.ts";

/** A folder with one file. */
async function withFolder(use: (folder: string, file: string) => Promise<void>): Promise<void> {
  const folder = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    const file = join(folder, "0-0.capture.jsonl");
    Deno.writeTextFileSync(file, "a\n");
    await use(folder, file);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test("denoCaptures reads an ordinary file, and says what there is", () =>
  withFolder(async (folder, file) => {
    const opened = await denoCaptures.open(file), bytes = new Uint8Array(opened.size());
    opened.readAt(bytes, 0);
    opened.close();
    assert.equal(new TextDecoder().decode(bytes), "a\n");
    Deno.symlinkSync(file, join(folder, "link"));
    Deno.mkdirSync(join(folder, "inner"));
    assert.deepEqual(denoCaptures.namesIn(folder).sort(), ["0-0.capture.jsonl", "link"]);
    assert.deepEqual(denoCaptures.namesIn(join(folder, "missing")), []);
    const kinds = [file, join(folder, "link"), join(folder, "inner"), join(folder, "none")]
      .map((path) => denoCaptures.kindAt(path));
    assert.deepEqual(kinds, ["file", "link", "other", undefined]);
  }));

Deno.test("denoCaptures opens no link, no folder, no pipe, and nothing below a link", () =>
  withFolder(async (folder, file) => {
    const link = join(folder, "1-0.capture.jsonl"), dangling = join(folder, "2-0.capture.jsonl");
    const pipe = join(folder, "3-0.capture.jsonl"), below = join(folder, "way", "0-0.capture.jsonl");
    Deno.symlinkSync(file, link);
    Deno.symlinkSync(join(folder, "nowhere"), dangling);
    Deno.symlinkSync(folder, join(folder, "way"));
    new Deno.Command("mkfifo", { args: [pipe] }).outputSync();
    for (const path of [link, dangling]) await assert.rejects(denoCaptures.open(path), /it is a link/);
    for (const path of [folder, pipe]) await assert.rejects(denoCaptures.open(path), /not an ordinary file/);
    await assert.rejects(denoCaptures.open(below), /its folder is a link/);
  }));

Deno.test("denoCaptures waits for a writer's lock, and shares its own with other readers", () =>
  withFolder(async (_, file) => {
    const writer = await Deno.open(file, { append: true });
    await writer.lock(true);
    let isOpen = false;
    const opening = denoCaptures.open(file).then((opened) => {
      isOpen = true;
      return opened;
    });
    await writer.write(new TextEncoder().encode("b\n"));
    assert.equal(isOpen, false);
    await writer.unlock();
    const [one, two] = [await opening, await denoCaptures.open(file)];
    assert.equal(one.size(), 4);
    one.close();
    two.close();
    await writer.lock(true);
    writer.close();
  }));
