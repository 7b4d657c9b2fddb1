/** Notes for the user about rollouts that were scored. */
import { list } from "../kit/fault.ts";
import { plural } from "../kit/phrases.ts";
import type { Counting } from "../plan/score_plan.ts";
import type { Scorers } from "../plan/scorers.ts";
import type { FinishedRuns } from "../shards/finished_runs.ts";
import type { Counted, Survey } from "./survey.ts";
import type { Answered } from "./write_metrics.ts";

export function notesOf(
  { shards, hasInputs }: FinishedRuns,
  counting: Counting,
  { nameless, duplicates, shared, unplanned, unclaimed }: Survey,
): string[] {
  const notes: string[] = [];
  const without = shards.filter((_, shard) => !hasInputs[shard]).map(({ inputs }) => inputs);
  if (counting.missing && without.length > 0) {
    notes.push(
      `Rollouts without a row cannot be counted without the materialized inputs; these are missing:` +
        list(without),
    );
  }
  if (nameless > 0) {
    notes.push(
      `${
        plural(nameless, "rollout")
      } in the materialized inputs without an agent or environment server: not counted.`,
    );
  }
  if (unclaimed > 0) {
    notes.push(`${plural(unclaimed, "row")} without an environment server or agent: not scored.`);
  }
  const listed = ({ count, first }: Counted) =>
    list(
      first.map(({ task, rollout, shard }) =>
        `rollout ${task}-${rollout}, again in ${shards[shard]!.rollouts}`
      ),
      count,
    );
  if (unplanned.count > 0) {
    notes.push(
      `${plural(unplanned.count, "row")} not in the materialized inputs: not scored ` +
        `(--score-unplanned scores them):` +
        list(
          unplanned.first.map(({ task, rollout, shard }) =>
            `rollout ${task}-${rollout} in ${shards[shard]!.rollouts}`
          ),
          unplanned.count,
        ),
    );
  }
  if (duplicates.count > 0) {
    notes.push(
      `${
        plural(duplicates.count, "row")
      } of rollouts that the same file already has; only the first is scored:` +
        listed(duplicates),
    );
  }
  if (shared.count > 0) {
    notes.push(
      `${
        plural(shared.count, "row")
      } with the task and rollout number of a row in another shard: scored all the same. ` +
        `Every run numbers its tasks from 0: shards of one task set need rows with a _ng_task_index of their own, ` +
        `or different tasks look like one:` + listed(shared),
    );
  }
  return notes;
}

/** Which groups' metrics rollcall computed, and why. */
export function standIns(
  answered: readonly Answered[],
  scorers: Scorers | null,
): string[] {
  const names = answered.filter(({ answer }) => !answer).map(({ scoring }) => scoring.server);
  if (names.length === 0) return [];
  const why = scorers ? `${names.join(", ")} answered 404 to /aggregate_metrics` : "No server was asked";
  return [
    `${why}: rollcall computed the metrics as Gym's servers do by default (95 % intervals by Student's t). ` +
    `A benchmark's own metrics are not included.`,
  ];
}
