/** What a check is. One check a file; `checks.ts` lists them. */
import type { Evidence, Reads } from "./evidence.ts";
import type { Verdict } from "./verdict.ts";

/** Something that a check found. */
export interface Found {
  /** Where in the rollout; left out where it is the rollout as a whole. */
  readonly locator?: Readonly<Record<string, string | number>>;
  /** What. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** The same with the check that found it, as it stands in the report. */
export interface Finding extends Found {
  /** The id of the check. */
  readonly check: string;
}

/** What there is to say of a check. */
export interface CheckInfo {
  /** Its name, in reports and for ignoring it. */
  readonly id: string;
  readonly reads: Reads;
  /** What it finds, in a few words. */
  readonly finds: string;
}

/** A check of one rollout's trajectory. */
export interface RolloutCheck extends CheckInfo {
  readonly reads: Exclude<Reads, "record" | "repeats">;
  /** What it finds; `undefined` when the evidence does not suffice after all. */
  find(evidence: Evidence): Found[] | undefined;
}

/** The rollouts of one task, copies and stages of a rollout counted as one. */
export interface TaskRepeats {
  /** How many. */
  readonly repeats: number;
  /** By verdict; a rollout whose copies or stages differ is unobserved. */
  readonly verdicts: Readonly<Record<Verdict, number>>;
  /** Whether of all of them it is known which model calls the turns made. */
  readonly callsObserved: boolean;
  /** Whether one of these calls succeeded. */
  readonly anySuccess: boolean;
}

/** A check of a task over its repeats. */
export interface TaskCheck extends CheckInfo {
  readonly reads: "repeats";
  /** Whether it flags the task; `undefined` when the evidence does not suffice. */
  flags(task: TaskRepeats): boolean | undefined;
}
