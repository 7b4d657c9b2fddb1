/** One pass over all rollouts that decides who scores how many of them and what is missing. Reads no rows. */
import { list, LISTED, UsageFault } from "../kit/fault.ts";
import { plural } from "../kit/phrases.ts";
import type { Counting } from "../plan/score_plan.ts";
import type { FinishedRuns } from "../shards/finished_runs.ts";
import { isScored } from "../shards/fates.ts";
import type { Group } from "../shards/group_book.ts";
import type { LineRecord } from "../shards/records.ts";
import { type Coverage, CoverageFold } from "./coverage.ts";

/** Rollouts between two calls of `breathe`. */
const BREATH = 1 << 17;

/** A group with something to score. */
export interface Surveyed extends Group {
  /** Its number among all groups. */
  readonly number: number;
  /** How many rows are scored. */
  rows: number;
  /** What its first row is made from. */
  readonly first: LineRecord;
}

/** Lines of one kind: how many, and the first few. */
export interface Counted {
  count: number;
  readonly first: LineRecord[];
}

export interface Survey {
  /** By their first rollout. */
  readonly groups: readonly Surveyed[];
  readonly coverage: Coverage;
  /** Rollouts that would count but that nothing would score. */
  readonly nameless: number;
  /** Further rows of a rollout in the same shard. */
  readonly duplicates: Counted;
  /** Rows with the numbers of one in another shard. */
  readonly shared: Counted;
  /** Rows that are not in the materialized inputs next to them. */
  readonly unplanned: Counted;
  /** Rows that nothing scores. */
  readonly unclaimed: number;
}

/** @param breathe called now and then; what it throws ends the work */
export async function surveyOf(
  runs: FinishedRuns,
  counting: Counting,
  breathe: () => Promise<void>,
): Promise<Survey> {
  const { groups } = runs;
  const fold = new CoverageFold(runs.classes, (group) => groups[group]?.server ?? "no server or agent");
  const surveyed = new Map<number, Surveyed>();
  const duplicates: Counted = { count: 0, first: [] }, shared: Counted = { count: 0, first: [] };
  const unplanned: Counted = { count: 0, first: [] };
  let unclaimed = 0, seen = 0;
  for (const rollout of runs.rollouts(counting)) {
    if (++seen % BREATH === 0) await breathe();
    fold.add(rollout);
    const { fate, group: number, line } = rollout;
    if (rollout.again) count(shared, line);
    if (fate === "unclaimed") unclaimed++;
    else if (fate === "unplanned") count(unplanned, line);
    else if (fate === "duplicate") count(duplicates, line);
    else if (isScored(rollout)) {
      const group = surveyed.get(number);
      if (group) group.rows++;
      else surveyed.set(number, { ...groups[number]!, number, rows: 1, first: line });
    }
  }
  return {
    groups: [...surveyed.values()],
    coverage: fold.coverage(runs.hasInputs),
    nameless: fold.nameless,
    duplicates,
    shared,
    unplanned,
    unclaimed,
  };
}

/** @throws {UsageFault} when a group that needs a server has none */
export function refuseUnaskable(groups: readonly Surveyed[]): void {
  const problems = groups.flatMap(({ problem, rows }) =>
    problem ? [`${problem} (${plural(rows, "rollout")})`] : []
  );
  if (problems.length === 0) return;
  throw new UsageFault(
    `Cannot score all rollouts: some have no server to score them:${list(problems)}\n` +
      `Aggregate with the configuration they were collected with, or with \`rollcall aggregate --offline\`.`,
  );
}

function count(counted: Counted, line: LineRecord): void {
  if (counted.count++ < LISTED) counted.first.push(line);
}
