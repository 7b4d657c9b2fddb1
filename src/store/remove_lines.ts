/** Lines are taken out of a file by writing the others into a new one that takes its place: at once, or not at all. */
import type { Files } from "../ports/files.ts";
import { writeAll } from "./write_all.ts";

const CHUNK = 1 << 20;

/** Places in a file, in order, that do not overlap. */
export class Spans {
  readonly #offsets: number[] = [];
  readonly #lengths: number[] = [];

  /** How many there are. */
  get size(): number {
    return this.#offsets.length;
  }

  /** Adds one behind the others. */
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
 * Takes lines out of a file. A crash at any moment leaves the file as it was or as it should be; its permissions stay.
 *
 * @param out the lines to take out, each with its line break
 * @param pathNew the name of the new file while it is being written
 * @param kept called once the new file is complete and before it takes the place of the old one: makes durable
 * elsewhere what is taken out here
 * @throws the system's error; the file is then as it was
 */
export async function replaceWithout(
  files: Files,
  path: string,
  pathNew: string,
  out: Spans,
  kept: () => Promise<void>,
): Promise<void> {
  files.remove(pathNew);
  try {
    await copyWithout(files, path, pathNew, out);
    await kept();
    files.rename(pathNew, path);
  } catch (error) {
    try {
      files.remove(pathNew);
    } catch {
      // The first error is the one to report; the next attempt begins by removing the file.
    }
    throw error;
  }
}

async function copyWithout(files: Files, path: string, pathNew: string, out: Spans): Promise<void> {
  const from = files.read(path);
  try {
    const to = files.append(pathNew);
    try {
      const chunk = new Uint8Array(CHUNK);
      const copy = (at: number, end: number) => {
        while (at < end) {
          const n = from.readAt(chunk.subarray(0, Math.min(CHUNK, end - at)), at);
          if (n === 0) throw new Error(`${path} has become shorter while it was copied`);
          writeAll(to, chunk.subarray(0, n));
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
      await to.sync();
    } finally {
      to.close();
    }
  } finally {
    from.close();
  }
}
