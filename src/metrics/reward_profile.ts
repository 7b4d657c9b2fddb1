/**
 * The files that Gym's `eval profile` writes: one line a task, what the agents' rollouts look like, and how repeats differ.
 * Names, rules and refusals are Gym's; medians and quartiles of very many values are within half a percent.
 */
import { FieldNames } from "../json/field_names.ts";
import type { FinishedRuns } from "../shards/finished_runs.ts";
import { labelsOf } from "./labels.ts";
import { Measure } from "./measure.ts";
import { AgentFold, Coverage } from "./reward_agents.ts";
import { BREATH, check, type Checked, type Completion, pairsOf, type Runner } from "./reward_pairs.ts";

export class RewardProfile {
  readonly completion: Completion;
  readonly #runs: FinishedRuns;
  readonly #breathe: () => Promise<void>;
  readonly #runners: readonly Runner[];
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #labels: readonly string[];
  /** Whether some task is run by several. */
  readonly #perAgent: boolean;

  private constructor(
    runs: FinishedRuns,
    breathe: () => Promise<void>,
    { runners, numbers, completion, perAgent }: Checked,
  ) {
    this.#runs = runs;
    this.#breathe = breathe;
    this.#runners = runners;
    this.#numbers = numbers;
    this.#labels = labelsOf(runners);
    this.#perAgent = perAgent;
    this.completion = completion;
  }

  /**
   * Holds the results against the materialized inputs.
   *
   * @param runs one rollouts file and its materialized inputs
   * @param partial whether rollouts may be missing
   * @throws {UsageFault} when there are two lines of one rollout, results that were not planned, or rollouts are missing
   */
  static async of(
    runs: FinishedRuns,
    { partial, breathe }: { readonly partial: boolean; readonly breathe: () => Promise<void> },
  ): Promise<RewardProfile> {
    return new RewardProfile(runs, breathe, await check(runs, partial, breathe));
  }

  /**
   * @param task is given each task's line, without its line break, in order
   * @returns the content of the two other files
   */
  async tell(
    task: (json: string) => void,
  ): Promise<{ readonly agents: readonly unknown[]; readonly repeats: readonly unknown[] }> {
    const names = new FieldNames(), measure = new Measure(names), coverage = new Coverage();
    const agents = this.#runners.map((_, k) => new AgentFold(names, this.#labels[k]!, this.#perAgent));
    const inOrder = [...agents.keys()].sort((a, b) => compare(agents[a]!.label, agents[b]!.label));
    let current = NaN, seen = 0;
    const close = () => {
      for (const k of inOrder) {
        const json = agents[k]!.closeTask();
        if (json !== undefined) task(json);
      }
      coverage.closeTask();
    };
    for (const { input, result, runner, masked } of pairsOf(this.#runs, this.#numbers)) {
      if (++seen % BREATH === 0) await this.#breathe();
      if (input.task !== current) close();
      current = input.task;
      const agent = agents[runner]!;
      agent.expect(input.task, masked);
      if (result) coverage.add(this.#runners[runner]!.agent, masked);
      if (!result || masked) continue;
      agent.add(input.rollout, measure, this.#runs.row(result));
      if (agent.needsSample) agent.sample(this.#runs.row(input));
    }
    close();
    const told = coverage.byAgent(), entries: Record<string, unknown>[] = [];
    for (const agent of inOrder.map((k) => agents[k]!)) {
      const metrics = agent.metrics();
      if (!metrics) continue;
      entries.push({ ...metrics, ...told.get(agent.label) });
      told.delete(agent.label);
    }
    return {
      // One whose every result is masked has nothing but that to tell.
      agents: [...entries, ...[...told].map(([name, counts]) => ({ agent_ref: { name }, ...counts }))],
      repeats: inOrder.flatMap((k) => [...agents[k]!.repeats()]),
    };
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
