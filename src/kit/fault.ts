/** Errors that the user can fix: reported without a stack, all problems of one kind at once. */

/** How many problems of one kind are listed before the rest are only counted. */
export const LISTED = 20;

/** Something is wrong with the arguments, the configuration or the input: exit code 2, nothing was sent. */
export class UsageFault extends Error {
  override name = "UsageFault";
}

/** The run itself failed: exit code 1. */
export class RunFault extends Error {
  override name = "RunFault";
}

/** A line that could not be written: the disk is full, the file is gone, a limit was hit. */
export class WriteFault extends Error {
  override name = "WriteFault";
}

/** `items`, one per line, indented; beyond the first {@link LISTED} only counted (`total` if not all were kept). */
export function list(items: readonly string[], total: number = items.length): string {
  const shown = items.slice(0, LISTED).map((item) => `\n  ${item}`);
  const rest = total - shown.length;
  return shown.join("") + (rest > 0 ? `\n  … and ${rest} more` : "");
}
