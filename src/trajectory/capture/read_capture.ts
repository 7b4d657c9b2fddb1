/** A rollout's capture, read. */
import { join } from "node:path";
import { isBlank, LineSplitter } from "../../kit/lines.ts";
import { systemReason } from "../../kit/system_error.ts";
import type { CaptureFiles } from "../../ports/captures.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ReadFile } from "../../ports/files.ts";
import type { CaptureRead } from "./capture_read.ts";

/** Writers hold their lock while they write one record and sync it. One that hangs costs the captures, not the run. */
const LOCK_MS = 10_000;

const CHUNK = 1 << 20;

/** The names of a rollout's files in the capture folder. */
export function captureNames(rolloutId: string): { readonly records: string; readonly incomplete: string } {
  return { records: `${rolloutId}.capture.jsonl`, incomplete: `${rolloutId}.capture.incomplete` };
}

/** What reading a capture works with. */
export interface ReadTools {
  /** The folder, canonical. */
  readonly folder: string;
  readonly files: CaptureFiles;
  readonly clock: Clock;
  /** A larger capture is not read; null for no limit. */
  readonly maxBytes: number | null;
}

/** Reads captures. */
export interface CaptureReader {
  /**
   * Reads the capture of a rollout and hands it over, before it reads that of another one: however many rollouts end
   * together, no more than one capture is in memory. Never rejects for what there is in the folder.
   */
  read<T>(rolloutId: string, use: (read: CaptureRead) => T): Promise<T>;
}

/** A reader of a folder's captures. */
export function captureReader({ folder, files, clock, maxBytes }: ReadTools): CaptureReader {
  return {
    async read(rolloutId, use) {
      const names = captureNames(rolloutId), path = join(folder, names.records);
      let file: ReadFile | undefined, read: CaptureRead;
      try {
        const isThere = files.kindAt(path) !== undefined;
        if (isThere) file = await inTime(files.open(path), clock);
        const incomplete = files.kindAt(join(folder, names.incomplete)) !== undefined;
        // Nothing is awaited from here on.
        if (file && maxBytes !== null && file.size() > maxBytes) {
          throw new Error(`it is larger than max_response_bytes=${maxBytes}`);
        }
        read = isThere || incomplete
          ? { kind: "read", lines: file ? linesOf(file) : [], incomplete }
          : { kind: "absent" };
      } catch (error) {
        read = { kind: "unreadable", why: systemReason(error).replace(/: \w+ '.*$/s, "") };
      } finally {
        file?.close();
      }
      return use(read);
    },
  };
}

/** The file, unless its lock takes too long; it is closed then once the lock is there. */
function inTime(opening: Promise<ReadFile>, clock: Clock): Promise<ReadFile> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const cancel = clock.after(LOCK_MS, () => {
      isLate = true;
      reject(new Error(`a writer has kept it locked for ${LOCK_MS / 1000} s`));
    });
    opening.then((file) => isLate ? file.close() : resolve(file), reject).finally(cancel);
  });
}

/** The lines that are not blank, each a copy; no more than there were at the start. */
function linesOf(file: ReadFile): Uint8Array[] {
  const lines: Uint8Array[] = [], splitter = new LineSplitter(), size = file.size();
  const keep = ({ bytes }: { readonly bytes: Uint8Array }) => {
    if (!isBlank(bytes)) lines.push(bytes.slice());
  };
  const chunk = new Uint8Array(Math.min(CHUNK, size));
  for (let at = 0; at < size;) {
    const n = file.readAt(chunk.subarray(0, Math.min(chunk.length, size - at)), at);
    if (n === 0) break;
    for (const line of splitter.push(chunk.subarray(0, n))) keep(line);
    at += n;
  }
  for (const line of splitter.end()) keep(line);
  return lines;
}
