/** The disk, for the command line's side. */
import { basename, dirname, join, resolve } from "node:path";
import type { Disk, NewFile } from "../ports/disk.ts";
import { denoFiles } from "./deno_files.ts";
import { lockHolder, takeLock } from "./deno_lock.ts";
import { unpackZstd } from "./zstd.ts";

/** {@link Disk} over Deno. */
export const denoDisk: Disk = {
  readText: (path) => Deno.readTextFile(path),
  readBytes: (path) => Deno.readFile(path),
  readChunks,
  exists: (path) => stat(path) !== undefined,
  isFile: (path) => stat(path)?.isFile ?? false,
  isFolder: (path) => stat(path)?.isDirectory ?? false,
  async filesBelow(folder) {
    const files: string[] = [];
    const walk = async (below: string) => {
      for await (const entry of Deno.readDir(join(folder, below))) {
        const path = below ? `${below}/${entry.name}` : entry.name;
        if (entry.isDirectory) await walk(path);
        else files.push(path);
      }
    };
    await walk("");
    return files;
  },
  async foldersIn(folder) {
    const folders: string[] = [];
    for await (const entry of Deno.readDir(folder)) if (entry.isDirectory) folders.push(entry.name);
    return folders;
  },
  async filesIn(folder) {
    const files: string[] = [];
    for await (const { name, isFile, isSymlink } of Deno.readDir(folder)) {
      if (isFile || (isSymlink && stat(join(folder, name))?.isFile)) files.push(name);
    }
    return files;
  },
  namesIn(folder, kind) {
    try {
      return [...Deno.readDirSync(folder)]
        .filter((entry) => kind === "folder" ? entry.isDirectory : entry.isFile || entry.isSymlink)
        .map(({ name }) => name);
    } catch {
      return undefined;
    }
  },
  files: denoFiles,
  canonical,
  makeFolder(path) {
    const missing: string[] = [];
    for (let at = path; !denoDisk.exists(at); at = dirname(at)) missing.unshift(at);
    Deno.mkdirSync(path, { recursive: true });
    return missing;
  },
  removeFolders(paths) {
    for (const path of paths.toReversed()) {
      try {
        Deno.removeSync(path);
      } catch {
        return; // no longer empty: it is in use
      }
    }
  },
  remove: denoFiles.remove,
  create,
  syncFolder(path) {
    using folder = Deno.openSync(path);
    folder.syncSync();
  },
  holder: lockHolder,
  lock: takeLock,
};

function stat(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** No such file, or a file where a folder on the way to it should be. */
function isMissing(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
}

function canonical(path: string): string {
  const absolute = resolve(path);
  try {
    return Deno.realPathSync(absolute);
  } catch (error) {
    if (!isMissing(error)) throw error;
    const target = linkTarget(absolute);
    // Once more, since the target's own path may go through links; a circle of them is not a missing file.
    if (target !== undefined) return canonical(resolve(canonical(dirname(absolute)), target));
    const above = dirname(absolute);
    return above === absolute ? absolute : join(canonical(above), basename(absolute));
  }
}

/** A link's target, whether or not it exists. */
function linkTarget(path: string): string | undefined {
  try {
    return Deno.lstatSync(path).isSymlink ? Deno.readLinkSync(path) : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function* readChunks(path: string): AsyncGenerator<Uint8Array> {
  const raw = path === "-" ? Deno.stdin.readable : (await Deno.open(path)).readable;
  const { start, all } = await peek(raw);
  if (/\.gz$/i.test(path) || startsWith(start, GZIP)) yield* await unpackGzip(all);
  else if (/\.zst$/i.test(path) || startsWith(start, ZSTD)) yield* unpackZstd(all);
  else yield* all;
}

const GZIP = [0x1f, 0x8b, 0x08], ZSTD = [0x28, 0xb5, 0x2f, 0xfd];

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, k) => bytes[k] === byte);
}

/** The first bytes of a stream, and all of it. A pipe may deliver them one by one. */
async function peek(
  raw: ReadableStream<Uint8Array>,
): Promise<{ readonly start: Uint8Array; readonly all: AsyncIterable<Uint8Array> }> {
  const chunks = raw[Symbol.asyncIterator](), first: Uint8Array[] = [];
  let start = new Uint8Array();
  while (start.length < ZSTD.length) {
    const { done, value } = await chunks.next();
    if (done) break;
    first.push(value);
    start = new Uint8Array([...start, ...value.subarray(0, ZSTD.length)]);
  }
  async function* all() {
    try {
      yield* first;
      yield* { [Symbol.asyncIterator]: () => chunks };
    } finally {
      await chunks.return?.();
    }
  }
  return { start, all: all() };
}

/** The web's DecompressionStream takes one member only, and files that were put together have several. */
async function unpackGzip(raw: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const { createGunzip } = await import("node:zlib");
  const { pipeline, Readable } = await import("node:stream");
  // Errors come out at the end of the pipe, and breaking off there closes the file.
  return pipeline(Readable.from(raw), createGunzip(), () => {});
}

function create(path: string, { isNew = false }: { readonly isNew?: boolean } = {}): NewFile {
  // What was there goes first, so that a link that somebody put there is not written through.
  if (!isNew) denoFiles.remove(path);
  const file = Deno.openSync(path, { read: true, write: true, createNew: true });
  return {
    write(bytes) {
      for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
    },
    readAt(into, offset) {
      file.seekSync(offset, Deno.SeekMode.Start);
      let filled = 0;
      for (let n; filled < into.length && (n = file.readSync(into.subarray(filled))) !== null;) filled += n;
      return filled;
    },
    finish() {
      file.syncDataSync();
      file.close();
    },
    abandon: () => file.close(),
  };
}
