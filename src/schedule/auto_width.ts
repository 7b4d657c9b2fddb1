/**
 * How many requests one server gets at once, where nobody has said it: found by trying. Time is cut into rounds, long
 * enough that about two requests a place started in it and were answered. A server that has room answers as fast as
 * before when it gets more; one that is full answers more slowly, and no more often. So a round is followed by a wider
 * one as long as the rate (requests in flight by their duration) grew with the last step; by a narrower one in proportion
 * when durations have grown; and at once by one that is when the server refuses.
 */

const FIRST = 8, FEWEST_SAMPLES = 16;
/** So much longer than at its best a request may take, besides what is chance. */
const SLACK = 0.15;
/** The part of the width by which it grows: after a step that brought nothing or too much, and at most. */
const SMALLEST_STEP = 0.05, LARGEST_STEP = 0.5;
/** What is left of the width after a refusal; less for each that follows without a round between. */
const LEFT = [0.85, 0.7, 0.5] as const;

/** How a request ended: `refused` when the server, or what is in front of it, did not take it; `unknown` tells nothing. */
export type Ended = "answered" | "refused" | "unknown";

/** What was found. */
export interface Found {
  /** How many requests may be in flight now. */
  readonly width: number;
  /** The most there were. */
  readonly widest: number;
  /** How often it became narrower because the server refused. */
  readonly refused: number;
  /** How often it did because the server became slower. */
  readonly slower: number;
}

/** The mean of durations, and the square of its standard error. */
interface Mean {
  readonly mean: number;
  readonly error2: number;
}

/** One server. Times in milliseconds, on one clock. */
export class AutoWidth {
  #width = FIRST;
  #widest = 0;
  #refused = 0;
  #slower = 0;
  /** The fastest that the server was. */
  #best: Mean | undefined;
  /** The round before, when this one is wider or narrower than it. */
  #before: { readonly width: number; readonly mean: number } | undefined;
  /** The next step, as a part of the width; 1 doubles it, as long as nothing speaks against it. */
  #step = 1;
  /** Whether the server seemed slower in the round before. */
  #isSuspected = false;
  /** Refusals since the last whole round. */
  #streak = 0;
  readonly #inFlight = new Map<number, { readonly at: number; readonly phase: number }>();
  /** Requests belong to the phase in which they start. */
  #phase = 0;
  /** The first phase with this width, and the first one whose durations count; Infinity until there is one. */
  #changed = 0;
  #counted = 0;
  /** Requests in flight of before the change, and how many of them may be left when counting begins. */
  #old = 0;
  #oldest = 0;
  #wasFull = false;
  #count = 0;
  #sum = 0;
  #squares = 0;

  /** How many requests may be in flight. */
  get width(): number {
    return this.#width;
  }

  get found(): Found {
    return { width: this.#width, widest: this.#widest, refused: this.#refused, slower: this.#slower };
  }

  /** A row's request starts. */
  starts(row: number, now: number): void {
    this.#inFlight.set(row, { at: now, phase: this.#phase });
    if (this.#inFlight.size >= this.#width) this.#wasFull = true;
    this.#widest = Math.max(this.#widest, this.#inFlight.size);
  }

  /** A row's request has ended. */
  ends(row: number, now: number, how: Ended): void {
    const started = this.#inFlight.get(row);
    this.#inFlight.delete(row);
    if (!started) return;
    const { at, phase } = started;
    // What started before the last change says nothing of it; nor, of durations, what started beside most of that.
    if (phase < this.#changed) {
      if (--this.#old <= this.#oldest && this.#counted === Infinity) this.#counted = ++this.#phase;
      return;
    }
    if (how === "refused") return this.#backOff();
    if (phase < this.#counted || how === "unknown") return;
    this.#count++;
    this.#sum += now - at;
    this.#squares += (now - at) ** 2;
    if (this.#count >= Math.max(FEWEST_SAMPLES, 2 * this.#width)) this.#judge();
  }

  #backOff(): void {
    const left = LEFT[Math.min(this.#streak++, LEFT.length - 1)]!;
    this.#refused++;
    this.#step = SMALLEST_STEP;
    this.#become(Math.floor(this.#width * left), undefined);
  }

  #judge(): void {
    const mean = this.#sum / this.#count, width = this.#width, before = this.#before;
    const error2 = Math.max(0, this.#squares / this.#count - mean ** 2) / this.#count;
    this.#streak = 0;
    if (!this.#best || mean < this.#best.mean) this.#best = { mean, error2 };
    // With places free nothing was tried.
    if (!this.#wasFull) return this.#become(width, undefined);
    if (
      before && width < 0.9 * before.width && mean < (1 + SLACK) * before.mean &&
      mean > before.mean * (1 + width / before.width) / 2
    ) {
      // A queue would have become shorter. Requests have become longer by themselves, and the width was right.
      this.#best = { mean, error2 };
      return this.#become(before.width, undefined);
    }
    const best = this.#best, chance = 2 * Math.sqrt(error2 + best.error2);
    if (mean - best.mean > SLACK * best.mean + chance) {
      this.#step = SMALLEST_STEP;
      // In a round in which the server became slower some requests were fast: another one tells how slow it is.
      if (!this.#isSuspected) return this.#become(width, undefined, true);
      this.#slower++;
      return this.#become(
        Math.min(width - 1, Math.round(width * best.mean / mean)),
        { width, mean },
      );
    }
    if (before && before.width < width && width / mean < 1.01 * before.width / before.mean) {
      this.#step = SMALLEST_STEP;
      return this.#become(before.width, undefined);
    }
    const wider = width + Math.max(1, Math.round(width * this.#step));
    this.#step = this.#step === 1 ? 1 : Math.min(LARGEST_STEP, 1.5 * this.#step);
    this.#become(wider, { width, mean });
  }

  /** The next round begins. */
  #become(
    width: number,
    before: { readonly width: number; readonly mean: number } | undefined,
    isSuspected = false,
  ): void {
    this.#isSuspected = isSuspected;
    this.#width = Math.max(1, width);
    this.#before = before;
    this.#old = this.#inFlight.size;
    this.#oldest = Math.floor(this.#old / 10);
    this.#changed = ++this.#phase;
    this.#counted = this.#old > this.#oldest ? Infinity : this.#phase;
    this.#wasFull = this.#inFlight.size >= this.#width;
    this.#count = this.#sum = this.#squares = 0;
  }
}
