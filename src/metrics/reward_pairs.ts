/** The rollouts that Gym's `eval profile` looks at: each planned one with its result, after what it refuses is refused. */
import { stringOf } from "../json/object.ts";
import { isTrue } from "../json/truth.ts";
import { list, LISTED, UsageFault } from "../kit/fault.ts";
import { plural } from "../kit/phrases.ts";
import { KEYS } from "../record/keys.ts";
import type { FinishedRuns } from "../shards/finished_runs.ts";
import { Kind, type LineRecord } from "../shards/records.ts";

/** How complete a run is; a task is counted once for each that ran it. */
export interface Completion {
  readonly expected: number;
  readonly completed: number;
  readonly masked: number;
  readonly tasks: number;
  readonly complete: number;
  readonly partial: number;
  readonly missing: number;
}

/** A planned rollout: its row, its result, and who runs it. */
export interface Pair {
  readonly input: LineRecord;
  readonly result?: LineRecord;
  /** The number of what runs it, of {@link Checked.runners}. */
  readonly runner: number;
  readonly masked: boolean;
}

/** What runs rollouts: an environment server, or an agent where lines name none. */
export interface Runner {
  readonly server: string;
  readonly agent: string | undefined;
}

/** Pairs between two calls of `breathe`. */
export const BREATH = 1 << 12;

/** What was found out on the way. */
export interface Checked {
  readonly runners: readonly Runner[];
  /** Their numbers, by the server's name. */
  readonly numbers: ReadonlyMap<string, number>;
  readonly completion: Completion;
  /** Whether some task is run by several. */
  readonly perAgent: boolean;
}

/**
 * Holds the results against the materialized inputs.
 *
 * @param partial whether rollouts may be missing
 * @throws {UsageFault} when there are two lines of one rollout, results that were not planned, or rollouts are missing
 */
export async function check(
  runs: FinishedRuns,
  partial: boolean,
  breathe: () => Promise<void>,
): Promise<Checked> {
  const runners: Runner[] = [], numbers = new Map<string, number>();
  const counts = { expected: 0, completed: 0, masked: 0, tasks: 0, complete: 0, partial: 0, missing: 0 };
  const missing: string[] = [];
  /** Of the current task, by runner. */
  const task = new Map<number, { expected: number; completed: number; measured: number }>();
  let current = NaN, perAgent = false, seen = 0;
  const close = () => {
    let measured = 0;
    for (const one of task.values()) {
      counts.tasks++;
      counts[one.completed === one.expected ? "complete" : one.completed > 0 ? "partial" : "missing"]++;
      if (one.measured > 0) measured++;
    }
    perAgent ||= measured > 1;
    task.clear();
  };
  const learn = (runner: Runner) => {
    numbers.set(runner.server, runners.length);
    return runners.push(runner) - 1;
  };
  refuseUnpaired(runs);
  for (const { input, result, runner, masked } of pairsOf(runs, numbers, learn)) {
    if (++seen % BREATH === 0) await breathe();
    if (input.task !== current) close();
    current = input.task;
    let one = task.get(runner);
    if (!one) task.set(runner, one = { expected: 0, completed: 0, measured: 0 });
    one.expected++;
    counts.expected++;
    if (!masked) one.measured++;
    else counts.masked++;
    if (result) {
      one.completed++;
      counts.completed++;
    } else if (missing.length < LISTED) missing.push(placeOf(input));
  }
  close();
  const short = counts.expected - counts.completed;
  if (short > 0 && !partial) {
    throw new UsageFault(
      `${plural(short, "rollout")} of ${counts.expected} in the materialized inputs have no result:${
        list(missing, short)
      }\n++allow_partial_rollouts=true profiles those that have one.`,
    );
  }
  return { runners, numbers, completion: counts, perAgent };
}

/** @throws {UsageFault} when there are two lines of one rollout, or results without a row */
function refuseUnpaired(runs: FinishedRuns): void {
  const problems: string[] = [];
  let wrong = 0, last: LineRecord | undefined, results = 0, inputs = 0;
  const close = () => {
    if (!last || (results <= 1 && inputs === 1)) return;
    const what = results > 1
      ? "has several results"
      : inputs > 1
      ? "is in the materialized inputs several times"
      : "is not in the materialized inputs";
    if (wrong++ < LISTED) problems.push(`${placeOf(last)} ${what}`);
  };
  for (const line of runs.lines()) {
    if (line.task !== last?.task || line.rollout !== last.rollout) {
      close();
      results = inputs = 0;
    }
    if (line.kind === Kind.FAILURE) continue;
    last = line;
    if (line.kind === Kind.ROLLOUT) results++;
    else inputs++;
  }
  close();
  if (wrong > 0) {
    throw new UsageFault(`Rollouts and materialized inputs do not match:${list(problems, wrong)}`);
  }
}

function placeOf({ task, rollout }: LineRecord): string {
  return `task ${task}, rollout ${rollout}`;
}

/** The planned rollouts, by task, then rollout, after {@link refuseUnpaired}. */
export function* pairsOf(
  runs: FinishedRuns,
  numbers: ReadonlyMap<string, number>,
  learn: (runner: Runner) => number = () => -1,
): Generator<Pair> {
  let result: LineRecord | undefined;
  for (const line of runs.lines()) {
    if (line.kind === Kind.ROLLOUT) result = line;
    if (line.kind !== Kind.INPUT) continue;
    const row = runs.row(line),
      agent = runs.agentOf(row),
      server = stringOf(row.raw(KEYS.server)) ?? agent ?? "";
    const runner = numbers.get(server) ?? learn({ server, agent });
    const mask = result && runs.row(result).raw(KEYS.mask);
    const masked = mask !== undefined && isTrue(mask);
    yield result ? { input: line, result, runner, masked } : { input: line, runner, masked };
    result = undefined;
  }
}
