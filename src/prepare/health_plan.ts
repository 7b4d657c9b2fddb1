/** Whether and how finished rollouts are checked, from the configuration. */
import type { Config } from "../config/config.ts";
import { ignoredChecks } from "../health/ignored_checks.ts";
import type { HealthPlan } from "../plan/score_plan.ts";

/** How rollouts are checked, or null. @throws {UsageFault} naming checks that do not exist */
export function healthPlanOf(
  { disable_health_check, health_check_ignored_checks }: Pick<
    Config,
    "disable_health_check" | "health_check_ignored_checks"
  >,
): HealthPlan | null {
  const ignored = ignoredChecks(health_check_ignored_checks, "health_check_ignored_checks");
  return disable_health_check ? null : { ignored };
}
