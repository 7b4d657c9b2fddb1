/** From what was found to what is said of a rollout. */
import type { Verdict } from "./check.ts";

/** What is found weighs more than what could not be looked at. */
export function verdictOf(found: boolean, lacksEvidence: boolean): Verdict {
  return found ? "unhealthy" : lacksEvidence ? "unobserved" : "healthy";
}
