/** All shards' rollouts in one file, by identity. */
import { gathering } from "../kit/gathering.ts";
import type { AppendFile, Files } from "../ports/files.ts";
import { writeAll } from "../store/write_all.ts";
import { Kind, type Records } from "./records.ts";
import type { ShardReader } from "./shard_reader.ts";
import { WriteFault } from "../kit/fault.ts";

const NEWLINE = new Uint8Array([0x0a]);
/** Bytes between two calls of `breathe`. */
const BREATH = 1 << 23;

/**
 * Writes the rows of all rollouts files, byte for byte, by task, then rollout, then the order of the shards. The file
 * is there whole or not at all.
 */
export async function merge(
  records: Records,
  reader: ShardReader,
  files: Files,
  { rollouts, rolloutsNew }: { readonly rollouts: string; readonly rolloutsNew: string },
  breathe: () => Promise<void>,
): Promise<void> {
  let unbreathed = 0;
  await writeWhole(files, rolloutsNew, rollouts, async (write) => {
    for (const line of records) {
      if (line.kind !== Kind.ROLLOUT) continue;
      write(reader.read(line));
      write(NEWLINE);
      unbreathed += line.length;
      if (unbreathed < BREATH) continue;
      unbreathed = 0;
      await breathe();
    }
  });
}

/** Hands texts on as bytes, through one buffer: a new one for each would have to be collected. */
export function textInto(write: (bytes: Uint8Array) => void): (text: string) => void {
  const encoder = new TextEncoder(), buffer = new Uint8Array(1 << 16);
  return (text) => {
    for (let at = 0; at < text.length;) {
      const { read, written } = encoder.encodeInto(at === 0 ? text : text.slice(at), buffer);
      write(buffer.subarray(0, written));
      at += read;
    }
  };
}

/**
 * Makes a file under a temporary name, syncs it and renames it in; when anything fails the old one stays.
 *
 * @throws {WriteFault} when the disk does not take it, or whatever `fill` throws
 */
export async function writeWhole(
  files: Files,
  temporary: string,
  path: string,
  fill: (write: (bytes: Uint8Array) => void) => Promise<void>,
): Promise<void> {
  const refused = (cause: unknown) =>
    new WriteFault(`Cannot write ${path}: ${(cause as Error).message}. The rollouts are kept.`, { cause });
  let file: AppendFile | undefined;
  try {
    file = onDisk(() => {
      files.remove(temporary);
      return files.append(temporary);
    }, refused);
    const { sink, flush } = gathering((bytes) => onDisk(() => writeAll(file!, bytes), refused));
    await fill(sink);
    flush();
    await file.sync().catch((cause) => Promise.reject(refused(cause)));
    file.close();
    file = undefined;
    onDisk(() => files.rename(temporary, path), refused);
  } catch (error) {
    file?.close();
    try {
      files.remove(temporary);
    } catch {
      // A folder that has become read-only keeps it; what went wrong first is what has to be told.
    }
    throw error;
  }
}

/** Runs a call on the files; what it throws is told by `refused`. */
function onDisk<T>(call: () => T, refused: (cause: unknown) => WriteFault): T {
  try {
    return call();
  } catch (cause) {
    throw refused(cause);
  }
}
