/** What is said of a rollout. */

/** What a rollout is said to be: `unobserved` when nothing was found, but some check lacked its evidence. */
export type Verdict = "healthy" | "unhealthy" | "unobserved";

/** What is found weighs more than what could not be looked at. */
export function verdictOf(found: boolean, lacksEvidence: boolean): Verdict {
  return found ? "unhealthy" : lacksEvidence ? "unobserved" : "healthy";
}
