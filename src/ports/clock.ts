/** Time, as far as rollcall needs it. */
export interface Clock {
  /** Milliseconds since some fixed moment; never jumps, whatever happens to the wall clock. */
  now(): number;
  /** The wall clock. */
  date(): Date;
  /** Calls once after so many milliseconds, unless cancelled first. Returns the cancelling function. */
  after(ms: number, call: () => void): () => void;
}

/** A number from 0 (included) to 1 (excluded), each time another one. */
export type Dice = () => number;
