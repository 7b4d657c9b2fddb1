/**
 * Reads rows out of the materialized inputs by their position, with a window read ahead: rows mostly start in
 * the order of the file, so a read from the disk serves many of them.
 */
import type { ReadFile } from "../ports/files.ts";

const WINDOW = 1 << 18;

/** Reads one file, in any order. */
export class RowReader {
  readonly #file: ReadFile;
  readonly #path: string;
  #window = new Uint8Array(WINDOW);
  /** Where the window begins in the file, and how much of it is filled. */
  #from = 0;
  #filled = 0;

  /** @param path for messages */
  constructor(file: ReadFile, path: string) {
    this.#file = file;
    this.#path = path;
  }

  /**
   * The bytes of a row. They are only valid until the next call.
   *
   * @throws {Error} when the file has become shorter than it was
   */
  read(offset: number, length: number): Uint8Array<ArrayBuffer> {
    if (offset < this.#from || offset + length > this.#from + this.#filled) this.#fill(offset, length);
    return this.#window.subarray(offset - this.#from, offset - this.#from + length);
  }

  #fill(offset: number, length: number): void {
    if (length > this.#window.length) this.#window = new Uint8Array(length * 2);
    this.#from = offset;
    this.#filled = 0;
    while (this.#filled < this.#window.length) {
      const n = this.#file.readAt(this.#window.subarray(this.#filled), offset + this.#filled);
      if (n === 0) break;
      this.#filled += n;
      if (this.#filled >= length) break;
    }
    if (this.#filled < length) {
      throw new Error(`${this.#path} was truncated while the run was reading it.`);
    }
  }
}
