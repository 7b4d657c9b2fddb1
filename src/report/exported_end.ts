/** How a run ended, for a tracking server. */
import { accountOf, scoresOf } from "../collect/accounting.ts";
import type { Summary } from "../collect/tally.ts";
import type { ToExporter } from "../export/messages.ts";

type End = Omit<ToExporter & { readonly kind: "end" }, "kind" | "at">;

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
