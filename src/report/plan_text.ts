/** What a run would do, for people. */
import type { RunPlan } from "../plan/plan.ts";
import { plural } from "./words.ts";

/** The text of `rollcall plan`. */
export function planText(plan: RunPlan, warnings: readonly string[]): string {
  const { paths, routes, perRoute, permissions, dispatch } = plan;
  const lines = [
    `${plural(plan.rows, "row")}, ${plural(plan.tasks, "task")}, ${plural(plan.rollouts, "rollout")}` +
    (dispatch.num_samples_in_parallel === null
      ? ", all in flight at once"
      : `, ${dispatch.num_samples_in_parallel} in flight`),
    "",
    "Routes",
    ...routes.map((route, k) =>
      `  ${plural(perRoute[k]!, "rollout")} to ${route.server} (POST ${route.url}/run)`
    ),
    "",
    "Files",
    `  rollouts              ${paths.rollouts}`,
    `  failures sidecar      ${paths.failures}`,
    `  materialized inputs   ${paths.inputs}`,
    ...(plan.aggregate ? [`  aggregate metrics     ${paths.metrics}`] : []),
    ...(plan.fresh ? [`  an earlier run's rollouts and sidecar are kept as ….old`] : []),
    "",
    "The collector may",
    `  connect to  ${permissions.net.join(", ") || "nothing"}`,
    ...permissions.read.map((path, k) => `  ${k ? "        " : "read and write"}`.padEnd(16) + path),
    `  and nothing else: no other host, no other file, no environment, no programs`,
  ];
  if (warnings.length) lines.push("", ...warnings.map((warning) => `Warning: ${warning}`));
  return lines.join("\n") + "\n";
}
