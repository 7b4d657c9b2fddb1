/** The checks of what a line is rather than of what its trajectory says, found where lines are read and compared. */
import type { CheckInfo, Finding } from "./check.ts";

/** A check that failed itself. */
export const checkExecutionError: CheckInfo = {
  id: "check_execution_error",
  reads: "record",
  finds: "a check that failed itself",
};

/** A line that is not a JSON object, or whose trajectory is not one. */
export const recordUnreadable: CheckInfo = {
  id: "record_unreadable",
  reads: "record",
  finds: "a line that is not a JSON object, or a trajectory without Gym's shape",
};

/** A line of a rollout that has others. */
export const rolloutDuplicateIdentity: CheckInfo = {
  id: "rollout_duplicate_identity",
  reads: "record",
  finds: "several lines of the same task, rollout and stage",
};

/** A check threw. */
export function executionError(check: string, error: unknown): Finding {
  const name = error instanceof Error ? error.name : typeof error;
  return {
    check: checkExecutionError.id,
    detail: { reason: "the check itself failed", failed_check: check, error: name },
  };
}

/** A line is not JSON (`JSONDecodeError`), or JSON of another kind than an object (`ValueError`), as Gym calls them. */
export function unreadableLine(file: string, line: number, isJson: boolean): Finding {
  return {
    check: recordUnreadable.id,
    locator: { source_file: file, line },
    detail: {
      reason: isJson ? "the line is JSON, but not an object" : "the line is not JSON",
      error: isJson ? "ValueError" : "JSONDecodeError",
    },
  };
}

/** The trajectory of a row cannot be read. */
export function unreadableTrajectory(why: string): Finding {
  return {
    check: recordUnreadable.id,
    detail: { reason: `ng_trajectory does not have its shape: ${why}`, error: "ValidationError" },
  };
}

/** There are so many lines of this rollout. */
export function duplicate(count: number): Finding {
  return { check: rolloutDuplicateIdentity.id, detail: { duplicate_count: count } };
}
