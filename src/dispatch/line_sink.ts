/** Where dispatch puts what it has. */
import type { WriteFault } from "../kit/fault.ts";

/** Takes lines, each whole or not at all. */
export interface LineSink {
  /** `done` is called once the line is in the file, or with the reason why it never will be. */
  append(pieces: readonly Uint8Array[], done: (fault?: WriteFault) => void): void;
}

/** Where results go, and where failed attempts go. */
export interface Lines {
  readonly rollouts: LineSink;
  readonly failures: LineSink;
}
