/** Code that runs within fixed permissions. `edge/deno_world.ts` starts it as a Worker. */

/** What it may touch; it can reach nothing else. */
export interface Permissions {
  /** `HOST:PORT` of the servers it may talk to. */
  readonly net: readonly string[];
  /** Files it may read, and folders with all that is below them. */
  readonly read: readonly string[];
  /** Files it may write, rename or remove. */
  readonly write: readonly string[];
}

/** The other side of a sandbox. Messages are plain data; `collect/messages.ts` says which there are. */
export interface Sandboxed {
  /** Sends it a message; buffers in `transfer` are handed over. */
  send(message: unknown, transfer?: ArrayBuffer[]): void;
  /** Ends it at once. */
  terminate(): void;
}
