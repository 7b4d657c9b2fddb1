/** All shards' rollouts in one file, by identity. */
import type { Files } from "../ports/files.ts";
import { replaceFile, type Replacement } from "../store/whole_file.ts";
import { Kind, type Records } from "./records.ts";
import type { ShardReader } from "./shard_reader.ts";

const NEWLINE = new Uint8Array([0x0a]);
/** Bytes between two calls of `breathe`. */
const BREATH = 1 << 23;

/**
 * Writes the rows of all rollouts files, byte for byte, by task, then rollout, then the order of the shards. The file
 * is replaced atomically.
 */
export async function merge(
  records: Records,
  reader: ShardReader,
  files: Files,
  merged: Replacement,
  breathe: () => Promise<void>,
): Promise<void> {
  let unbreathed = 0;
  await replaceFile(files, merged, async (write) => {
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
