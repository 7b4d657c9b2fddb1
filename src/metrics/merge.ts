/** All shards' rollouts in one file, by identity. */
import { gathering } from "../plan/materialize.ts";
import type { AppendFile, Files } from "../ports/files.ts";
import { Kind, type Records, writeAll } from "./records.ts";
import type { ShardReader } from "./shard_reader.ts";

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

/** Makes a file under a temporary name, syncs it and renames it in; when anything fails the old one stays. */
export async function writeWhole(
  files: Files,
  temporary: string,
  path: string,
  fill: (write: (bytes: Uint8Array) => void) => Promise<void>,
): Promise<void> {
  let file: AppendFile | undefined;
  try {
    files.remove(temporary);
    file = files.append(temporary);
    const { sink, flush } = gathering((bytes) => writeAll(file!, bytes));
    await fill(sink);
    flush();
    await file.sync();
    file.close();
    file = undefined;
    files.rename(temporary, path);
  } catch (error) {
    file?.close();
    files.remove(temporary);
    throw error;
  }
}
