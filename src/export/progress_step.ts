/** A run's progress as Gym's collector exports it: at 1, 2, … 99, 99.5 and 100 percent, under the percentage as step. */
import type { Exported } from "./values.ts";

/** How one agent does, as far as it is exported. Rewards from 0 to 1, as the servers give them. */
export interface AgentProgress {
  /** Its label. */
  readonly name: string;
  /** Rollouts that the run has to run there, and those that are over. */
  readonly owed: number;
  readonly finished: number;
  /** Results that have a reward, and the mean of it. */
  readonly scored: number;
  readonly reward: number;
  /** Percent of the written results that are masked; absent when none is. */
  readonly maskedPct?: number;
  /** The mean reward of those that are not; only there when something is masked, failed or omitted. */
  readonly rewardUnmasked?: number;
  /** How many failed, or asked not to be kept; absent when none. */
  readonly failed?: number;
  readonly omitted?: number;
}

/** What is exported at a step. */
export interface Step {
  /** The whole percents that are done. */
  readonly step: number;
  readonly metrics: Exported;
}

/** Tells at which finished rollouts there is a step. */
export class StepCounter {
  readonly #owed: number;
  /** The next percentage that makes a step. */
  #next = 1;

  constructor(owed: number) {
    this.#owed = owed;
  }

  /** The step that `finished` rollouts make, or undefined. */
  at(finished: number): number | undefined {
    const percent = 100 * finished / this.#owed;
    if (percent < this.#next) return undefined;
    while (this.#next <= 100 && percent >= this.#next) {
      this.#next = this.#next < 99 ? this.#next + 1 : this.#next + 0.5;
    }
    if (this.#next > 100) this.#next = Infinity;
    return Math.floor(percent);
  }
}

/** The numbers of a step. */
export function stepMetrics(agents: readonly AgentProgress[], finished: number, elapsedS: number): Exported {
  const metrics: Record<string, number> = {
    "progress/total/rollouts_per_min": elapsedS > 0 ? finished * 60 / elapsedS : 0,
  };
  for (const agent of agents) {
    const under = `progress/${agent.name}/`, { scored, reward, owed } = agent;
    if (scored > 0) {
      metrics[`${under}reward`] = percents(reward);
      metrics[`${under}reward_lower_bound`] = percents(reward * scored / (owed - agent.finished + scored));
    }
    if (agent.maskedPct !== undefined) metrics[`${under}masked_pct`] = percents(agent.maskedPct / 100);
    if (agent.rewardUnmasked !== undefined) {
      metrics[`${under}reward_unmasked`] = percents(agent.rewardUnmasked);
    }
    if (agent.failed !== undefined) metrics[`${under}failed`] = agent.failed;
    if (agent.omitted !== undefined) metrics[`${under}omitted`] = agent.omitted;
  }
  return metrics;
}

/** A share in percent with two decimals; what lies exactly between two goes to the even one, as in Python. */
function percents(share: number): number {
  const percent = 100 * share, hundredths = 100 * percent;
  // Only eighths can lie exactly between two hundredths.
  const isTie = Number.isInteger(8 * percent) && !Number.isInteger(4 * percent);
  if (!isTie) return Number(percent.toFixed(2));
  const below = Math.floor(hundredths);
  return (below % 2 === 0 ? below : below + 1) / 100;
}
