/** Which rollouts of a task passed. */

/** How many of `n` rewards are passes; undefined where that is not said. */
export interface Passes {
  readonly n: number;
  readonly passed: number;
}

/**
 * A reward passes when it is `passAt` or more. Without that a task must have no rewards but 0 and 1; of others it is
 * unknown what a pass is.
 *
 * @returns undefined for unknown, and for a task without rewards
 */
export function passesOf(rewards: readonly number[], passAt: number | undefined): Passes | undefined {
  if (rewards.length === 0) return undefined;
  let passed = 0;
  for (const reward of rewards) {
    if (passAt !== undefined) {
      if (reward >= passAt) passed++;
    } else if (reward === 1) passed++;
    else if (reward !== 0) return undefined;
  }
  return { n: rewards.length, passed };
}
