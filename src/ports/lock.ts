/** The lock on an output. `edge/deno_lock.ts` implements it. */

/** Who collects into an output. */
export interface Holder {
  /** The machine. */
  readonly host: string;
  /** The process. */
  readonly pid: number;
  /** Since when, as an ISO date. */
  readonly since: string;
  /** How fast it goes, if it has said so. */
  readonly pace?: Pace;
}

/** How fast a run goes, as its collector sees it. Keys as in the lock's file. */
export interface Pace {
  /** Rollouts a minute, lately. */
  readonly per_minute: number;
  /** Seconds until it is over at this rate; null when nobody can say. */
  readonly seconds_left: number | null;
  /** For how many seconds nothing has moved, where that is longer than any rollout took; else null. */
  readonly stalled_s: number | null;
}

/** A lock that is held; it is released when the process ends. */
export interface Lock {
  /** The holder that others see: this process. */
  readonly holder: Holder;
  /** Rejects with a `RunFault` once somebody else turns out to hold it too, which file systems without locks allow. */
  readonly lost: Promise<never>;
  /** Tells others how fast the run goes, with the next heartbeat. */
  tell(pace: Pace): void;
  /** Gives it back. */
  release(): void;
}
