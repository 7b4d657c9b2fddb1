/** Time, as far as rollcall needs it. `edge/deno_clock.ts` implements it; tests have a clock that they move by hand. */
export interface Clock {
  /** Milliseconds since some fixed moment; never jumps, whatever happens to the wall clock. */
  now(): number;
  /** The wall clock. */
  date(): Date;
  /** Calls back once after this many milliseconds, unless cancelled. Returns the function that cancels. */
  after(ms: number, call: () => void): () => void;
}

/** A random number from 0 (included) to 1 (excluded). */
export type Dice = () => number;
