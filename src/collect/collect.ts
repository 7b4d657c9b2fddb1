/**
 * A run from its plan to its summary: the stages in order. Runs in the Worker, where nothing but the plan's files and
 * servers can be reached; everything it needs of the world is handed to it.
 */
import { basename } from "node:path";
import { DispatchRun } from "../dispatch/drive.ts";
import { RowReader } from "../dispatch/row_reader.ts";
import type { Summary, Tally } from "./tally.ts";
import { type HealthSummary, type HealthTools, tryCheckHealth } from "../health/check_health.ts";
import { RunFault, UsageFault } from "../kit/fault.ts";
import { score, type Scored } from "../metrics/score.ts";
import { shardOf } from "../plan/score_plan.ts";
import { ATTEMPTS_VARIABLE } from "../record/attempts_cap.ts";
import type { RunPlan } from "../plan/run_plan.ts";
import type { RowIndex } from "../plan/row_index.ts";
import type { Clock, Dice } from "../ports/clock.ts";
import type { Files, ReadFile } from "../ports/files.ts";
import type { Wire } from "../ports/wire.ts";
import { inOrder } from "../plan/order.ts";
import { resumeRun } from "../resume/resume_run.ts";
import { setAside } from "../store/set_aside.ts";
import { LineWriter } from "../store/line_writer.ts";
import { WriteFault } from "../kit/fault.ts";

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
  /** Called once dispatch begins, with a way to ask for the counts at any time. The returned function ends the watch. */
  readonly watch: (tally: () => Tally) => () => void;
  /** Lets other things have their turn in the middle of long work. */
  readonly breathe?: () => Promise<void>;
}

/** Runs the plan. @throws only for faults of its own: whatever servers and disks do is told in the summary. */
export async function collect(plan: RunPlan, index: RowIndex, tools: CollectTools): Promise<Summary> {
  const { files, clock, drain } = tools;
  const { paths } = plan;

  const notes: string[] = [];
  const { order, inputs, rollouts, failures } = await begin(plan, index, files, clock, (text) => {
    notes.push(text);
    tools.note(text);
  });
  await tools.opened();

  const run = new DispatchRun(plan, index, order, {
    ...tools,
    rows: new RowReader(inputs, paths.inputs),
    rollouts,
    failures,
  });
  const watched = tools.watch(() => run.tally());
  const { tally, error: dispatchError } = await run.run();
  watched();
  inputs.close();
  let error = dispatchError;
  for (const writer of [rollouts, failures]) {
    await writer.close().catch((fault: Error) => error ??= fault.message);
  }

  let scored: Scored | null = null, health: HealthSummary | null = null;
  let stopped = drain.aborted && tally.waiting > 0;
  if (error === null && !stopped && plan.aggregate) {
    const patience = patienceOf(tools, plan.dispatch.grace_s * 1000);
    try {
      scored = await scoreRun(plan, tally, { ...tools, abort: patience.signal });
      notes.push(...scored.notes);
      const checked = await checkRun(plan, { ...tools, signal: patience.signal });
      health = checked.health;
      notes.push(...checked.notes);
    } catch (fault) {
      const isTold = fault instanceof RunFault || fault instanceof UsageFault || fault instanceof WriteFault;
      if (!isTold) throw fault;
      if (patience.signal.aborted) {
        stopped = true;
        notes.push(fault.message);
      } else error = fault.message;
    } finally {
      patience.end();
    }
  }
  error ??= stopped ? null : shortfall(plan, tally, scored);
  return {
    ending: error !== null ? "failed" : stopped ? "stopped" : tally.drained > 0 ? "drained" : "complete",
    error,
    signal: drain.aborted ? String(drain.reason) : null,
    tally,
    metrics: scored?.metrics ?? null,
    coverage: scored?.coverage ?? null,
    health,
    notes,
    files: existing(files, {
      rollouts: paths.rollouts,
      failures: paths.failures,
      materialized_inputs: paths.inputs,
      aggregate_metrics: paths.metrics,
    }),
  };
}

/** Where a run begins. */
interface Beginning {
  /** The rows to run, in the order in which they start. */
  readonly order: Iterable<number>;
  readonly inputs: ReadFile;
  readonly rollouts: LineWriter;
  readonly failures: LineWriter;
}

/** Puts the files of an earlier run aside, or takes it up, and opens the run's own. @throws {RunFault} */
async function begin(
  { resume, ...plan }: RunPlan,
  index: RowIndex,
  files: Files,
  clock: Clock,
  note: (text: string) => void,
): Promise<Beginning> {
  const { paths } = plan;
  const writer = (path: string) => new LineWriter(files.append(path), path, clock);
  try {
    if (!resume && setAside(files, paths)) {
      note(`The rollouts of an earlier run are kept as ${paths.rolloutsOld}.`);
    }
    const order = resume ? await resumeRun({ ...plan, resume }, index, { files, note }) : inOrder(index);
    return {
      order,
      inputs: files.read(paths.inputs),
      rollouts: writer(paths.rollouts),
      failures: writer(paths.failures),
    };
  } catch (error) {
    if (error instanceof RunFault) throw error;
    throw new RunFault(
      `Cannot open the files of ${paths.rollouts}: ${(error as Error).message}. Nothing was sent` +
        (resume
          ? "."
          : `, and an earlier run's rollouts are where they were, or kept as ${paths.rolloutsOld}.`),
      { cause: error },
    );
  }
}

/** How long metrics may take before it is said that they are waited for. */
const SAY_AFTER_MS = 10_000;

/** How long metrics are waited for: until `abort` fires, or `drain` has and the grace is over. */
function patienceOf({ drain, abort, clock, note }: CollectTools, graceMs: number) {
  const over = new AbortController();
  const give = () => over.abort();
  let cancel = () => {};
  const hurry = () => {
    note(`Stopping (${drain.reason}): the metrics are waited for for up to ${graceMs / 1000} s.`);
    cancel = clock.after(graceMs, give);
  };
  const cancelSaying = clock.after(SAY_AFTER_MS, () => {
    note("All rollouts are done and written. Waiting for the servers' metrics (POST /aggregate_metrics).");
  });
  if (abort.aborted) give();
  else if (drain.aborted) hurry();
  abort.addEventListener("abort", give);
  drain.addEventListener("abort", hurry);
  return {
    signal: over.signal,
    end() {
      cancel();
      cancelSaying();
      abort.removeEventListener("abort", give);
      drain.removeEventListener("abort", hurry);
    },
  };
}

/** Scores what is in the run's files, whoever put it there. */
function scoreRun(
  plan: RunPlan,
  tally: Tally,
  { files, wire, abort, breathe }: CollectTools,
): Promise<Scored> {
  return score({
    shards: [shardOf(plan.paths)],
    paths: plan.paths,
    merged: null,
    scorers: plan.scorers,
    counting: plan.counting,
    missing: tally.before + tally.done < tally.materialized,
  }, { files, wire, signal: abort, ...(breathe ? { breathe } : {}) });
}

/** Checks the run's rollouts, if that is wanted; the run does not fail with it. */
async function checkRun(
  { health, paths }: RunPlan,
  tools: HealthTools,
): Promise<{ readonly health: HealthSummary | null; readonly notes: readonly string[] }> {
  if (!health) return { health: null, notes: [] };
  const rollouts = [{ path: paths.rollouts, shown: paths.rollouts }];
  const again = `rollcall health ${paths.folder} --rollouts-file ${basename(paths.rollouts)}`;
  return await tryCheckHealth({ rollouts, paths, ignored: health.ignored }, tools, again);
}

/** Why a run that came to its end is a failure all the same, or null. */
function shortfall(plan: RunPlan, tally: Tally, scored: Scored | null): string | null {
  const missing = tally.materialized - tally.before - tally.done;
  const why = [
    ...(tally.terminal + tally.atCap > 0
      ? [`${tally.terminal + tally.atCap} failed before, for good or too often`]
      : []),
    ...Object.entries(tally.failures).map(([failureClass, n]) => `${n} ${failureClass}`),
    ...(tally.notPersisted ? [`${tally.notPersisted} not to be kept (_ng_no_persist)`] : []),
    ...(tally.drained
      ? [`${tally.drained} not started (dispatch_budget_s=${plan.dispatch.dispatch_budget_s})`]
      : []),
  ].join(", ");
  const countsAsZero = (scored?.coverage.counted ?? 0) + (scored?.coverage.imputed ?? 0) > 0;
  if (tally.materialized > 0 && tally.before + tally.done === 0 && !countsAsZero) {
    return `None of ${tally.owed || tally.materialized} rollouts has a result: ${why}.` +
      (tally.owed === 0 && tally.atCap > 0
        ? ` Retry those at the attempt limit with --retry-exhausted, or raise ${ATTEMPTS_VARIABLE}.`
        : "") +
      (tally.failed > 0 ? ` See ${plan.paths.failures}.` : "");
  }
  if (plan.requireComplete && missing > 0) {
    const isTried = missing > tally.terminal + tally.atCap + tally.exhausted;
    return `${missing} of ${tally.materialized} rollouts are missing (require_complete): ${why}. ` +
      `See ${plan.paths.failures}${isTried ? "; --resume tries those again that may be" : ""}.`;
  }
  return null;
}

function existing(files: Files, named: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(named).filter(([, path]) => files.size(path) !== undefined));
}
