import type { TaskCheck } from "./check.ts";

/** Tasks whose model never answered. */
export const taskNoSuccessfulModelCalls: TaskCheck = {
  id: "task_no_successful_model_calls",
  reads: "repeats",
  finds: "a task of which no turn's model call succeeded, in any rollout",
  flags: ({ callsObserved, anySuccess }) => callsObserved ? !anySuccess : undefined,
};
