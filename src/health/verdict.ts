/** The verdict on a rollout. */

/** `unobserved` when nothing was found, but some check lacked its evidence. */
export type Verdict = "healthy" | "unhealthy" | "unobserved";

/** A finding outweighs missing evidence. */
export function verdictOf(found: boolean, lacksEvidence: boolean): Verdict {
  return found ? "unhealthy" : lacksEvidence ? "unobserved" : "healthy";
}
