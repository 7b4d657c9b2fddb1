/** The evidence for one rollout. */
import { isSuccessful } from "./calls.ts";
import { bind, type Bindings } from "./references.ts";
import { type CapturedCall, hasGap, type Trajectory } from "./trajectory.ts";
import type { Usage } from "./usage.ts";

/** What checks read, and when it is there. */
export const READS = {
  record: "the line, if it is a JSON object",
  turns: "the turns of a trajectory, if they were observed",
  calls: "the model calls, if they were captured without gaps and there is one",
  references: "references of turns and invocations to model calls, if calls were captured without gaps",
  owned_calls: "the model calls that turns or invocations refer to, if calls were captured without gaps",
  turn_calls: "the model calls that turns refer to, if calls were captured without gaps",
  repeats: "the verdicts of all rollouts of a task",
} as const;

/** The evidence that a check needs. */
export type Reads = keyof typeof READS;

/** Gaps that mean that not all model calls were captured. */
const CALLS_MISSING = [
  "model_calls_unavailable",
  "model_call_capture_incomplete",
  "model_call_capture_records_unreadable",
  "model_call_capture_unreadable",
];

/** Gaps in which the join of observations and captured calls reports a wrong reference, and how it is wrong. */
export const WRONG_REFERENCES: Readonly<Record<string, string>> = {
  model_call_reference_unmatched: "missing_captured_call",
  model_call_reference_ambiguous: "duplicated_captured_call",
  model_call_reference_conflict: "conflicting_call_ownership",
};

export class Evidence {
  readonly usage: Usage;
  /** The trajectory; null if there is none, or if building it failed. */
  readonly trajectory: Trajectory | null;
  /** The captured calls. */
  readonly calls: readonly CapturedCall[];
  /** The calls that turns, or turns and invocations, refer to. */
  readonly bindings: Bindings;
  /** Whether the turns' references cover all calls that the turns made. */
  readonly turnCallsKnown: boolean;

  /**
   * The evidence of one row.
   *
   * @param usage the result's own token counts
   * @param trajectory the row's, if it has a readable one
   */
  constructor(usage: Usage, trajectory: Trajectory | null) {
    this.usage = usage;
    const observed = trajectory && !hasGap(trajectory, "trajectory_projection_failed") ? trajectory : null;
    this.trajectory = observed;
    this.calls = observed?.model_calls ?? [];
    this.bindings = observed ? bind(observed) : NOTHING;
    this.turnCallsKnown = observed !== null && !hasGap(observed, "turn_model_call_scope_incomplete");
  }

  /** Whether the outcome of every call of the turns is known. */
  get callsObserved(): boolean {
    return this.turnCallsKnown && this.bindings.turns.isComplete;
  }

  /** Whether a call that a turn refers to succeeded. */
  get anySuccess(): boolean {
    return this.bindings.turns.calls.some(isSuccessful);
  }

  /** Whether a check's evidence is there. */
  has(what: Reads): boolean {
    const { trajectory, bindings: { owned, turns } } = this;
    if (what === "record") return true;
    if (!trajectory) return false;
    if (what === "turns") return !hasGap(trajectory, "turns_unavailable");
    if (hasGap(trajectory, ...CALLS_MISSING)) return false;
    switch (what) {
      case "calls":
        return this.calls.length > 0;
      case "references":
        return owned.references > 0 || hasGap(trajectory, ...Object.keys(WRONG_REFERENCES));
      case "owned_calls":
        return owned.calls.length > 0;
      case "turn_calls":
        return turns.calls.length > 0;
      default:
        return false;
    }
  }
}

const NOTHING = bind({
  task_id: "",
  rollout_id: "",
  invocations: [],
  turns: [],
  model_calls: [],
  gaps: [],
});
