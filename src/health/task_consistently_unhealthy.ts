import type { TaskCheck } from "./check.ts";

/** Tasks without a healthy rollout. */
export const taskConsistentlyUnhealthy: TaskCheck = {
  id: "task_consistently_unhealthy",
  reads: "repeats",
  finds: "a task with two or more observed rollouts, all of them unhealthy",
  advice: "Something is wrong with the task or its environment rather than with a rollout. Look at one " +
    "of its rollouts, and leave the task out of the score until it is mended.",
  flags: ({ verdicts: { healthy, unhealthy } }) => healthy + unhealthy < 2 ? undefined : healthy === 0,
};
