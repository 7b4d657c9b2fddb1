import type { TaskCheck } from "./check.ts";

/** Tasks without a single successful model call. */
export const taskNoSuccessfulModelCalls: TaskCheck = {
  id: "task_no_successful_model_calls",
  reads: "repeats",
  finds: "a task of which no turn's model call succeeded, in any rollout",
  advice: "No turn of the task ever got an answer of a model: look at its request (too long, refused) " +
    "and at the model server.",
  flags: ({ callsObserved, anySuccess }) => callsObserved ? !anySuccess : undefined,
};
