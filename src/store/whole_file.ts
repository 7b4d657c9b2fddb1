/** Files that exist whole or not at all: written under a temporary name, synced, renamed into place. */
import { gathering, type Sink } from "../kit/gathering.ts";
import type { Files } from "../ports/files.ts";
import { writeAll } from "./write_all.ts";

/** Where a file is written, and where it belongs. */
export interface Replacement {
  readonly path: string;
  /** Its name while it is being written. An existing file of that name is removed. */
  readonly temporary: string;
  /** Turns a system error of a write into another error. */
  readonly refused?: (cause: unknown) => Error;
}

/**
 * Writes a file and renames it to `path`. If anything fails, or the machine stops, the old file stays.
 *
 * @param fill writes the file
 * @param before called once the new file is durable and before it replaces the old one
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

/** The first half: writes and syncs a file, to be renamed later, with others. Errors as in {@link replaceFile}. */
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

/** Passes strings on as bytes, through one buffer, to spare the garbage collector. */
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
    // The first error is the one to report; the next attempt starts by removing the file.
  }
}
