/** Counts what a run does, and reads the counts out as a {@link Tally}. */
import { Column } from "../statistics/column.ts";
import type { FailureTold, Observer, Over, RunEvent, Settled } from "../events/run_event.ts";
import { type RowIndex, State } from "../plan/row_index.ts";
import type { Tally } from "./tally.ts";

/** Where the rollouts stood when the run began. */
export type Beginning = Pick<Tally, "materialized" | "before" | "terminal" | "atCap" | "failedBefore">;

/** What the counters cannot count themselves. */
export type Circumstances = Pick<
  Tally,
  | "inFlight"
  | "waiting"
  | "drained"
  | "paused"
  | "outages"
  | "standstill"
  | "stopping"
  | "elapsedS"
  | "live"
  | "limit"
  | "tokens"
  | "widths"
>;

/** Where the rollouts of an index stand. */
export function beginningOf({ columns: { state, attempts }, size }: RowIndex): Beginning {
  const rows = [0, 0, 0, 0];
  let failedBefore = 0;
  for (let row = 0; row < size; row++) {
    rows[state[row]!]!++;
    if (state[row] === State.OWED && attempts[row]! > 0) failedBefore++;
  }
  return {
    materialized: size,
    before: rows[State.DONE]!,
    terminal: rows[State.TERMINAL]!,
    atCap: rows[State.AT_CAP]!,
    failedBefore,
  };
}

/** So many classes are counted by name, the rest together: a server may invent one for every row. */
const CLASSES = 1000, OTHERS = "(other classes)";

/** So many durations are kept for exact quantiles. */
const EXACT_DURATIONS = 100_000;

/** Counters of one run. */
export class Counters implements Observer {
  /** Seconds from request to answer, of requests that brought a result. */
  readonly durations: Column = new Column(EXACT_DURATIONS);
  /** Rollouts that the run has to run. */
  readonly owed: number;
  readonly #beginning: Beginning;
  readonly #failures = new Map<string, number>();
  #done = 0;
  #failed = 0;
  #exhausted = 0;
  #newlyAtCap = 0;
  #unrecorded = 0;
  #givenUp = 0;
  #notPersisted = 0;
  #attemptsAgain = 0;
  #repeats = 0;
  #unscored = 0;
  #bytes = 0;

  constructor(beginning: Beginning) {
    this.#beginning = beginning;
    this.owed = beginning.materialized - beginning.before - beginning.terminal - beginning.atCap;
  }

  on(event: RunEvent): void {
    switch (event.kind) {
      case "started":
        if (event.repeated) this.#repeats++;
        return;
      case "over":
        return this.#over(event);
      case "settled":
        return this.#settled(event);
      case "runs_again": // one at the attempt limit never does, so it was not final
        this.#failed--;
        this.#attemptsAgain++;
        return;
      case "retried":
        this.#attemptsAgain++;
        this.#failure(event.failure);
    }
  }

  /** The longest that a result took, in seconds; null before the first. */
  get tookAtMost(): number | null {
    return this.durations.count === 0 ? null : this.durations.max;
  }

  /** The counts now. */
  tally(now: Circumstances): Tally {
    return {
      ...this.#beginning,
      owed: this.owed,
      done: this.#done,
      failed: this.#failed,
      exhausted: this.#exhausted,
      newlyAtCap: this.#newlyAtCap,
      unrecorded: this.#unrecorded,
      givenUp: this.#givenUp,
      notPersisted: this.#notPersisted,
      failures: Object.fromEntries(this.#failures),
      attemptsAgain: this.#attemptsAgain,
      repeats: this.#repeats,
      unscored: this.#unscored,
      bytes: this.#bytes,
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

  #over({ how, bytes, seconds }: Over): void {
    this.#bytes += bytes;
    if (how === "result") this.durations.add(seconds);
    else if (how === "abandoned") this.#givenUp++;
  }

  #settled({ became, failure, recorded, final, atCap, scored }: Settled): void {
    if (failure) this.#failure(failure);
    switch (became) {
      case "done":
        this.#done++;
        if (!scored) this.#unscored++;
        return;
      case "omitted":
        this.#notPersisted++;
        return;
      case "failed":
        this.#failed++;
        if (!recorded) this.#unrecorded++;
        if (final) this.#exhausted++;
        if (atCap) this.#newlyAtCap++;
    }
  }

  #failure({ failureClass }: FailureTold): void {
    const failures = this.#failures;
    const name = failures.has(failureClass) || failures.size < CLASSES ? failureClass : OTHERS;
    failures.set(name, (failures.get(name) ?? 0) + 1);
  }
}
