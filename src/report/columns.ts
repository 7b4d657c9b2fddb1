/**
 * How many columns of a terminal a text takes. The library that knows it for all of Unicode takes as long to load as half
 * of a short run's start, so it is loaded for the first text that needs it.
 */

/** Characters that take one column each: ASCII, Latin-1, and the marks that rollcall writes itself. */
const SIMPLE = /^[\x20-\x7e\xa1-\xac\xae-\xff…–█░]*$/;

// deno-lint-ignore no-control-regex -- that is how a colour begins
const COLOUR = /\x1b\[[\d;]*m/g;

let measure: ((text: string) => number) | undefined;
let isGuessed = false;

/**
 * The columns a text takes: 2 for CJK and emoji, 0 for marks that join the letter before, and for colours. More than
 * that, never less, for a text that is not simple, until {@link loadColumns} has loaded what measures it.
 */
export function width(text: string): number {
  const shown = text.includes("\x1b") ? text.replace(COLOUR, "") : text;
  if (SIMPLE.test(shown)) return shown.length;
  if (measure) return measure(text);
  isGuessed = true;
  return 2 * shown.length;
}

/** Loads what measures any text. */
export async function loadColumns(): Promise<void> {
  measure ??= (await import("string-width")).default;
}

/** What `make` lays out in columns, made a second time if some width had to be guessed at first. */
export async function inColumns<T>(make: () => T): Promise<T> {
  isGuessed = false;
  const made = make();
  if (!isGuessed) return made;
  await loadColumns();
  return make();
}
