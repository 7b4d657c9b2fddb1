/** Which checks the user wants to skip. */
import { list, UsageFault } from "../kit/fault.ts";
import { suggestion } from "../kit/nearest.ts";
import { ROLLOUT_CHECKS, TASK_CHECKS } from "./checks.ts";

/**
 * The ids of the checks to skip, each once, in alphabetical order.
 *
 * @param givenBy where they were given, for the error
 * @throws {UsageFault} naming those that do not exist
 */
export function ignoredChecks(ids: readonly string[], givenBy: string): string[] {
  const names = [...ROLLOUT_CHECKS, ...TASK_CHECKS].map(({ id }) => id);
  const ignored = [...new Set(ids.map((id) => id.trim()).filter((id) => id !== ""))];
  const unknown = ignored.filter((id) => !names.includes(id));
  if (unknown.length === 0) return ignored.sort();
  throw new UsageFault(
    `Unknown health checks (${givenBy}):${list(unknown.map((id) => `${id}${suggestion(id, names)}`))}\n` +
      `The checks are ${names.join(", ")}.`,
  );
}
