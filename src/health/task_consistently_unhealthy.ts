import type { TaskCheck } from "./check.ts";

/** Tasks without a healthy rollout. */
export const taskConsistentlyUnhealthy: TaskCheck = {
  id: "task_consistently_unhealthy",
  reads: "repeats",
  finds: "a task with two or more observed rollouts, all of them unhealthy",
  flags: ({ verdicts: { healthy, unhealthy } }) => healthy + unhealthy < 2 ? undefined : healthy === 0,
};
