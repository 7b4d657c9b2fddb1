/** The lock on an output. `edge/deno_lock.ts` implements it. */

/** Who collects into an output. */
export interface Holder {
  /** The machine. */
  readonly host: string;
  /** The process. */
  readonly pid: number;
  /** Since when, as an ISO date. */
  readonly since: string;
}

/** A lock that is held; it is released when the process ends. */
export interface Lock {
  /** The holder that others see: this process. */
  readonly holder: Holder;
  /** Rejects with a `RunFault` once somebody else turns out to hold it too, which file systems without locks allow. */
  readonly lost: Promise<never>;
  /** Releases it. */
  release(): void;
}
