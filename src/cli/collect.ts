/** `rollcall collect`: a run from its configuration to its exit code. The file to read first. */
import { exitCode, stoppedBy } from "./exit_code.ts";
import { pathsOf, prepareRun } from "./prepare_run.ts";
import { Interrupted, Signals } from "./signals.ts";
import type { World } from "./world.ts";
import type { FromCollector } from "../collect/messages.ts";
import type { Summary } from "../collect/tally.ts";
import type { Config } from "../config/config.ts";
import { RunFault, UsageFault } from "../kit/fault.ts";
import { buffersOf, type RowIndex } from "../plan/row_index.ts";
import type { RunPlan } from "../plan/plan.ts";
import { Display } from "../report/display.ts";
import { planText } from "../report/plan_text.ts";
import { summaryText } from "../report/summary.ts";
import { summaryJson } from "../report/summary_json.ts";

/** Runs the configuration and returns the exit code. @throws {UsageFault} when nothing was sent or touched */
export async function collectCommand(
  config: Config,
  notes: readonly string[],
  world: World,
): Promise<number> {
  if (config.dry_run) return await planCommand(config, notes, world);
  const { terminal, clock, disk } = world;
  const paths = pathsOf(config, world);
  const display = new Display(terminal, clock, { quiet: config.quiet });
  for (const note of notes) display.note(note);

  const signals = new Signals(world);
  const madeFolders = makeOutputFolder(paths.folder, world);
  let lock;
  try {
    lock = await disk.lock(paths.lock, (text) => display.note(text));
    const prepared = prepareRun(config, world, { write: true, stop: () => signals.check() });
    const { plan, index, warnings } = await Promise.race([prepared, signals.interruption]);
    for (const warning of warnings) display.note(`Warning: ${warning}`);
    const summary = await runCollector(plan, index, { world, display, signals });
    display.close();
    display.print(summaryText(summary, { columns: terminal.columns(), colour: terminal.colour }));
    if (config.json) terminal.out(`${summaryJson(summary)}\n`);
    return exitCode(summary, config.drain_exit_code);
  } catch (error) {
    // What was prepared and not taken over goes; without the lock it would be somebody else's.
    if (lock) disk.remove(paths.inputsNew);
    if (!(error instanceof Interrupted)) throw error;
    terminal.err(`Stopped by ${error.message} before anything was sent. Nothing was touched.\n`);
    return stoppedBy(error.message);
  } finally {
    display.close();
    lock?.release();
    disk.removeFolders(madeFolders);
    signals.close();
  }
}

/** `rollcall plan`: says what a run would do. */
export async function planCommand(config: Config, notes: readonly string[], world: World): Promise<number> {
  for (const note of notes) world.terminal.err(`${note}\n`);
  const { plan, warnings } = await prepareRun(config, world, { write: false, stop: () => {} });
  world.terminal.out(config.json ? `${JSON.stringify(plan)}\n` : planText(plan, warnings));
  return 0;
}

/** Starts the collector in its sandbox, carries signals in and what it says out, and waits for its summary. */
async function runCollector(
  plan: RunPlan,
  index: RowIndex,
  { world, display, signals }: { world: World; display: Display; signals: Signals },
): Promise<Summary> {
  const { promise, resolve, reject } = Promise.withResolvers<Summary>();
  const columns = index.take();
  const hear = (message: FromCollector) => {
    switch (message.kind) {
      case "ready":
        collector.send({ kind: "run", plan, columns }, buffersOf(columns));
        return world.narrow();
      case "opened":
        world.disk.syncFolder(plan.paths.folder);
        return collector.send({ kind: "go" });
      case "tally":
        return display.update(message.tally);
      case "note":
        return display.note(message.text);
      case "finished":
        return resolve(message.summary);
      case "crashed":
        return reject(new RunFault(message.message));
    }
  };
  const collector = world.startCollector(plan.permissions, (message) => {
    try {
      hear(message);
    } catch (error) {
      reject(error); // out here nobody would catch it
    }
  });
  signals.on((level, why) => collector.send({ kind: "stop", level, why }));
  try {
    return await promise;
  } finally {
    collector.terminate();
  }
}

/** Makes the folder of the output and returns what was missing of it. @throws {UsageFault} when it cannot be */
function makeOutputFolder(folder: string, { disk }: World): string[] {
  try {
    return disk.makeFolder(folder);
  } catch (error) {
    throw new UsageFault(`Cannot make the output folder ${folder}: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}
