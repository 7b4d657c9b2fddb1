/** Stops a run that goes wrong, or has used what it may: failures, their share, and tokens are counted as they come. */
import type { LimitReached, Observer, RunEvent, Settled } from "../events/run_event.ts";
import { usageOf } from "../health/usage.ts";
import type { TokensUsed } from "./tally.ts";

/** A share of failures says nothing before so many rollouts are over. */
const RATE_FROM = 20;

/** What may be reached; null for no limit. */
export interface Limits {
  /** So many rollouts that failed. */
  readonly failures: number | null;
  /** A share of the finished ones, from 0 to 1, that is exceeded. */
  readonly failureRate: number | null;
  /** So many tokens, in and out. */
  readonly tokens: number | null;
}

/** What has been counted. */
export interface Counted {
  /** Rollouts that failed, each once, however many attempts it had. */
  readonly failed: number;
  /** Rollouts that are over, the failed ones among them. */
  readonly finished: number;
  /** Tokens, in and out. */
  readonly tokens: number;
}

/** The limit that is reached, or null. */
export function limitReached({ failed, finished, tokens }: Counted, limits: Limits): LimitReached | null {
  const { failures: most, failureRate: rate, tokens: budget } = limits;
  if (most !== null && failed >= most) return { what: "failures", failed, finished, most };
  if (rate !== null && finished >= RATE_FROM && failed > rate * finished) {
    return { what: "failure_rate", failed, finished, rate };
  }
  return budget !== null && tokens >= budget ? { what: "tokens", used: tokens, budget } : null;
}

/** Counts what this run does; one that is resumed starts from 0. */
export class LimitObserver implements Observer {
  /** The first limit that was reached. */
  reached: LimitReached | null = null;
  readonly #limits: Limits;
  readonly #tell: (limit: LimitReached) => void;
  #failed = 0;
  #finished = 0;
  #tokens = 0;
  #without = 0;

  /** @param tell called once, when the first limit is reached */
  constructor(limits: Limits, tell: (limit: LimitReached) => void) {
    this.#limits = limits;
    this.#tell = tell;
  }

  /** The tokens so far; undefined without a budget for them. */
  get tokens(): TokensUsed | undefined {
    const { tokens: budget } = this.#limits;
    return budget === null ? undefined : { used: this.#tokens, budget, without: this.#without };
  }

  on(event: RunEvent): void {
    if (event.kind === "settled") this.#settled(event);
    else if (event.kind === "runs_again") { // turned away in an outage: it has not failed after all
      this.#failed--;
      this.#finished--;
    }
  }

  #settled({ became, result }: Settled): void {
    this.#finished++;
    if (became === "failed") this.#failed++;
    if (result && this.#limits.tokens !== null) {
      const { prompt, completion } = usageOf(result);
      this.#tokens += (prompt ?? 0) + (completion ?? 0);
      if (prompt === null && completion === null) this.#without++;
    }
    if (this.reached) return;
    const counted = { failed: this.#failed, finished: this.#finished, tokens: this.#tokens };
    this.reached = limitReached(counted, this.#limits);
    if (this.reached) this.#tell(this.reached);
  }
}
