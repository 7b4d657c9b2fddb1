/** What a command shows while it runs and when it ends. Everything goes to standard error. */
import { accountOf } from "../collect/accounting.ts";
import type { Tally } from "../collect/tally.ts";
import type { Notice } from "../events/run_event.ts";
import type { Clock } from "../ports/clock.ts";
import type { Terminal } from "../ports/terminal.ts";
import { eventText } from "./event_text.ts";
import { plainLine, progressLine } from "./progress.ts";
import { Rate } from "./rate.ts";
import { indented } from "./text.ts";

/** Milliseconds between two drawings of the line on a terminal, at least. */
export const REDRAW_MS = 100;
/** Milliseconds between two plain lines where there is no terminal, at least; the first comes after as many. */
export const PLAIN_MS = 10_000;

const CLEAR_TO_END = "\x1b[K";

/** Settings of {@link Display}. */
export interface DisplayOptions {
  /** Show neither progress nor notes: only what is {@link Display.say said}. Default false. */
  readonly quiet?: boolean;
}

/**
 * One progress line at the bottom of a terminal, with notes scrolling past above it; without a terminal, plain
 * lines. The cursor stays visible and stands behind the line, so a process that is killed leaves nothing to repair.
 */
export class Display {
  readonly #terminal: Terminal;
  readonly #clock: Clock;
  readonly #quiet: boolean;
  readonly #rate = new Rate();
  #tally: Tally | undefined;
  /** Whether the line is on the screen. */
  #drawn = false;
  #closed = false;
  /** When a line was last shown; for plain lines, when the first tally came. */
  #shownMs: number | undefined;
  #cancel: (() => void) | undefined;

  /** A display that shows nothing yet. */
  constructor(terminal: Terminal, clock: Clock, { quiet = false }: DisplayOptions = {}) {
    this.#terminal = terminal;
    this.#clock = clock;
    this.#quiet = quiet;
  }

  /** Shows how far the run is: at once, or soon if the last drawing was a moment ago. Call it as often as you like. */
  update(tally: Tally): void {
    if (this.#closed || this.#quiet) return;
    const now = this.#clock.now();
    this.#tally = tally;
    this.#rate.add(now, accountOf(tally).landed);
    if (this.#terminal.live) this.#drawSoon(now);
    else this.#plain(now, tally);
  }

  /** Writes a line (or several) above the progress line; nothing when quiet. */
  note(text: string): void {
    if (!this.#quiet) this.say(text);
  }

  /** Writes what happened; when quiet only a fault of rollcall's own. */
  event(event: Notice): void {
    if (event.kind === "own_fault") this.say(eventText(event));
    else this.note(eventText(event));
  }

  /**
   * The same, but also when quiet: for errors. Controls and colours in the text are taken out, so that a server's
   * words cannot repaint the screen; further lines are indented, so that they cannot pass for notes of their own.
   */
  say(text: string): void {
    this.print(indented(text));
  }

  /** The same for a text that is rollcall's own and may hold colours, such as a summary. */
  print(text: string): void {
    const whole = text.endsWith("\n") ? text : `${text}\n`;
    if (!this.#drawn) return this.#terminal.err(whole);
    const { busy } = this.#terminal;
    // In one piece: between two writes another process could write into the line.
    this.#terminal.err(`\r${CLEAR_TO_END}${whole}${busy ? "" : this.#line()}`);
    if (busy) this.#drawSoon(this.#clock.now());
  }

  /** Takes the progress line off the terminal; notes and errors may still be written. More calls do nothing. */
  close(): void {
    this.#closed = true;
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#drawn) this.#terminal.err(`\r${CLEAR_TO_END}`);
    this.#drawn = false;
  }

  #plain(now: number, tally: Tally): void {
    this.#shownMs ??= now;
    if (now - this.#shownMs < PLAIN_MS || this.#terminal.busy) return;
    this.#shownMs = now;
    this.#terminal.err(`${plainLine(tally, { rate: this.#rate.perSecond() })}\n`);
  }

  #drawSoon(now: number): void {
    if (this.#cancel) return;
    const wait = this.#shownMs === undefined ? 0 : this.#shownMs + REDRAW_MS - now;
    if (wait <= 0 && !this.#terminal.busy) return this.#draw();
    this.#cancel = this.#clock.after(wait > 0 ? wait : REDRAW_MS, () => {
      this.#cancel = undefined;
      // A terminal that has not taken the last line yet gets no further one: they would pile up.
      this.#drawSoon(this.#clock.now());
    });
  }

  #draw(): void {
    this.#shownMs = this.#clock.now();
    this.#drawn = true;
    this.#terminal.err(`\r${this.#line()}${CLEAR_TO_END}`);
  }

  #line(): string {
    if (!this.#tally) return "";
    // The last column stays free: a terminal whose last column is written may have moved to the next line.
    const columns = this.#terminal.columns() - 1;
    return progressLine(this.#tally, {
      columns,
      colour: this.#terminal.colour,
      rate: this.#rate.perSecond(),
    });
  }
}
