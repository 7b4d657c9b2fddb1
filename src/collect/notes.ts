/** Lines for the user while a run goes on, kept few: of each kind the first ones are said, the rest counted. */

const SAID = 20;

/** See the module's comment. */
export class Notes {
  readonly #say: (text: string) => void;
  readonly #counts = new Map<string, number>();

  /**
   * Nothing has been said yet.
   *
   * @param say shows a line at once
   */
  constructor(say: (text: string) => void) {
    this.#say = say;
  }

  /** Says a line, unless enough of its kind have been said. `elsewhere` tells where to look for the others. */
  say(kind: string, text: string, elsewhere: string): void {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    if (count <= SAID) this.#say(text);
    if (count === SAID) this.#say(`Further lines like this are not shown; see ${elsewhere}.`);
  }
}
