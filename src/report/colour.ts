/** Colours of a terminal, as functions that do nothing where colours are not wanted. */

/** Wraps a text in the codes of one colour or weight. */
export type Paint = (text: string) => string;

/** The few colours that progress and summary use. An empty text stays empty. */
export interface Palette {
  /** What went wrong. */
  readonly red: Paint;
  /** What needs attention. */
  readonly yellow: Paint;
  /** What went well. */
  readonly green: Paint;
  /** What a server did not answer at all. */
  readonly magenta: Paint;
  /** Labels and other words that the eye may skip. */
  readonly dim: Paint;
  /** What the eye should find first. */
  readonly bold: Paint;
}

// Not a library: picocolors and its like read the environment when imported, which a sandbox refuses.
/** The colours, or functions that return their text unchanged when `on` is false. */
export function palette(on: boolean): Palette {
  const sgr = (start: number, end: number): Paint => (text) =>
    on && text !== "" ? `\x1b[${start}m${text}\x1b[${end}m` : text;
  return {
    red: sgr(31, 39),
    yellow: sgr(33, 39),
    green: sgr(32, 39),
    magenta: sgr(35, 39),
    dim: sgr(2, 22),
    bold: sgr(1, 22),
  };
}
