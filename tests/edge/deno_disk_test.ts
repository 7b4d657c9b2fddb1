import assert from "node:assert/strict";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { denoDisk as disk } from "../../src/edge/deno_disk.ts";

/** Registers a test that gets a folder of its own. */
function test(name: string, run: (folder: string) => void | Promise<void>): void {
  Deno.test(`denoDisk.${name}`, async () => {
    const folder = await Deno.realPath(await Deno.makeTempDir());
    try {
      await run(folder);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

test("exists() and isFolder() distinguish files, folders and nothing", (folder) => {
  Deno.writeTextFileSync(join(folder, "file"), "");
  const tell = (path: string) => [disk.exists(join(folder, path)), disk.isFolder(join(folder, path))];
  assert.deepEqual(tell("."), [true, true]);
  assert.deepEqual(tell("file"), [true, false]);
  assert.deepEqual(tell("none"), [false, false]);
  assert.deepEqual(tell("file/below"), [false, false]);
});

test("canonical() resolves links as far as the path exists", (folder) => {
  Deno.mkdirSync(join(folder, "real"));
  Deno.symlinkSync("real", join(folder, "link"));
  Deno.writeTextFileSync(join(folder, "real/file"), "");
  Deno.symlinkSync("real/file", join(folder, "file-link"));
  assert.equal(disk.canonical(join(folder, "link/new/r.jsonl")), join(folder, "real/new/r.jsonl"));
  assert.equal(disk.canonical(join(folder, "link/../link/r.jsonl")), join(folder, "real/r.jsonl"));
  assert.equal(disk.canonical(join(folder, "file-link")), join(folder, "real/file"));
  assert.equal(disk.canonical(join(folder, "real/file/below")), join(folder, "real/file/below"));
});

test("canonical() follows links to what does not exist, to where it would be", (folder) => {
  Deno.mkdirSync(join(folder, "real/deep"), { recursive: true });
  Deno.symlinkSync("real/deep", join(folder, "link"));
  Deno.symlinkSync("../none/r.jsonl", join(folder, "real/deep/dangling"));
  Deno.symlinkSync("link/dangling", join(folder, "twice"));
  Deno.symlinkSync(join(folder, "nowhere"), join(folder, "folder"));
  assert.equal(disk.canonical(join(folder, "link/dangling")), join(folder, "real/none/r.jsonl"));
  assert.equal(disk.canonical(join(folder, "twice")), join(folder, "real/none/r.jsonl"));
  assert.equal(disk.canonical(join(folder, "folder/below/r.jsonl")), join(folder, "nowhere/below/r.jsonl"));
  Deno.symlinkSync("circle", join(folder, "circle"));
  assert.throws(() => disk.canonical(join(folder, "circle")), Deno.errors.FilesystemLoop);
});

test("isFile() is for ordinary files", (folder) => {
  Deno.writeTextFileSync(join(folder, "file"), "");
  Deno.symlinkSync("file", join(folder, "link"));
  const is = (path: string) => disk.isFile(join(folder, path));
  assert.deepEqual([is("file"), is("link"), is("."), is("none")], [true, true, false, false]);
  assert.equal(disk.isFile("/dev/null"), false);
});

test("makeFolder() says what it created, and removeFolders() removes what stayed empty", (folder) => {
  const made = disk.makeFolder(join(folder, "a/b/c"));
  assert.deepEqual(made, ["a", "a/b", "a/b/c"].map((path) => join(folder, path)));
  assert.deepEqual(disk.makeFolder(join(folder, "a/b/c")), []);
  Deno.writeTextFileSync(join(folder, "a/kept"), "");
  disk.removeFolders(made);
  assert.deepEqual([disk.exists(join(folder, "a/b")), disk.exists(join(folder, "a/kept"))], [false, true]);
});

test("makeFolder() throws where a file is in the way", (folder) => {
  Deno.writeTextFileSync(join(folder, "file"), "");
  assert.throws(() => disk.makeFolder(join(folder, "file")));
  assert.throws(() => disk.makeFolder(join(folder, "file/below")));
});

test("remove() does not mind that there is nothing", (folder) => {
  Deno.writeTextFileSync(join(folder, "file"), "");
  disk.remove(join(folder, "file"));
  disk.remove(join(folder, "file"));
  assert.equal(disk.exists(join(folder, "file")), false);
});

test("create() writes anew and reads back", (folder) => {
  const path = join(folder, "file"), bytes = (text: string) => new TextEncoder().encode(text);
  Deno.writeTextFileSync(path, "something longer");
  const file = disk.create(path);
  file.write(bytes("one "));
  file.write(bytes("two"));
  const back = new Uint8Array(5);
  file.readAt(back, 2);
  assert.equal(new TextDecoder().decode(back), "e two");
  file.finish();
  assert.equal(Deno.readTextFileSync(path), "one two");
});

test("filesBelow() finds files at every depth, foldersIn() the folders", async (folder) => {
  Deno.mkdirSync(join(folder, "a/b"), { recursive: true });
  for (const name of ["x", "a/y", "a/b/z"]) Deno.writeTextFileSync(join(folder, name), "");
  assert.deepEqual((await disk.filesBelow(folder)).sort(), ["a/b/z", "a/y", "x"]);
  assert.deepEqual(await disk.foldersIn(folder), ["a"]);
});

const TEXT = `${"line\n".repeat(100_000)}end`;
/** The same as `zstd -19` packs it; the runtime cannot. */
const PACKED = Uint8Array.from(
  atob("KLUv/QBobAAAKGxpbmUKAQD4/8iLFkQAAAABAP3/yAsQRAAAAAEA/f85AAJdAAAYZW5kAQAdoTkAAg=="),
  (character) => character.charCodeAt(0),
);

for (
  const [name, pack] of [
    ["plain.jsonl", (text: string) => new TextEncoder().encode(text)],
    ["packed.jsonl.gz", (text: string) => gzipSync(text)],
    ["PACKED.GZ", (text: string) => gzipSync(text)],
    [
      "joined.jsonl.gz",
      (text: string) => new Uint8Array([...gzipSync(text.slice(0, 1000)), ...gzipSync(text.slice(1000))]),
    ],
    ["packed.jsonl.zst", () => PACKED],
  ] as const
) {
  test(`readChunks() reads ${name}`, async (folder) => {
    const path = join(folder, name), decoder = new TextDecoder();
    Deno.writeFileSync(path, pack(TEXT));
    let text = "";
    for await (const chunk of disk.readChunks(path)) text += decoder.decode(chunk, { stream: true });
    assert.ok(text === TEXT, `${text.length} of ${TEXT.length}`);
  });

  test(`readChunks() may be left in the middle of ${name}`, async (folder) => {
    const path = join(folder, name);
    Deno.writeFileSync(path, pack(TEXT));
    for await (const chunk of disk.readChunks(path)) {
      assert.ok(chunk.length > 0);
      break;
    }
  });
}

for (const name of ["broken.gz", "broken.zst"]) {
  test(`readChunks() fails for a ${name} that is cut off`, async (folder) => {
    const whole = name.endsWith("gz") ? gzipSync(TEXT) : PACKED;
    Deno.writeFileSync(join(folder, name), whole.subarray(0, whole.length >> 1));
    await assert.rejects(async () => {
      for await (const _ of disk.readChunks(join(folder, name)));
    });
  });
}

test("readChunks() fails for a file that is not there", async (folder) => {
  await assert.rejects(async () => {
    for await (const _ of disk.readChunks(join(folder, "none")));
  }, Deno.errors.NotFound);
});
