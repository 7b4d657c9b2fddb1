/** The lock on an output. `edge/deno_lock.ts` is the real one. */

/** Who collects into an output. */
export interface Holder {
  /** The machine. */
  readonly host: string;
  /** The process. */
  readonly pid: number;
  /** Since when, as an ISO date. */
  readonly since: string;
}

/** A lock that is held; it falls with the process. */
export interface Lock {
  /** Whom it names to others: this process. */
  readonly holder: Holder;
  /** Rejects with a `RunFault` once somebody else turns out to hold it too, which file systems without locks allow. */
  readonly lost: Promise<never>;
  /** Gives it back. */
  release(): void;
}
