/** What a user should know about rollouts that were scored. */
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
      `Rollouts that left no row cannot be counted where nobody knows what was owed; these are missing:` +
        list(without),
    );
  }
  if (nameless > 0) {
    notes.push(
      `${nameless} rollouts of the materialized inputs name neither an agent nor an environment server ` +
        `and are not counted.`,
    );
  }
  if (unclaimed > 0) {
    notes.push(`${unclaimed} rows name neither an environment server nor an agent and are not scored.`);
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
      `${plural(unplanned.count, "row")} not in the materialized inputs, and so not scored ` +
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
      `${duplicates.count} rows are of rollouts that the same file has already; only the first of each is scored:` +
        listed(duplicates),
    );
  }
  if (shared.count > 0) {
    notes.push(
      `${shared.count} rows have the task and rollout number of a row in another shard, and are scored all the same. ` +
        `Every run numbers its tasks from 0: shards of one task set need rows with a _ng_task_index of their own, ` +
        `or different tasks are taken for one:` + listed(shared),
    );
  }
  return notes;
}

/** Says whose metrics rollcall computed, and why. */
export function standIns(
  answered: readonly Answered[],
  scorers: Scorers | null,
): string[] {
  const names = answered.filter(({ answer }) => !answer).map(({ scoring }) => scoring.server);
  if (names.length === 0) return [];
  const why = scorers ? `${names.join(", ")} answered 404 to /aggregate_metrics` : "No server was asked";
  return [
    `${why}: rollcall computed the metrics as Gym's servers do by default (95 % intervals by Student's t). ` +
    `A benchmark's own metrics are not among them.`,
  ];
}
