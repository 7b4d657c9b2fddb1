/** Where a command's words go. */
export interface Terminal {
  /** Whether standard error is a terminal that can redraw a line. */
  readonly live: boolean;
  /** Whether colours may be used there. */
  readonly colour: boolean;
  /** Its width in columns, asked anew each time; 80 when unknown. */
  columns(): number;
  /** Writes to standard output. A reader that has gone away is no error. */
  out(text: string): void;
  /** Writes to standard error. A reader that has gone away is no error. */
  err(text: string): void;
}
