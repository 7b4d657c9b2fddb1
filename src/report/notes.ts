/** What a command tells before its work begins: shown at once, and kept for the `notes` of its JSON. */
import type { Display } from "./display.ts";

/** Notes and warnings of one command. */
export class Notes {
  /** All of them, in order. */
  readonly texts: string[] = [];
  readonly #display: Display;

  constructor(display: Display) {
    this.#display = display;
  }

  /** Something good to know; not shown when quiet. */
  note(text: string): void {
    this.texts.push(text);
    this.#display.note(text);
  }

  /** Something to act on: shown even when quiet. */
  warn(text: string): void {
    this.texts.push(text);
    this.#display.say(text);
  }
}
