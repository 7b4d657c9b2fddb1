/** A file for what does not fit in memory: written once, read in another order, then removed. */
import { gathering } from "../kit/gathering.ts";
import type { AppendFile, Files, ReadFile } from "../ports/files.ts";
import { writeAll } from "./write_all.ts";

/** The file is created with the first bytes. */
export class Scratch {
  readonly #files: Files;
  readonly #path: string;
  #writing: { readonly file: AppendFile; sink(bytes: Uint8Array): void; flush(): void } | undefined;
  #reading: ReadFile | undefined;
  #size = 0;

  /**
   * Removes what an earlier one left behind.
   *
   * @throws the system's error
   */
  constructor(files: Files, path: string) {
    this.#files = files;
    this.#path = path;
    files.remove(path);
  }

  /** Appends bytes and returns their offset. @throws the system's error */
  append(bytes: Uint8Array): number {
    this.#writing ??= this.#open();
    this.#writing.sink(bytes);
    this.#size += bytes.length;
    return this.#size - bytes.length;
  }

  /** Ends writing; from here on it may be read. @throws the system's error */
  seal(): void {
    if (!this.#writing) return;
    this.#writing.flush();
    this.#writing.file.close();
    this.#writing = undefined;
    this.#reading = this.#files.read(this.#path);
  }

  /** Reads what was appended. @throws {Error} when it is gone */
  read(offset: number, length: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(length);
    if (this.#reading?.readAt(bytes, offset) !== length) {
      throw new Error(`${this.#path} became shorter while it was in use`);
    }
    return bytes;
  }

  /** Closes the file and removes it if possible. */
  close(): void {
    this.#writing?.file.close();
    this.#reading?.close();
    this.#writing = this.#reading = undefined;
    try {
      this.#files.remove(this.#path);
    } catch {
      // Nothing reads it any more, and the next one starts by removing it.
    }
  }

  #open() {
    const file = this.#files.append(this.#path);
    return { file, ...gathering((bytes) => writeAll(file, bytes)) };
  }
}
