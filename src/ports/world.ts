/** Everything the command line's side asks of the machine. `main.ts` builds the real one. */
import type { ToCollector } from "../collect/messages.ts";
import type { FromCollector } from "../collect/messages.ts";
import type { Env } from "../config/interpolation.ts";
import type { Permissions } from "../plan/run_plan.ts";
import type { Clock, Dice } from "./clock.ts";
import type { Files } from "./files.ts";
import type { Terminal } from "./terminal.ts";

/** The disk, as the command line's side uses it. Paths may be relative to the working folder. */
export interface Disk {
  /** The text of a file. @throws the system's error */
  readText(path: string): Promise<string>;
  /** The bytes of a file. @throws the system's error */
  readBytes(path: string): Promise<Uint8Array>;
  /** The bytes of a file, `-` for standard input, in chunks; `.gz` and `.zst` are unpacked. */
  readChunks(path: string): AsyncIterable<Uint8Array>;
  /** Whether there is such a file or folder. @throws the system's error when that cannot be told */
  exists(path: string): boolean;
  /** Whether there is an ordinary file of that name: no folder, device or pipe. @throws the system's error when that cannot be told */
  isFile(path: string): boolean;
  /** Whether there is a folder of that name. @throws the system's error when that cannot be told */
  isFolder(path: string): boolean;
  /** The relative paths of all files below a folder, in no order. @throws the system's error */
  filesBelow(folder: string): Promise<string[]>;
  /** The names of a folder's sub-folders, in no order. @throws the system's error */
  foldersIn(folder: string): Promise<string[]>;
  /** The absolute path with links resolved, those to nothing too; what does not exist is taken as it is. */
  canonical(path: string): string;
  /** Makes a folder and those above it. Returns those that were missing, outermost first. */
  makeFolder(path: string): string[];
  /** Removes folders, innermost first, as long as they are empty. */
  removeFolders(paths: readonly string[]): void;
  /** Removes a file if it is there. */
  remove(path: string): void;
  /** Creates a file anew for writing. */
  create(path: string): NewFile;
  /** Makes the names in a folder durable. */
  syncFolder(path: string): void;
  /** The file system as the core uses it; paths are absolute. */
  readonly files: Files;
  /** The names of a folder's files, in no order. @throws the system's error */
  filesIn(folder: string): Promise<string[]>;
  /** Who holds the lock of an output, as far as can be told; `undefined` when nobody does. Takes and changes nothing. */
  holder(path: string): Promise<Holder | undefined>;
  /** Takes the lock of an output; see `Lock`. */
  lock(path: string, output: string, say: (text: string) => void): Promise<Lock>;
}

/** A file that is being made. */
export interface NewFile {
  /** Writes all of it. */
  write(bytes: Uint8Array): void;
  /** Reads back. */
  readAt(into: Uint8Array, offset: number): number;
  /** Everything written is on the disk, and the file is closed. */
  finish(): void;
  /** Closes it without a thought. */
  abandon(): void;
}

/** Who collects into an output. */
export interface Holder {
  /** The machine. */
  readonly host: string;
  /** The process. */
  readonly pid: number;
  /** Since when, as an ISO date. */
  readonly since: string;
}

/** A lock that is held; it falls with the process. */
export interface Lock {
  /** Whom it names to others: this process. */
  readonly holder: Holder;
  /** Rejects with a `RunFault` once somebody else turns out to hold it too, which file systems without locks allow. */
  readonly lost: Promise<never>;
  /** Gives it back. */
  release(): void;
}

/** A collector at work. */
export interface Collector {
  /** Sends it a message; buffers in `transfer` are handed over. */
  send(message: ToCollector, transfer?: ArrayBuffer[]): void;
  /** Ends it at once. */
  terminate(): void;
}

/** An answer to a GET. */
export interface Got {
  /** The HTTP status. */
  readonly status: number;
  /** The body as text. */
  readonly text: string;
}

/** See the module's comment. */
export interface World {
  /** The name it was called by, without its folder. */
  readonly name: string;
  /** The arguments behind the name. */
  readonly args: readonly string[];
  /** Environment variables. */
  readonly env: Env;
  /** Where words go. */
  readonly terminal: Terminal;
  /** Tells the time. */
  readonly clock: Clock;
  /** Random numbers. */
  readonly dice: Dice;
  /** The disk. */
  readonly disk: Disk;
  /**
   * Calls back on SIGINT, SIGTERM and SIGUSR1: at once for those that have come since the process began, in which SIGHUP
   * does nothing. The returned function ends that for good: signals do what they always do.
   */
  onSignal(call: (name: "SIGINT" | "SIGTERM" | "SIGUSR1") => void): () => void;
  /** A GET without redirects. @throws {Error} whose message says why there is no answer */
  get(url: string, timeoutMs: number): Promise<Got>;
  /** How many more files this process could open now, counted up to `most`. */
  countOpenable(most: number): number;
  /**
   * What `squeue` prints for the end of a job: seconds since 1970, or a word.
   *
   * @throws {Error} whose message says why it cannot be asked
   */
  squeue(job: string): Promise<string>;
  /** Starts a collector that can reach nothing but what it is given here. */
  startCollector(permissions: Permissions, hear: (message: FromCollector) => void): Collector;
  /** Gives up for good what the command line's side does not need once the collector runs: network and programs. */
  narrow(): void;
  /** Serves on a free port of 127.0.0.1 until stopped. */
  serve(handler: (request: Request) => Promise<Response>): { readonly port: number; stop(): Promise<void> };
}
