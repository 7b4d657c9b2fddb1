/** A file for what does not fit into memory: written once, then read in another order, then gone. */
import { gathering } from "../kit/gathering.ts";
import type { AppendFile, Files, ReadFile } from "../ports/files.ts";
import { writeAll } from "./write_all.ts";

/** The file is made with the first bytes. */
export class Scratch {
  readonly #files: Files;
  readonly #path: string;
  #writing: { readonly file: AppendFile; sink(bytes: Uint8Array): void; flush(): void } | undefined;
  #reading: ReadFile | undefined;
  #size = 0;

  /**
   * Removes what an earlier one has left.
   *
   * @throws the system's error
   */
  constructor(files: Files, path: string) {
    this.#files = files;
    this.#path = path;
    files.remove(path);
  }

  /** Appends bytes and returns where they are. @throws the system's error */
  append(bytes: Uint8Array): number {
    this.#writing ??= this.#open();
    this.#writing.sink(bytes);
    this.#size += bytes.length;
    return this.#size - bytes.length;
  }

  /** Everything is written; reading may begin. @throws the system's error */
  seal(): void {
    if (!this.#writing) return;
    this.#writing.flush();
    this.#writing.file.close();
    this.#writing = undefined;
    this.#reading = this.#files.read(this.#path);
  }

  /** Reads what was appended. @throws {Error} when it is not there any more */
  read(offset: number, length: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(length);
    if (this.#reading?.readAt(bytes, offset) !== length) {
      throw new Error(`${this.#path} has become shorter while it was in use`);
    }
    return bytes;
  }

  /** Closes the file and removes it, if it can be. */
  close(): void {
    this.#writing?.file.close();
    this.#reading?.close();
    this.#writing = this.#reading = undefined;
    try {
      this.#files.remove(this.#path);
    } catch {
      // Nobody reads it any more, and the next one begins by removing it.
    }
  }

  #open() {
    const file = this.#files.append(this.#path);
    return { file, ...gathering((bytes) => writeAll(file, bytes)) };
  }
}
