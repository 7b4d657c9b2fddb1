/** The row that represents a rollout in the metrics: its result, or what counts instead. */
import { KEYS } from "../record/keys.ts";
import { edit, join, toJson } from "../json/edit.ts";
import { type JsonObject, readObject } from "../json/object.ts";
import type { Rollout } from "../shards/fates.ts";
import { isBookkeeping } from "../json/field_names.ts";
import type { FinishedRuns } from "../shards/finished_runs.ts";

const ZERO = new TextEncoder().encode("0.0"), NULL = toJson(null), FALSE = toJson(false);
/** Members of an input that are not fields of the task. */
const NO_FIELDS = new Set([KEYS.params, "response"]);

/**
 * The row of a rollout that is scored, counted or imputed. Valid until the next call.
 *
 * A failure counts without its failure keys, with `mask_sample` false, and with a reward of 0.0 unless it has one; a
 * rollout that left nothing counts as its identity with a reward of 0.0. Both get those fields of their task, from its
 * row in the materialized inputs, that real results of their group have too: the metrics read a task's fields from its
 * first row, and would treat a field that no result has as a metric.
 *
 * @param fields names of the members that results of the rollout's group have
 */
export function scoredRow(
  { fate, line, input }: Rollout,
  runs: FinishedRuns,
  fields: ReadonlySet<string>,
): JsonObject {
  const row = runs.row(line);
  if (fate === "scored") return row;
  const counted = fate === "counted" ? ofFailure(row) : ofInput(row);
  if (!input) return counted;
  const source = runs.row(input), set = new Map<string, Uint8Array>();
  for (const name of source.names()) {
    if (fields.has(name) && !isBookkeeping(name) && !NO_FIELDS.has(name) && !counted.has(name)) {
      set.set(name, source.raw(name)!);
    }
  }
  return set.size === 0 ? counted : readObject(join(edit(counted, { set })));
}

function ofFailure(row: JsonObject): JsonObject {
  const drop = new Set(
    row.names().filter((name) =>
      name.startsWith("_ng_failure_") || name === "failure_kind" || name === KEYS.failureReason
    ),
  );
  const set = new Map<string, Uint8Array>([[KEYS.mask, FALSE]]);
  if (!row.has(KEYS.reward)) set.set(KEYS.reward, ZERO);
  return readObject(join(edit(row, { drop, set })));
}

function ofInput(row: JsonObject): JsonObject {
  const set = new Map<string, Uint8Array>([
    [KEYS.task, row.raw(KEYS.task)!],
    [KEYS.rollout, row.raw(KEYS.rollout)!],
    [KEYS.agent, row.raw(KEYS.agent) ?? NULL],
    [KEYS.reward, ZERO],
  ]);
  const stamp = row.raw(KEYS.server);
  if (stamp) set.set(KEYS.server, stamp);
  return readObject(join(edit(readObject(toJson({})), { set })));
}
