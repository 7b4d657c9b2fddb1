/** What everything that calls itself {@link Files} does: run on the fake and on the real one. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Files } from "../../src/ports/files.ts";

/** A file system and an empty folder of it, for one test. */
export interface Place extends AsyncDisposable {
  readonly files: Files;
  readonly folder: string;
}

const encoder = new TextEncoder(), decoder = new TextDecoder();

/** Registers the suite for one implementation. */
export function filesContract(name: string, make: () => Promise<Place>): void {
  const test = (claim: string, run: (files: Files, path: (name: string) => string) => void | Promise<void>) =>
    Deno.test(`${name} ${claim}`, async () => {
      await using place = await make();
      await run(place.files, (file) => join(place.folder, file));
    });

  test("knows no size of a file that is not there", (files, path) => {
    assert.equal(files.size(path("none")), undefined);
  });

  test("creates a file by opening it for appending", (files, path) => {
    const file = files.append(path("a"));
    assert.equal(file.size(), 0);
    file.close();
    assert.equal(files.size(path("a")), 0);
  });

  test("appends after what is there, and says how much it wrote", (files, path) => {
    put(files, path("a"), "one\n");
    const file = files.append(path("a"));
    assert.equal(file.size(), 4);
    assert.equal(file.write(encoder.encode("two\n")), 4);
    assert.equal(file.write(new Uint8Array()), 0);
    assert.equal(file.size(), 8);
    file.close();
    assert.equal(content(files, path("a")), "one\ntwo\n");
  });

  test("appends at the new end once a file was cut", (files, path) => {
    const file = files.append(path("a"));
    file.write(encoder.encode("whole\ntor"));
    file.truncate(6);
    assert.equal(file.size(), 6);
    file.write(encoder.encode("next\n"));
    file.close();
    assert.equal(content(files, path("a")), "whole\nnext\n");
  });

  test("does not keep the bytes it was given: they may be used again", (files, path) => {
    const bytes = encoder.encode("one\n"), file = files.append(path("a"));
    file.write(bytes);
    bytes.fill(0x78);
    file.close();
    assert.equal(content(files, path("a")), "one\n");
  });

  test("syncs a file, also one to which nothing was written", async (files, path) => {
    const file = files.append(path("a"));
    await file.sync();
    file.write(encoder.encode("one\n"));
    await file.sync();
    file.close();
    assert.equal(content(files, path("a")), "one\n");
  });

  test("reads at any offset, as much as fits or is there", (files, path) => {
    put(files, path("a"), "0123456789");
    const file = files.read(path("a")), four = new Uint8Array(4);
    for (
      const [offset, want] of [[3, "3456"], [0, "0123"], [8, "89"], [10, ""], [99, ""], [3, "3456"]] as const
    ) {
      const n = file.readAt(four, offset);
      assert.equal(decoder.decode(four.subarray(0, n)), want, `at ${offset}`);
    }
    assert.equal(file.readAt(new Uint8Array(), 0), 0);
    assert.equal(file.size(), 10);
    file.close();
  });

  test("lets a reader see what is appended after it was opened", (files, path) => {
    put(files, path("a"), "one\n");
    const reader = files.read(path("a")), writer = files.append(path("a"));
    writer.write(encoder.encode("two\n"));
    assert.equal(reader.size(), 8);
    const into = new Uint8Array(9);
    assert.equal(reader.readAt(into, 4), 4);
    assert.equal(decoder.decode(into.subarray(0, 4)), "two\n");
    reader.close();
    writer.close();
  });

  test("refuses to read a file that is not there", (files, path) => {
    assert.throws(() => files.read(path("none")), /No such file/);
  });

  test("renames over whatever is there", (files, path) => {
    put(files, path("a"), "new");
    put(files, path("b"), "old");
    files.rename(path("a"), path("b"));
    assert.equal(files.size(path("a")), undefined);
    assert.equal(content(files, path("b")), "new");
  });

  test("refuses to rename a file that is not there, and leaves the other one", (files, path) => {
    put(files, path("b"), "old");
    assert.throws(() => files.rename(path("none"), path("b")), /No such file/);
    assert.equal(content(files, path("b")), "old");
  });

  test("knows whether a path still leads to the file that was opened", (files, path) => {
    const file = files.append(path("a"));
    assert.equal(file.isInPlace(), true);
    file.write(encoder.encode("x"));
    file.truncate(0);
    assert.equal(file.isInPlace(), true);
    files.rename(path("a"), path("b"));
    assert.equal(file.isInPlace(), false);
    put(files, path("a"), "another");
    assert.equal(file.isInPlace(), false);
    files.rename(path("b"), path("a"));
    assert.equal(file.isInPlace(), true);
    files.remove(path("a"));
    assert.equal(file.isInPlace(), false);
    file.close();
  });

  test("gives a file the permissions of another, and changes nothing in it", (files, path) => {
    put(files, path("a"), "a");
    put(files, path("b"), "b");
    files.copyMode(path("a"), path("b"));
    assert.equal(content(files, path("b")), "b");
    assert.throws(() => files.copyMode(path("none"), path("b")), /No such file/);
    assert.throws(() => files.copyMode(path("a"), path("none")), /No such file/);
  });

  test("removes a file; a missing one is not an error", (files, path) => {
    put(files, path("a"), "x");
    files.remove(path("a"));
    files.remove(path("a"));
    assert.equal(files.size(path("a")), undefined);
  });
}

function put(files: Files, path: string, text: string): void {
  const file = files.append(path);
  file.write(encoder.encode(text));
  file.close();
}

function content(files: Files, path: string): string {
  const file = files.read(path), into = new Uint8Array(file.size());
  file.readAt(into, 0);
  file.close();
  return decoder.decode(into);
}
