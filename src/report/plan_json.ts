/** What a run would do, as one JSON object for programs. */
import { withoutSecrets } from "../kit/secrets.ts";
import type { RunPlan } from "../plan/run_plan.ts";
import type { Standing } from "../resume/standing.ts";
import { classesJson } from "./summary_json.ts";
import { printableJson } from "./text.ts";

/** What goes with a plan. */
export interface PlanTold {
  readonly warnings: readonly string[];
  readonly notes?: readonly string[];
  /** Where the rollouts stand, on a resume. */
  readonly standing?: Standing | undefined;
}

/**
 * The plan as one line of JSON: `planSchema` of schemas.ts says what it holds. Users and passwords in addresses are
 * masked, and certificates are only counted.
 */
export function planJson(plan: RunPlan, { warnings, notes = [], standing }: PlanTold): string {
  const { rows, tasks, rollouts, routes, perRoute, paths, permissions, dispatch, resume, counting } = plan;
  const told = {
    rows,
    tasks,
    selected_tasks: plan.selected ?? null,
    rollouts,
    routes: routes.map(({ server, agent, url }, k) => ({
      server,
      agent: agent ?? null,
      url,
      rollouts: perRoute[k]!,
    })),
    files: {
      rollouts: paths.rollouts,
      failures: paths.failures,
      materialized_inputs: paths.inputs,
      quarantine: paths.quarantine,
      manifest: paths.manifest,
      ...(plan.aggregate ? { aggregate_metrics: paths.metrics } : {}),
      ...(plan.health ? { quality_summary: paths.qualitySummary, rollout_verdicts: paths.verdicts } : {}),
    },
    permissions,
    model_call_capture_dir: plan.captures,
    dispatch,
    authorities: plan.authorities.length,
    attempts_cap: plan.attempts,
    aggregate: plan.aggregate,
    count_failure_classes_as_zero: counting.classes,
    count_missing_rollouts_as_zero: counting.missing,
    score_unplanned: counting.unplanned,
    require_complete: plan.requireComplete,
    ignored_checks: plan.health?.ignored ?? null,
    resume: resume && {
      retry_terminal_timeouts: resume.retryTerminalTimeouts,
      retry_exhausted: resume.retryExhausted,
      retry_failures: resume.retryFailures,
      retry_invalid_judge: resume.retryInvalidJudge,
      extends: resume.extends ?? false,
    },
    standing: standing ? standingJson(standing) : null,
    warnings,
    notes,
  };
  return printableJson(
    told,
    (_, value) => typeof value === "string" ? withoutSecrets(value) : value,
  );
}

function standingJson({ done, terminal, atCap, left, leftFailed, attempts, failed }: Standing) {
  return {
    done,
    terminal,
    at_cap: atCap,
    left,
    failed_before: leftFailed,
    attempts,
    ...classesJson(failed, "failed"),
  };
}
