/**
 * A run from its plan to its summary: the stages in order. Runs in the Worker, where nothing but the plan's files and
 * servers can be reached; everything it needs of the world is handed to it.
 */
import { DispatchRun } from "./dispatch_run.ts";
import { RowReader } from "./row_reader.ts";
import type { GroupMetrics, Summary, Tally } from "./tally.ts";
import { aggregate } from "../metrics/aggregate.ts";
import { RunFault } from "../kit/fault.ts";
import type { RunPlan } from "../plan/plan.ts";
import { type RowIndex, State } from "../plan/row_index.ts";
import type { Clock, Dice } from "../ports/clock.ts";
import type { Files } from "../ports/files.ts";
import type { Wire } from "../ports/wire.ts";
import { takeOver } from "../store/fresh.ts";
import { LineWriter } from "../store/line_writer.ts";

/** What a run asks of the world. */
export interface CollectTools {
  /** The file system. */
  readonly files: Files;
  /** Sends. */
  readonly wire: Wire;
  /** Tells the time. */
  readonly clock: Clock;
  /** For jitter. */
  readonly dice: Dice;
  /** Starts nothing new once it fires; its reason says why, for the user. */
  readonly drain: AbortSignal;
  /** Gives up what is in flight once it fires. */
  readonly abort: AbortSignal;
  /** Shows a line to the user at once. */
  readonly note: (text: string) => void;
  /** Called when all files are in place and nothing has been sent yet; dispatch waits for it. */
  readonly opened: () => Promise<void>;
  /** Called once dispatch begins, with a way to ask for the counts at any time. */
  readonly watch: (tally: () => Tally) => void;
}

/** Runs the plan. @throws only for faults of its own: whatever servers and disks do is told in the summary. */
export async function collect(plan: RunPlan, index: RowIndex, tools: CollectTools): Promise<Summary> {
  const { files, clock, drain, abort } = tools;
  const { paths } = plan;

  if (plan.fresh) takeOver(files, paths);
  const inputs = files.read(paths.inputs);
  const rollouts = new LineWriter(files.append(paths.rollouts), paths.rollouts, clock);
  const failures = new LineWriter(files.append(paths.failures), paths.failures, clock);
  await tools.opened();

  const run = new DispatchRun(plan, index, owedRows(index), {
    ...tools,
    rows: new RowReader(inputs, paths.inputs),
    rollouts,
    failures,
  });
  tools.watch(() => run.tally());
  const { tally, error: dispatchError } = await run.run();
  inputs.close();
  let error = dispatchError;
  for (const writer of [rollouts, failures]) {
    await writer.close().catch((fault: Error) => error ??= fault.message);
  }

  let metrics: GroupMetrics[] | null = null;
  const stopped = drain.aborted && tally.waiting > 0;
  if (error === null && !stopped && plan.aggregate) {
    try {
      metrics = await aggregate(paths, plan.routes, { files, wire: tools.wire, signal: abort });
    } catch (fault) {
      if (!(fault instanceof RunFault)) throw fault;
      error = fault.message;
    }
  }
  error ??= stopped ? null : shortfall(plan, tally);
  return {
    ending: error !== null ? "failed" : stopped ? "stopped" : tally.drained > 0 ? "drained" : "complete",
    error,
    signal: drain.aborted ? String(drain.reason) : null,
    tally,
    metrics,
    notes: [],
    files: existing(files, {
      rollouts: paths.rollouts,
      failures: paths.failures,
      materialized_inputs: paths.inputs,
      aggregate_metrics: paths.metrics,
    }),
  };
}

/** The rows that have to be run, in the order of the file. */
function* owedRows(index: RowIndex): Generator<number> {
  const { state } = index.columns;
  for (let row = 0; row < index.size; row++) if (state[row] === State.OWED) yield row;
}

/** Why a run that came to its end is a failure all the same, or null. */
function shortfall(plan: RunPlan, tally: Tally): string | null {
  const missing = tally.materialized - tally.before - tally.done;
  const why = [
    ...Object.entries(tally.failures).map(([failureClass, n]) => `${n} ${failureClass}`),
    ...(tally.notPersisted ? [`${tally.notPersisted} not to be kept (_ng_no_persist)`] : []),
    ...(tally.drained
      ? [`${tally.drained} not started (dispatch_budget_s=${plan.dispatch.dispatch_budget_s})`]
      : []),
  ].join(", ");
  if (tally.owed > 0 && tally.done === 0) {
    return `None of ${tally.owed} rollouts has a result: ${why}. See ${plan.paths.failures}.`;
  }
  if (plan.requireComplete && missing > 0) {
    return `${missing} of ${tally.materialized} rollouts are missing (require_complete): ${why}. ` +
      `See ${plan.paths.failures}; --resume tries them again.`;
  }
  return null;
}

function existing(files: Files, named: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(named).filter(([, path]) => files.size(path) !== undefined));
}
