/** What a check is. There is one check per file; `checks.ts` lists them. */
import type { Evidence, Reads } from "./evidence.ts";
import type { Verdict } from "./verdict.ts";

/** Something that a check found. */
export interface Found {
  /** Where in the rollout; absent for the rollout as a whole. */
  readonly locator?: Readonly<Record<string, string | number>>;
  /** What. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** The same with the check that found it, as in the report. */
export interface Finding extends Found {
  /** The id of the check. */
  readonly check: string;
}

/** Describes a check. */
export interface CheckInfo {
  /** Its name, in reports and for ignoring it. */
  readonly id: string;
  readonly reads: Reads;
  /** What it finds, in a few words. */
  readonly finds: string;
  /** What that means mostly, and what to do. */
  readonly advice: string;
}

/** A check of one rollout's trajectory. */
export interface RolloutCheck extends CheckInfo {
  readonly reads: Exclude<Reads, "record" | "repeats">;
  /** What it finds; `undefined` when the evidence is insufficient after all. */
  find(evidence: Evidence): Found[] | undefined;
}

/** The rollouts of one task, copies and stages of a rollout counted as one. */
export interface TaskRepeats {
  /** How many. */
  readonly repeats: number;
  /** By verdict; a rollout whose copies or stages disagree is unobserved. */
  readonly verdicts: Readonly<Record<Verdict, number>>;
  /** Whether the model calls of their turns are known for all of them. */
  readonly callsObserved: boolean;
  /** Whether one of these calls succeeded. */
  readonly anySuccess: boolean;
}

/** A check of a task over its repeats. */
export interface TaskCheck extends CheckInfo {
  readonly reads: "repeats";
  /** Whether it flags the task; `undefined` when the evidence is insufficient. */
  flags(task: TaskRepeats): boolean | undefined;
}
