/** How far a long file is read: a line on a terminal that is drawn over itself, and nothing where there is none. */
import type { Clock } from "../ports/clock.ts";
import type { Terminal } from "../ports/terminal.ts";
import { REDRAW_MS } from "./display.ts";

/** What is shorter than this, in milliseconds, needs no line. */
const FIRST_MS = 500;

/** One line for one file, or several. */
export class ShareLine {
  readonly #terminal: Terminal;
  readonly #clock: Clock;
  readonly #doing: string;
  #nextMs: number;
  #isDrawn = false;

  /** @param doing what is being done: `Checking runs/a.jsonl` */
  constructor(terminal: Terminal, clock: Clock, doing: string) {
    this.#terminal = terminal;
    this.#clock = clock;
    this.#doing = doing;
    this.#nextMs = clock.now() + FIRST_MS;
  }

  /** Tells the share that is done, from 0 to 1. Call it as often as you like. */
  update(share: number): void {
    const terminal = this.#terminal, now = this.#clock.now();
    if (!terminal.live || terminal.busy || now < this.#nextMs) return;
    this.#nextMs = now + REDRAW_MS;
    this.#isDrawn = true;
    const line = `${this.#doing}: ${Math.floor(100 * share)} %`;
    terminal.err(`\r${line.slice(0, Math.max(0, terminal.columns() - 1))}\x1b[K`);
  }

  /** Takes the line off the terminal. */
  close(): void {
    if (this.#isDrawn) this.#terminal.err("\r\x1b[K");
    this.#isDrawn = false;
  }
}
