/** A comparison of runs, as data for its text, JSON and Markdown. */
import type { AgentComparison, GateResult } from "../results/compare.ts";
import type { Difference } from "../results/manifest_difference.ts";

/** One run. */
export interface ComparedRun {
  /** As it was named. */
  readonly name: string;
  readonly files: readonly string[];
  readonly tasks: number;
  readonly rollouts: number;
}

export interface ComparedCandidate {
  readonly run: ComparedRun;
  readonly agents: readonly AgentComparison[];
  readonly gates: readonly GateResult[];
  /** Null where a run has no manifest. */
  readonly differences: readonly Difference[] | null;
}

export interface Comparison {
  readonly base: ComparedRun;
  readonly candidates: readonly ComparedCandidate[];
  /** Of the intervals. */
  readonly level: number;
  readonly passAt: number | undefined;
  readonly seed: number;
  readonly notes: readonly string[];
}
