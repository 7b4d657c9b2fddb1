/** `rollcall collect`: a run from its configuration to its exit code. The file to read first. */
import { fitInFlight } from "../../prepare/descriptors.ts";
import { type CliCommand, GROUPS } from "../command.ts";
import { defineKeys, type Given, readRunConfiguration } from "../configured.ts";
import { EXIT_CODES, exitCode } from "../exit_code.ts";
import { planCommand } from "./plan.ts";
import { makeOutputFolder } from "../../prepare/output_folder.ts";
import { findInput } from "../../prepare/find_input.ts";
import { outputPaths } from "../../prepare/output_paths.ts";
import { removeCaptures } from "../../prepare/remove_captures.ts";
import { prepareRun } from "../../prepare/prepare_run.ts";
import { slurmBudget } from "../../prepare/slurm_budget.ts";
import type { Signals } from "../signals.ts";
import { withCollector } from "../with_collector.ts";
import { type Exporting, startExporting } from "../exporting.ts";
import { masked } from "../../config/masked.ts";
import type { Step } from "../../export/progress_step.ts";
import type { Lock } from "../../ports/lock.ts";
import type { Headers } from "../../ports/http.ts";
import type { WaitingCommand, World } from "../../ports/world.ts";
import type { Summary } from "../../collect/tally.ts";
import type { Config, DispatchConfig } from "../../config/config.ts";
import { buffersOf, type RowIndex } from "../../plan/row_index.ts";
import { temporaryFiles } from "../../plan/paths.ts";
import type { RunPlan } from "../../plan/run_plan.ts";
import { inColumns } from "../../report/columns.ts";
import { Display } from "../../report/display.ts";
import { exportedEnd } from "../../report/exported_end.ts";
import { Notes } from "../../report/notes.ts";
import { PaceMeter } from "../../report/pace.ts";
import { summaryText } from "../../report/summary.ts";
import { summaryJson } from "../../report/summary_json.ts";

/** The command. */
export const collect: CliCommand<Given> = {
  name: "collect",
  group: GROUPS.collecting,
  about: "collect rollouts",
  examples: [
    [
      "Send every task to the agent of its row, 64 requests at a time",
      "rollcall collect -i tasks.jsonl -o runs/a.jsonl -c 64",
    ],
    [
      "Four rollouts per task from one agent, failed requests kept in a sidecar",
      "rollcall collect -i tasks.jsonl -o runs/a.jsonl --agent math -n 4 \\\n" +
      "    --route-failures-to-sidecar",
    ],
    ["Finish a run that was stopped", "rollcall collect -i tasks.jsonl -o runs/a.jsonl --resume"],
  ],
  exitCodes: EXIT_CODES,
  define: (command, chosen) => defineKeys(command, "collect", chosen),
  async run(given, context) {
    const { config, notes } = await readRunConfiguration(given, context);
    return await collectCommand(config, notes, context.world, context.signals);
  },
};

/**
 * Runs the configuration and returns the exit code.
 *
 * @throws {UsageFault} when nothing was sent or touched
 * @throws {Interrupted} when a signal came before anything was sent or touched
 */
export async function collectCommand(
  config: Config,
  notes: readonly string[],
  world: World,
  signals: Signals,
): Promise<number> {
  if (config.dry_run) return await planCommand(config, notes, world, signals);
  signals.check();
  const { terminal, clock, disk } = world;
  const paths = outputPaths(config, world);
  const display = new Display(terminal, clock, { quiet: config.quiet });
  const told = new Notes(display);
  for (const note of notes) told.warn(note);

  // Before anything is made.
  if (!config.resume_from_cache) findInput(config.input_jsonl_fpath, "input_jsonl_fpath", world);
  const madeFolders = makeOutputFolder(paths.folder, world);
  let lock, lockIsLost = false, exporting: Exporting | undefined, onFinish: WaitingCommand | undefined;
  try {
    lock = await disk.lock(paths.lock, paths.rollouts, (text) => display.note(text));
    lock.lost.catch(() => lockIsLost = true);
    const prepared = prepareRun(config, world, { holder: lock.holder, stop: () => signals.check() });
    const { plan, index, headers, mlflow, first, notes, warnings } = await Promise.race([
      prepared,
      signals.interruption,
    ]);
    for (const note of notes) told.note(note);
    for (const warning of warnings) told.warn(`Warning: ${warning}`);
    const limiting = limited(plan.dispatch, config, index.owed, { world, told });
    const { dispatch, bySlurm } = await Promise.race([limiting, signals.interruption]);
    if (config.on_finish) onFinish = world.prepareCommand(config.on_finish);
    if (mlflow) {
      const { upload_rollouts: uploadRollouts } = config, warn = (text: string) => told.warn(text);
      exporting = startExporting(
        { mlflow, paths, first, config: masked(config), uploadRollouts, warn },
        world,
      );
    }
    const summary = await runCollector({ ...plan, dispatch }, { index, headers }, lock, {
      world,
      display,
      signals,
      step: (step) => exporting?.step(step),
    });
    display.close();
    lock.release();
    lock = undefined;
    // Before printing: a signal from whoever has read the summary must end the process at once.
    signals.close();
    const look = { columns: terminal.columns(), colour: terminal.colour, quiet: config.quiet, bySlurm };
    display.print(await inColumns(() => summaryText(summary, look)));
    const json = () => `${summaryJson(summary, { told: told.texts, bySlurm })}\n`;
    if (config.json) terminal.out(json());
    // Nothing of the run waits for this: it is over, its lock is free, and who has read the summary may end the process.
    const [page, end] = await Promise.all([exporting?.end(exportedEnd(summary)), onFinish?.run(json())]);
    if (end && (end.code !== 0 || end.signal)) {
      const how = end.signal ? `was ended by ${end.signal}` : `ended with exit code ${end.code}`;
      terminal.err(`Warning: The command of --on-finish ${how}. The run is not affected.\n`);
    }
    if (page && !config.quiet) terminal.err(`Exported to MLflow: ${page}\n`);
    return exitCode(summary, config.drain_exit_code);
  } catch (error) {
    // Only while the lock is held: afterwards the temporary files may be another run's.
    if (lock && !lockIsLost) {
      for (const path of temporaryFiles(paths)) disk.remove(path);
    }
    throw error;
  } finally {
    display.close();
    exporting?.close();
    onFinish?.cancel();
    lock?.release();
    disk.removeFolders(madeFolders);
  }
}

/** How rollouts are sent, within the limits of this machine and of the Slurm job that the run is in. */
async function limited(
  dispatch: DispatchConfig,
  config: Config,
  owed: number,
  { world, told }: { readonly world: World; readonly told: Notes },
): Promise<{ readonly dispatch: DispatchConfig; readonly bySlurm: boolean }> {
  const inFlight = fitInFlight(config, owed, world);
  if (inFlight.note !== undefined) told.warn(inFlight.note);
  const budget = await slurmBudget(config, world);
  // A job whose end leaves room for work is no news; one without an end, or too near its end, is.
  if (budget?.seconds) told.note(budget.note);
  else if (budget) told.warn(budget.note);
  return {
    dispatch: {
      ...dispatch,
      ...(config.num_samples_in_parallel === "auto"
        ? { max_resident_rollout_tasks: atMost(dispatch.max_resident_rollout_tasks, inFlight.max) }
        : { num_samples_in_parallel: inFlight.max }),
      dispatch_budget_s: budget?.seconds ?? config.dispatch_budget_s,
    },
    bySlurm: budget !== undefined && budget.seconds !== null,
  };
}

function atMost(a: number | null, b: number | null): number | null {
  return a === null || b === null ? a ?? b : Math.min(a, b);
}

/** Has the collector run the plan, in its sandbox. */
function runCollector(
  plan: RunPlan,
  { index, headers }: { readonly index: RowIndex; readonly headers: Headers },
  lock: Lock,
  { world, display, signals, step }: {
    readonly world: World;
    readonly display: Display;
    readonly signals: Signals;
    readonly step: (step: Step) => void;
  },
): Promise<Summary> {
  const columns = index.take(), pace = new PaceMeter();
  let hasBegun = false;
  return withCollector<Summary>(world, plan.permissions, lock.lost, {
    meet: (collector) => signals.on((level, why) => collector.send({ kind: "stop", level, why })),
    hear(message, collector, settle) {
      switch (message.kind) {
        case "ready":
          collector.send({ kind: "run", plan, columns, headers }, buffersOf(columns));
          return world.narrow();
        case "opened":
          // Once only: later it could be somebody else's word.
          if (hasBegun) return;
          hasBegun = true;
          if (plan.captures !== null) removeCaptures(plan.captures, message.stale, world);
          world.disk.syncFolder(plan.paths.folder);
          return collector.send({ kind: "go" });
        case "tally":
          lock.tell(pace.read(world.clock.now(), message.tally));
          return display.update(message.tally);
        case "event":
          return display.event(message.event);
        case "step":
          return step(message.step);
        case "finished":
          return settle(message.summary);
      }
    },
  });
}
