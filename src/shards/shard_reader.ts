/** Reads single lines back out of many files: few files open at once, reading ahead where lines are adjacent. */
import type { Files, ReadFile } from "../ports/files.ts";
import type { ShardPaths } from "../plan/score_plan.ts";
import { type Kind, Kind as Kinds, type LineRecord } from "./records.ts";

/** Maximum number of open files. */
const OPEN = 48;
/** Bytes to read ahead: little at first, more whenever the next line is adjacent to the last. */
const FIRST_WINDOW = 1 << 12, LARGEST_WINDOW = 1 << 18;

interface Open {
  readonly file: ReadFile;
  window: Uint8Array<ArrayBuffer>;
  /** Where the window begins in the file, and how much of it is filled. */
  from: number;
  filled: number;
  /** How much is read at once. */
  ahead: number;
}

export class ShardReader {
  readonly #files: Files;
  readonly #shards: readonly ShardPaths[];
  /** By path; the one used longest ago comes first. */
  readonly #open = new Map<string, Open>();

  constructor(files: Files, shards: readonly ShardPaths[]) {
    this.#files = files;
    this.#shards = shards;
  }

  /**
   * The bytes of a line's object. They are only valid until the next call.
   *
   * @throws {Error} when the file has been truncated
   */
  read({ shard, kind, offset, length }: LineRecord): Uint8Array<ArrayBuffer> {
    const path = pathOf(this.#shards[shard]!, kind);
    const open = this.#opened(path);
    const end = open.from + open.filled;
    if (offset < open.from || offset + length > end) {
      const follows = offset >= open.from && offset <= end + open.ahead;
      open.ahead = follows ? Math.min(LARGEST_WINDOW, open.ahead * 2) : FIRST_WINDOW;
      const size = Math.max(length, open.ahead);
      // A line longer than any window gets a window of its own, until the next call.
      if (open.window.length < size || (open.window.length > LARGEST_WINDOW && size <= LARGEST_WINDOW)) {
        open.window = new Uint8Array(size);
      }
      open.from = offset;
      open.filled = open.file.readAt(open.window.subarray(0, size), offset);
      if (open.filled < length) throw new Error(`${path} was truncated while it was being read.`);
    }
    return open.window.subarray(offset - open.from, offset - open.from + length);
  }

  /** Closes all files. */
  close(): void {
    for (const { file } of this.#open.values()) file.close();
    this.#open.clear();
  }

  #opened(path: string): Open {
    let open = this.#open.get(path);
    if (open) {
      if (this.#open.size > 1) {
        this.#open.delete(path);
        this.#open.set(path, open);
      }
      return open;
    }
    if (this.#open.size === OPEN) {
      const [oldest, { file }] = this.#open.entries().next().value!;
      file.close();
      this.#open.delete(oldest);
    }
    open = {
      file: this.#files.read(path),
      window: new Uint8Array(0),
      from: 0,
      filled: 0,
      ahead: FIRST_WINDOW / 2,
    };
    this.#open.set(path, open);
    return open;
  }
}

/** The file of a shard that holds lines of a kind. */
export function pathOf(shard: ShardPaths, kind: Kind): string {
  return kind === Kinds.ROLLOUT ? shard.rollouts : kind === Kinds.FAILURE ? shard.failures : shard.inputs;
}
