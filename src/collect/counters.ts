/** Counts what a run does, and reads the counts out as a {@link Tally}. */
import { Column } from "../statistics/column.ts";
import type { Tally } from "./tally.ts";

/** Where the rollouts stood when the run began; see {@link Tally}. */
export type Beginning = Pick<Tally, "materialized" | "before" | "terminal" | "atCap" | "failedBefore">;

/** What the counters cannot count themselves. */
export interface Circumstances {
  /** Requests on the wire. */
  readonly inFlight: number;
  /** Not started yet, or to be started again. */
  readonly waiting: number;
  /** Not started for want of budget. */
  readonly drained: number;
  /** Servers that dispatch waits for. */
  readonly paused: Tally["paused"];
  /** Why nothing new starts. */
  readonly stopping: string | null;
  /** Seconds since the start. */
  readonly elapsedS: number;
  /** How each server is doing. */
  readonly live: Tally["live"];
}

/** So many durations are kept for exact quantiles. */
const EXACT_DURATIONS = 100_000;

/** Counters of one run. */
export class Counters {
  /** Rows written to the rollouts file. */
  done = 0;
  /** Rollouts that failed for good in this run. */
  failed = 0;
  /** Of these, those that are not tried again. */
  exhausted = 0;
  /** Of these, in no file: they ended the run. */
  unrecorded = 0;
  /** Requests that were given up in flight. */
  givenUp = 0;
  /** Answers that asked not to be kept. */
  notPersisted = 0;
  /** Attempts recorded and followed by another. */
  attemptsAgain = 0;
  /** Requests that were sent again because no server saw them. */
  repeats = 0;
  /** Results without a reward that counts; see `record/reward.ts`. */
  unscored = 0;
  /** Bytes of answers. */
  bytes = 0;
  /** Seconds from request to answer, of requests that brought one. */
  readonly durations: Column = new Column(EXACT_DURATIONS);
  readonly #failures: Record<string, number> = Object.create(null);
  readonly #beginning: Beginning;
  /** Rollouts that the run has to run. */
  readonly owed: number;

  /** Nothing is done yet. */
  constructor(beginning: Beginning) {
    this.#beginning = beginning;
    this.owed = beginning.materialized - beginning.before - beginning.terminal - beginning.atCap;
  }

  /** A failed attempt of a class. */
  failure(failureClass: string): void {
    this.#failures[failureClass] = (this.#failures[failureClass] ?? 0) + 1;
  }

  /** The counts now. */
  tally(now: Circumstances): Tally {
    return {
      ...this.#beginning,
      owed: this.owed,
      done: this.done,
      failed: this.failed,
      exhausted: this.exhausted,
      unrecorded: this.unrecorded,
      givenUp: this.givenUp,
      notPersisted: this.notPersisted,
      failures: { ...this.#failures },
      attemptsAgain: this.attemptsAgain,
      repeats: this.repeats,
      unscored: this.unscored,
      bytes: this.bytes,
      busyS: this.durations.sum,
      latency: this.#latency(),
      ...now,
    };
  }

  #latency(): Tally["latency"] {
    const { durations } = this;
    if (durations.count === 0) return { median: null, p90: null, p99: null, max: null };
    return {
      median: durations.median,
      p90: durations.quantile(0.9),
      p99: durations.quantile(0.99),
      max: durations.max,
    };
  }
}
