/** Where a command's words go. Nobody waits for a terminal, and none that is paused or gone is an error. */
export interface Terminal {
  /** Whether standard error is a terminal that can redraw a line. */
  readonly live: boolean;
  /** Whether colours may be used there. */
  readonly colour: boolean;
  /** Whether standard error has not taken yet what was written last: a moment long, or for as long as it is paused. */
  readonly busy: boolean;
  /** Why standard output has not taken all of what was written; undefined while it has, or its reader went away. */
  readonly lost?: string | undefined;
  /** Its width in columns, asked anew each time; 80 when unknown. */
  columns(): number;
  /** Writes to standard output, in order; returns at once. */
  out(text: string): void;
  /** Writes to standard error, in order; returns at once. What waits there for too long is dropped, oldest first. */
  err(text: string): void;
  /** Resolves once everything is written, or cannot be, or so much time has gone by. */
  flush(mostMs: number): Promise<void>;
}
