/** Makes the steps of a run's progress that exporters get. */
import type { Observer, RunEvent } from "../events/run_event.ts";
import { type Step, StepCounter, stepMetrics } from "../export/progress_step.ts";
import type { Clock } from "../ports/clock.ts";
import type { LiveMeans } from "./live_means.ts";

/** What the steps are made of. */
export interface StepsOptions {
  /** Rollouts that the run has to run. */
  readonly owed: number;
  readonly clock: Clock;
  /** How it looks so many seconds after the start. */
  readonly means: (elapsedS: number) => readonly LiveMeans[];
  readonly step: (step: Step) => void;
}

/** Must come after whoever makes the means. */
export class StepsObserver implements Observer {
  readonly #options: StepsOptions;
  readonly #counter: StepCounter;
  readonly #startedAt: number;
  #finished = 0;

  constructor(options: StepsOptions) {
    this.#options = options;
    this.#counter = new StepCounter(options.owed);
    this.#startedAt = options.clock.now();
  }

  on({ kind }: RunEvent): void {
    if (kind === "runs_again") this.#finished--;
    if (kind !== "settled") return;
    const step = this.#counter.at(++this.#finished);
    if (step === undefined) return;
    const { clock, means } = this.#options, elapsedS = (clock.now() - this.#startedAt) / 1000;
    const agents = means(elapsedS).map((live) => ({ ...live, reward: live.means.reward ?? 0 }));
    this.#options.step({ step, metrics: stepMetrics(agents, this.#finished, elapsedS) });
  }
}
