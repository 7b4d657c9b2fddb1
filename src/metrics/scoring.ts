/** A group about to be scored: its label in the metrics file, and its rollouts, read again each time. */
import type { JsonObject } from "../json/object.ts";
import type { Counting } from "../plan/score_plan.ts";
import type { FinishedRuns } from "../shards/finished_runs.ts";
import { isScored, type Rollout } from "../shards/fates.ts";
import { labelsOf } from "./labels.ts";
import type { OwnInput } from "./offline_metrics.ts";
import { scoredRow } from "./scored_row.ts";
import type { Surveyed } from "./survey.ts";

export interface Scoring extends Surveyed {
  readonly label: string;
  /** What is scored; a row is only valid until the next one. */
  readonly rowsInOrder: () => Iterable<JsonObject>;
  /** The same, including missing rollouts. */
  readonly rollouts: () => Iterable<OwnInput>;
}

export function scoringsOf(
  groups: readonly Surveyed[],
  runs: FinishedRuns,
  counting: Counting,
): Scoring[] {
  const labels = labelsOf(groups.map(({ server, route, first }) => ({
    server,
    agent: runs.agentOf(runs.row(first)) ?? route?.agent,
  })));
  return groups.map((group, k) => {
    const fields = runs.fieldsOf(group.number);
    const row = (rollout: Rollout) => scoredRow(rollout, runs, fields);
    const ofGroup = function* () {
      for (const rollout of runs.rollouts(counting)) if (rollout.group === group.number) yield rollout;
    };
    return {
      ...group,
      label: labels[k]!,
      *rowsInOrder() {
        for (const rollout of ofGroup()) if (isScored(rollout)) yield row(rollout);
      },
      *rollouts() {
        for (const rollout of ofGroup()) {
          if (rollout.fate === "duplicate" || rollout.fate === "unplanned") continue;
          const { line } = rollout;
          yield {
            task: line.task,
            rollout: line.rollout,
            ...(isScored(rollout) ? { row: row(rollout) } : {}),
          };
        }
      },
    };
  });
}
