/** The disk, as the command line's side uses it. `edge/deno_disk.ts` is the real one. */
import type { Files } from "./files.ts";
import type { Holder, Lock } from "./lock.ts";

/** The disk, as the command line's side uses it. Paths may be relative to the working folder. */
export interface Disk {
  /** The text of a file. @throws the system's error */
  readText(path: string): Promise<string>;
  /** The bytes of a file. @throws the system's error */
  readBytes(path: string): Promise<Uint8Array>;
  /** The bytes of a file, `-` for standard input, in chunks; gzip and zstd are decompressed, whatever the name. */
  readChunks(path: string): AsyncIterable<Uint8Array>;
  /** Whether there is such a file or folder. @throws the system's error when it cannot find out */
  exists(path: string): boolean;
  /** Whether there is an ordinary file of that name: not a folder, device or pipe. @throws the system's error when it cannot find out */
  isFile(path: string): boolean;
  /** Whether there is a folder of that name. @throws the system's error when it cannot find out */
  isFolder(path: string): boolean;
  /** The relative paths of all files below a folder, in no order. @throws the system's error */
  filesBelow(folder: string): Promise<string[]>;
  /** The names of a folder's sub-folders, in no order. @throws the system's error */
  foldersIn(folder: string): Promise<string[]>;
  /** The absolute path with links resolved, dangling ones too; parts that do not exist stay as they are. */
  canonical(path: string): string;
  /** Creates a folder and its parents. Returns those that were missing, outermost first. */
  makeFolder(path: string): string[];
  /** Removes folders, innermost first, as long as they are empty. */
  removeFolders(paths: readonly string[]): void;
  /** Removes a file if it is there. */
  remove(path: string): void;
  /** Creates a file anew for writing; with `isNew` one that is there already is an error. @throws the system's error */
  create(path: string, how?: { readonly isNew?: boolean }): NewFile;
  /** Makes the names in a folder durable. */
  syncFolder(path: string): void;
  /** The file system as the core uses it; paths are absolute. */
  readonly files: Files;
  /** The names of what of that kind there is in a folder, in no order; `undefined` when it cannot be listed. */
  namesIn(folder: string, kind: "file" | "folder"): string[] | undefined;
  /** The names of a folder's files, in no order. @throws the system's error */
  filesIn(folder: string): Promise<string[]>;
  /** Who holds the lock of an output, as far as is known; `undefined` when nothing does. Changes nothing. */
  holder(path: string): Promise<Holder | undefined>;
  /** Takes the lock of an output; see `Lock`. */
  lock(path: string, output: string, say: (text: string) => void): Promise<Lock>;
}

/** A file being written. */
export interface NewFile {
  /** Writes all the bytes. */
  write(bytes: Uint8Array): void;
  /** Reads back. */
  readAt(into: Uint8Array, offset: number): number;
  /** Everything written is on the disk, and the file is closed. */
  finish(): void;
  /** Closes it without syncing. */
  abandon(): void;
}
