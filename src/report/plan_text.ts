/** What a run would do, for people. */
import { basename, dirname } from "node:path";
import { accountOfFiles } from "../collect/accounting.ts";
import type { RunPlan } from "../plan/run_plan.ts";
import type { Standing } from "../resume/standing.ts";
import { indented, manyLines } from "./text.ts";
import { plural, whole } from "../kit/phrases.ts";

/** The text of `rollcall plan`; a resume knows where the rollouts stand. */
export function planText(plan: RunPlan, warnings: readonly string[], standing?: Standing): string {
  const { paths, routes, perRoute, permissions, dispatch } = plan;
  const most = dispatch.num_samples_in_parallel;
  if (plan.rollouts === 0) {
    const none = "The input has no rows: there is nothing to run.\n";
    return none + warnings.map((warning) => `\n${indented(`Warning: ${warning}`)}\n`).join("");
  }
  const lines = [
    (plan.rows === null ? "" : `${plural(plan.rows, "row")}, ${tasksOf(plan)}, `) +
    plural(plan.rollouts, "rollout") +
    (most === "auto"
      ? ", as many in flight as each server takes"
      : most === null
      ? ", all in flight at once"
      : `, up to ${whole(most)} in flight`),
    ...(standing ? [standingLine(standing)] : []),
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
    ...(plan.health ? [`  health report         ${paths.qualitySummary}`] : []),
    ...(plan.captures === null ? [] : [`  captured model calls  ${plan.captures}`]),
    ...(plan.resume ? [] : [`  of an earlier run     rollouts and sidecar are kept as ….old`]),
    ...(plan.captures === null ? [] : [`                        captures of rollouts that run are removed`]),
    "",
    "The collector may",
    ...labelled("connect to", permissions.net.length > 0 ? permissions.net : ["nothing"]),
    ...labelled("read and write", [
      `in ${paths.folder}:`,
      ...permissions.read.filter((path) => path !== plan.captures).map((path) =>
        dirname(path) === paths.folder ? `  ${basename(path)}` : `  ${path}`
      ),
    ]),
    ...(plan.captures === null
      ? []
      : labelled("only read", [`${plan.captures}, the captures of model calls`])),
    "  and nothing else: no other host, no other file, no environment, no programs",
  ];
  // A name of a server or a file with a line break in it must not look like a line of the plan.
  const shown = lines.map((line) => manyLines(line).join(" "));
  if (warnings.length) shown.push("", ...warnings.map((warning) => indented(`Warning: ${warning}`)));
  return shown.join("\n") + "\n";
}

function tasksOf({ tasks, selected }: RunPlan): string {
  const all = plural(tasks ?? 0, "task");
  return selected === undefined ? all : `${whole(selected)} of ${all}`;
}

/** Texts below each other, behind a label. */
function labelled(label: string, texts: readonly string[]): string[] {
  return texts.map((text, k) => `  ${(k === 0 ? label : "").padEnd(16)}${text}`);
}

function standingLine(standing: Standing): string {
  const { done, final, toRun } = accountOfFiles(standing);
  return `Of these ${whole(done)} done` +
    (final > 0 ? `, ${whole(final)} failed permanently or at the attempt limit` : "") +
    `, ${whole(toRun)} left${
      standing.leftFailed > 0 ? ` (${whole(standing.leftFailed)} of them failed before)` : ""
    }`;
}
