/** Checks of a line itself rather than of its trajectory, made where lines are read and compared. */
import type { CheckInfo, Finding } from "./check.ts";

/** A check that crashed. */
export const checkExecutionError: CheckInfo = {
  id: "check_execution_error",
  reads: "record",
  finds: "a check that failed itself",
  advice: "A fault of rollcall's own, whose stack is on the terminal: please report it. The rollout may " +
    "be right; the other checks of it count.",
};

/** A line that is not a JSON object, or whose trajectory is not one. */
export const recordUnreadable: CheckInfo = {
  id: "record_unreadable",
  reads: "record",
  finds: "a line that is not a JSON object, or a trajectory without Gym's shape",
  advice: "The line was damaged or edited, or its ng_trajectory was not written by Gym or rollcall. " +
    "Find the line by its number, and run the rollout again where it is lost.",
};

/** A line of a rollout that has more than one. */
export const rolloutDuplicateIdentity: CheckInfo = {
  id: "rollout_duplicate_identity",
  reads: "record",
  finds: "several lines of the same task, rollout and stage",
  advice: "Two runs wrote the same rollout, or files were merged twice. Metrics count the first line; " +
    "keep one of them.",
};

/** A check threw. */
export function executionError(check: string, error: unknown): Finding {
  const name = error instanceof Error ? error.name : typeof error;
  return {
    check: checkExecutionError.id,
    detail: { reason: "the check itself failed", failed_check: check, error: name },
  };
}

/** A line is not JSON (`JSONDecodeError`), or not a JSON object (`ValueError`), as Gym calls them. */
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
    detail: { reason: `ng_trajectory is malformed: ${why}`, error: "ValidationError" },
  };
}

/** The finding for a rollout with this many lines. */
export function duplicate(count: number): Finding {
  return { check: rolloutDuplicateIdentity.id, detail: { duplicate_count: count } };
}
