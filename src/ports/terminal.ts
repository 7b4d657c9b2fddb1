/**
 * Where a command's output goes. Nobody waits for a terminal, and none that is paused or gone is an error.
 * `edge/deno_terminal.ts` implements it.
 */
export interface Terminal {
  /** Whether standard error is a terminal that can redraw a line. */
  readonly live: boolean;
  /** Whether colours may be used there. */
  readonly colour: boolean;
  /** Whether standard error has yet to accept what was written last: for a moment, or for as long as it is paused. */
  readonly busy: boolean;
  /** Why standard output has not taken all of what was written; undefined while it has, or its reader went away. */
  readonly lost?: string | undefined;
  /** Its width in columns, asked anew each time; 80 when unknown. */
  columns(): number;
  /** Writes to standard output, in order; returns at once. */
  out(text: string): void;
  /** Writes to standard error, in order; returns at once. If too much is queued, the oldest is dropped. */
  err(text: string): void;
  /** Resolves once everything is written, or cannot be, or the time is up. */
  flush(mostMs: number): Promise<void>;
}
