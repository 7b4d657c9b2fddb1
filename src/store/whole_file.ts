/** Files that are there whole or not at all: written under a temporary name, synced, renamed in. */
import { gathering, type Sink } from "../kit/gathering.ts";
import type { Files } from "../ports/files.ts";
import { writeAll } from "./write_all.ts";

/** Where a file is made, and where it belongs. */
export interface Replacement {
  readonly path: string;
  /** Its name while it is being written. Whatever was there goes. */
  readonly temporary: string;
  /** Makes another error of one that the system answers writing with. */
  readonly refused?: (cause: unknown) => Error;
}

/**
 * Makes a file and renames it to `path`. When anything fails, or the machine stops, what was there before stays.
 *
 * @param fill writes the file
 * @param before called once the new file is durable and before it takes the place of the old one
 * @throws the system's error or what `refused` makes of it; what `fill` or `before` throws
 */
export async function replaceFile(
  files: Files,
  { path, temporary, refused = same }: Replacement,
  fill: (write: Sink) => Promise<void>,
  before: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  await makeFile(files, temporary, fill, refused);
  try {
    await before();
    refusing(() => files.rename(temporary, path), refused);
  } catch (error) {
    discard(files, temporary);
    throw error;
  }
}

/** The first half: makes a file and syncs it, to be renamed in later, with others. Errors as of {@link replaceFile}. */
export async function makeFile(
  files: Files,
  temporary: string,
  fill: (write: Sink) => Promise<void>,
  refused: (cause: unknown) => Error = same,
): Promise<void> {
  refusing(() => files.remove(temporary), refused);
  try {
    const file = refusing(() => files.append(temporary), refused);
    try {
      const { sink, flush } = gathering((bytes) => refusing(() => writeAll(file, bytes), refused));
      await fill(sink);
      flush();
      await file.sync().catch((cause) => Promise.reject(refused(cause)));
    } finally {
      file.close();
    }
  } catch (error) {
    discard(files, temporary);
    throw error;
  }
}

/** Hands strings on as bytes, through one buffer: a new one for each would have to be collected. */
export function textInto(write: Sink): (text: string) => void {
  const encoder = new TextEncoder(), buffer = new Uint8Array(1 << 16);
  return (text) => {
    for (let at = 0; at < text.length;) {
      const { read, written } = encoder.encodeInto(at === 0 ? text : text.slice(at), buffer);
      write(buffer.subarray(0, written));
      at += read;
    }
  };
}

function same(cause: unknown): Error {
  return cause as Error;
}

function refusing<T>(call: () => T, refused: (cause: unknown) => Error): T {
  try {
    return call();
  } catch (cause) {
    throw refused(cause);
  }
}

function discard(files: Files, temporary: string): void {
  try {
    files.remove(temporary);
  } catch {
    // The first error is the one to report; the next time begins by removing the file.
  }
}
