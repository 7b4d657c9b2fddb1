/**
 * A run from its plan to its summary: begin, dispatch, score, check. Runs in the Worker, where nothing but the plan's
 * files and servers can be reached; everything it needs of the world is handed to it.
 */
import { basename } from "node:path";
import type { Notice, Observer } from "../events/run_event.ts";
import type { RunError } from "../events/run_error.ts";
import {
  type HealthSummary,
  type HealthTools,
  type OwnFault,
  tryCheckHealth,
} from "../health/check_health.ts";
import type { Step } from "../export/progress_step.ts";
import { RunFault, UsageFault, WriteFault } from "../kit/fault.ts";
import { labelsOf } from "../metrics/labels.ts";
import { score, type Scored } from "../metrics/score.ts";
import { shardOf } from "../plan/score_plan.ts";
import type { RunPlan } from "../plan/run_plan.ts";
import type { RowIndex } from "../plan/row_index.ts";
import type { CaptureFiles } from "../ports/captures.ts";
import type { Clock, Dice } from "../ports/clock.ts";
import type { Files } from "../ports/files.ts";
import type { Wire } from "../ports/wire.ts";
import { accountOf, endingOf, shortfallOf } from "./accounting.ts";
import { begin } from "./begin.ts";
import { Dispatch } from "./dispatch.ts";
import { Live } from "./live_means.ts";
import { captureReader, type ReadTools } from "../trajectory/capture/read_capture.ts";
import { patience } from "./patience.ts";
import { staleCaptures } from "./stale_captures.ts";
import type { Summary, Tally } from "./tally.ts";

/** What a run asks of the world. */
export interface CollectTools {
  readonly files: Files;
  readonly wire: Wire;
  readonly clock: Clock;
  /** For jitter. */
  readonly dice: Dice;
  /** Starts nothing new once it fires; its reason is the name of a signal. */
  readonly drain: AbortSignal;
  /** Abandons what is in flight once it fires. */
  readonly abort: AbortSignal;
  /** Hears everything that happens. */
  readonly observer: Observer;
  /**
   * Called when all files are in place and nothing has been sent yet; dispatch waits for it. `stale` names the files in
   * the folder of captures that have to go first.
   */
  readonly opened: (stale: readonly string[]) => Promise<void>;
  /** The folder of captures; only needed by a plan that has one. */
  readonly captures?: CaptureFiles;
  /** Called once dispatch begins, with a way to ask for the counts at any time. The returned function ends the watch. */
  readonly watch: (tally: () => Tally) => () => void;
  /** Takes the steps of progress that a plan with `exports` makes. */
  readonly step?: (step: Step) => void;
  /** Lets other things have their turn in the middle of long work. */
  readonly breathe?: () => Promise<void>;
}

/** Runs the plan. @throws only for faults of its own: whatever servers and disks do is told in the summary. */
export async function collect(plan: RunPlan, index: RowIndex, tools: CollectTools): Promise<Summary> {
  const { files, drain } = tools, { paths } = plan;

  const found: Notice[] = [];
  const notice = (notice: Notice) => {
    found.push(notice);
    tools.observer.on(notice);
  };
  const live = new Live(labelsOf(plan.routes).map((name, k) => ({ name, owed: plan.perRoute[k]! })));
  const { order, inputs, ...lines } = await begin(plan, index, { ...tools, notice, live });
  const captures = capturesOf(plan, tools);
  const { breathe } = tools;
  const stale = captures ? await staleCaptures(plan, index, { files: captures.files, inputs, breathe }) : [];
  await tools.opened(stale);

  const reader = captures && captureReader(captures);
  const dispatch = new Dispatch(plan, index, order, { ...tools, captures: reader, inputs, lines, live });
  const unwatch = tools.watch(() => dispatch.tally());
  let error = await dispatch.run();
  unwatch();
  const tally = dispatch.tally();
  inputs.close();
  for (const writer of [lines.rollouts, lines.failures]) {
    await writer.close().catch((fault: Error) => error ??= { kind: "fault", message: fault.message });
  }

  const wasStopped = drain.aborted && accountOf(tally).left > 0;
  const scored = error === null && !wasStopped && plan.aggregate
    ? await scoreAndCheck(plan, tally, tools)
    : NOTHING_SCORED;
  const stopped = wasStopped || scored.stopped;
  error ??= scored.error ?? (stopped ? null : tooMany(plan, tally) ?? shortfall(plan, tally, scored.scored));
  return {
    ending: endingOf(tally, { error, stopped }),
    error,
    signal: drain.aborted ? String(drain.reason) : null,
    tally,
    soFar: live.soFar(),
    metrics: scored.scored?.metrics ?? null,
    coverage: ofOneRun(scored.scored?.coverage ?? null),
    health: scored.health,
    found,
    notes: scored.notes,
    files: holding(files, {
      rollouts: paths.rollouts,
      failures: paths.failures,
      materialized_inputs: paths.inputs,
      aggregate_metrics: paths.metrics,
    }),
  };
}

/** How captures are read; undefined with observability off. */
function capturesOf({ captures, dispatch }: RunPlan, tools: CollectTools): ReadTools | undefined {
  if (captures === null) return undefined;
  return {
    folder: captures,
    files: tools.captures!,
    clock: tools.clock,
    maxBytes: dispatch.max_response_bytes,
  };
}

/** A run knows what it owes, whether or not scoring had to look into its inputs. */
function ofOneRun(coverage: Summary["coverage"]): Summary["coverage"] {
  return coverage && { ...coverage, shards: { all: 1, withInputs: 1 } };
}

/** What came of scoring and checking. */
interface ScoredAndChecked {
  readonly scored: Scored | null;
  readonly health: HealthSummary | null;
  readonly notes: readonly string[];
  readonly error: RunError | null;
  /** A signal came before the metrics were there. */
  readonly stopped: boolean;
}

const NOTHING_SCORED: ScoredAndChecked = {
  scored: null,
  health: null,
  notes: [],
  error: null,
  stopped: false,
};

async function scoreAndCheck(plan: RunPlan, tally: Tally, tools: CollectTools): Promise<ScoredAndChecked> {
  const waiting = patience(tools, plan.dispatch.grace_s), { signal } = waiting;
  let scored: Scored | null = null;
  try {
    scored = await scoreRun(plan, tally, { ...tools, abort: signal });
    const { health, notes } = await checkRun(plan, { ...tools, signal });
    const error: RunError | null = scored.error === null ? null : { kind: "fault", message: scored.error };
    return { ...NOTHING_SCORED, scored, health, error, notes: [...scored.notes, ...notes] };
  } catch (fault) {
    const isTold = fault instanceof RunFault || fault instanceof UsageFault || fault instanceof WriteFault;
    if (!isTold) throw fault;
    const { message } = fault, notes = scored?.notes ?? [];
    return signal.aborted
      ? { ...NOTHING_SCORED, scored, notes: [...notes, message], stopped: true }
      : { ...NOTHING_SCORED, scored, notes, error: { kind: "fault", message } };
  } finally {
    waiting.end();
  }
}

/** Scores what is in the run's files, whoever put it there. */
function scoreRun(
  plan: RunPlan,
  tally: Tally,
  { files, wire, clock, abort, breathe }: CollectTools,
): Promise<Scored> {
  const { done, expected } = accountOf(tally);
  return score({
    shards: [shardOf(plan.paths)],
    paths: plan.paths,
    merged: null,
    scorers: plan.scorers,
    counting: plan.counting,
    // A fresh run that is complete has no missing rows, and no others.
    missing: plan.resume !== null || done < expected,
    retryWindowMs: plan.dispatch.retry_window_s * 1000,
  }, { files, wire, clock, signal: abort, ...(breathe ? { breathe } : {}) });
}

/** Checks the run's rollouts, if that is wanted; the run does not fail with it. */
async function checkRun(
  { health, paths }: RunPlan,
  tools: HealthTools & Pick<CollectTools, "observer">,
): Promise<{ readonly health: HealthSummary | null; readonly notes: readonly string[] }> {
  if (!health) return { health: null, notes: [] };
  const rollouts = [{ path: paths.rollouts, shown: paths.rollouts }];
  const again = `rollcall health ${paths.folder} --rollouts-file ${basename(paths.rollouts)}`;
  const fault = (fault: OwnFault) => tools.observer.on({ kind: "own_fault", ...fault });
  return await tryCheckHealth({ rollouts, paths, ignored: health.ignored }, { ...tools, fault }, again);
}

/** That more rollouts failed than may, or null. */
function tooMany({ paths }: RunPlan, { limit }: Tally): RunError | null {
  if (!limit || limit.what === "tokens") return null;
  return { kind: "too_many_failures", limit, failures: paths.failures };
}

/** Why a run that came to its end is a failure all the same, or null. */
function shortfall(plan: RunPlan, tally: Tally, scored: Scored | null): RunError | null {
  const kind = shortfallOf(tally, scored?.coverage ?? null, plan.requireComplete);
  return kind && { kind, budgetS: plan.dispatch.dispatch_budget_s, failures: plan.paths.failures };
}

/** Those that hold something: a sidecar is opened before anything fails. */
function holding(files: Files, named: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(named).filter(([, path]) => (files.size(path) ?? 0) > 0));
}
