/**
 * The file system, as far as a run needs it. Paths are absolute and canonical; errors are those of the system.
 * `edge/deno_files.ts` implements it; tests have one in memory that loses power at will.
 */
export interface Files {
  /** Opens for appending; creates the file when it is not there, and refuses a path that leads through a link. */
  append(path: string): AppendFile;
  /** Opens for reading. */
  read(path: string): ReadFile;
  /** Size in bytes, or `undefined` when there is no such file. */
  size(path: string): number | undefined;
  /** Renames over whatever is there. */
  rename(from: string, to: string): void;
  /** Gives a file the permissions of another. */
  copyMode(from: string, to: string): void;
  /** Removes a file; a missing one is not an error. */
  remove(path: string): void;
}

/** A file that only grows, except for {@link AppendFile.truncate}. */
export interface AppendFile {
  /** Its size in bytes. */
  size(): number;
  /** Whether its path still leads to it: false once it was removed, renamed or replaced. */
  isInPlace(): boolean;
  /** Appends; may write less than it was given. Returns how many bytes it wrote. */
  write(bytes: Uint8Array): number;
  /** Truncates it to this many bytes. */
  truncate(size: number): void;
  /** Resolves once everything written is on the disk. */
  sync(): Promise<void>;
  /** Closes it; what is not synced may be lost in a power cut. */
  close(): void;
}

/** A file that is read at given offsets. */
export interface ReadFile {
  /** Its size in bytes when asked. */
  size(): number;
  /** Reads into `into` from `offset`, as much as fits or is there. Returns how many bytes it read. */
  readAt(into: Uint8Array, offset: number): number;
  /** Closes it. */
  close(): void;
}
