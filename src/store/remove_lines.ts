/** Removes lines from a file by writing the others to a new file that replaces it: atomically. */
import type { Files } from "../ports/files.ts";
import { replaceFile } from "./whole_file.ts";

const CHUNK = 1 << 20;

/** Ranges of a file, in order and without overlap. */
export class Spans {
  readonly #offsets: number[] = [];
  readonly #lengths: number[] = [];

  get size(): number {
    return this.#offsets.length;
  }

  /** Adds a range after all others. */
  push(offset: number, length: number): void {
    this.#offsets.push(offset);
    this.#lengths.push(length);
  }

  /** Offset and length of each. */
  *[Symbol.iterator](): Generator<readonly [offset: number, length: number]> {
    for (let k = 0; k < this.size; k++) yield [this.#offsets[k]!, this.#lengths[k]!];
  }
}

/**
 * Removes lines from a file. A crash at any moment leaves the file as it was or as it should be; its permissions stay.
 *
 * @param out the lines to remove, each with its line break
 * @param pathNew the name of the new file while it is being written
 * @param kept called once the new file is complete and before it replaces the old one: makes durable elsewhere
 * what is removed here
 * @throws the system's error; the file is then as it was
 */
export async function replaceWithout(
  files: Files,
  path: string,
  pathNew: string,
  out: Spans,
  kept: () => Promise<void>,
): Promise<void> {
  const from = files.read(path);
  try {
    await replaceFile(files, { path, temporary: pathNew }, (write) => {
      const chunk = new Uint8Array(CHUNK);
      const copy = (at: number, end: number) => {
        while (at < end) {
          const n = from.readAt(chunk.subarray(0, Math.min(CHUNK, end - at)), at);
          if (n === 0) throw new Error(`${path} became shorter while it was being copied`);
          write(chunk.subarray(0, n));
          at += n;
        }
      };
      let at = 0;
      for (const [offset, length] of out) {
        copy(at, offset);
        at = offset + length;
      }
      copy(at, from.size());
      files.copyMode(path, pathNew);
      return Promise.resolve();
    }, kept);
  } finally {
    from.close();
  }
}
