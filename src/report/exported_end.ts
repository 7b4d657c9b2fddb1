/** How a run ended, for a tracking server. */
import { accountOf, scoresOf } from "../collect/accounting.ts";
import type { Summary } from "../collect/tally.ts";
import type { ToExporter } from "../export/messages.ts";
import type { Standing } from "../resume/standing.ts";

/** What is told of the end. */
export type End = Omit<ToExporter & { readonly kind: "end" }, "kind" | "at">;

const STATUS: Readonly<Record<Summary["ending"], End["status"]>> = {
  complete: "FINISHED",
  drained: "FINISHED",
  token_budget: "FINISHED",
  too_many_failures: "FAILED",
  stopped: "KILLED",
  failed: "FAILED",
};

/** What a run's end is in Gym's words and series. */
export function exportedEnd(summary: Summary): End {
  const { expected } = accountOf(summary.tally), { scored, imputed } = scoresOf(summary);
  return {
    status: STATUS[summary.ending],
    hasMetrics: summary.metrics !== null,
    coverage: {
      "coverage/expected": expected,
      "coverage/scored": scored,
      "coverage/missing": expected - scored,
      ...(imputed > 0 ? { "coverage/imputed": imputed } : {}),
    },
  };
}

/** The same of a run that is known by its files. What is left undone has been stopped. */
export function standingEnd(
  { rollouts, done, left, leftFailed }: Standing,
  { hasMetrics }: Pick<End, "hasMetrics">,
): End {
  return {
    status: left > leftFailed ? "KILLED" : "FINISHED",
    hasMetrics,
    coverage: {
      "coverage/expected": rollouts,
      "coverage/scored": done,
      "coverage/missing": rollouts - done,
    },
  };
}
