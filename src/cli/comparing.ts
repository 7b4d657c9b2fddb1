/** The work of `rollcall compare`. */
import { RunFault, UsageFault } from "../kit/fault.ts";
import { nearest } from "../kit/nearest.ts";
import { isSystemError, systemPlace, systemReason } from "../kit/system_error.ts";
import type { Manifest } from "../plan/manifest.ts";
import type { World } from "../ports/world.ts";
import { inColumns } from "../report/columns.ts";
import type { ComparedRun, Comparison } from "../report/comparison_data.ts";
import { comparisonJson } from "../report/comparison_json.ts";
import { comparisonMarkdown } from "../report/comparison_markdown.ts";
import { comparisonText } from "../report/comparison_text.ts";
import { printableJson } from "../report/text.ts";
import { type AgentComparison, compareRuns, corrected, gateResults, levelOf } from "../results/compare.ts";
import { manifestDifferences } from "../results/manifest_difference.ts";
import { Results } from "../results/results.ts";
import { TaskTable } from "../results/task_table.ts";
import type { CompareOptions } from "./commands/compare.ts";
import { writeGymReport } from "./gym_compare.ts";
import { breather } from "./breathe.ts";
import { findRunFiles } from "./run_files.ts";
import type { Signals } from "./signals.ts";

/** How long a reader of standard output may take. */
const PATIENCE_MS = 60_000;

interface Run extends ComparedRun {
  readonly table: TaskTable;
  readonly manifest: Manifest | undefined;
}

/** Compares and returns the exit code. @throws {UsageFault} when there is nothing to read, or it cannot be read */
export async function compareCommand(
  options: CompareOptions,
  world: World,
  signals: Signals,
): Promise<number> {
  const { terminal } = world, { seed, passAt, failBelow } = options, notes: string[] = [];
  if (options.gym) {
    const written = await writeGymReport(options.gym, {
      baseline: options.base,
      candidate: options.candidates[0]!,
    }, world);
    notes.push(`Gym's report: ${written.join(", ")}`);
    // Gym's reads only the metrics: the rollouts may be elsewhere by now.
    if ([options.base, ...options.candidates].some((path) => !world.disk.exists(path))) {
      terminal.out(`${notes[0]}\n`);
      return 0;
    }
  }
  const base = await readRun(options.base, options, { world, signals, notes });
  const runs: Run[] = [];
  for (const name of options.candidates) runs.push(await readRun(name, options, { world, signals, notes }));
  const level = levelOf(runs.length);
  const compared = corrected(runs.map((run) =>
    compareRuns(base.table, run.table, {
      sameInput: isSameInput(base.manifest, run.manifest),
      level,
      withPasses: passAt !== undefined,
      seed,
    })
  ));
  refuseUnknown(failBelow.map(({ metric }) => metric), compared);
  const comparison: Comparison = {
    base: shown(base),
    candidates: runs.map((run, k) => ({
      run: shown(run),
      agents: compared[k]!,
      gates: gateResults(compared[k]!, failBelow),
      differences: base.manifest && run.manifest ? manifestDifferences(base.manifest, run.manifest) : null,
    })),
    level,
    passAt,
    seed,
    notes,
  };
  const look = { columns: terminal.columns(), colour: terminal.colour };
  terminal.out(
    options.format === "json"
      ? `${printableJson(comparisonJson(comparison))}\n`
      : options.format === "markdown"
      ? comparisonMarkdown(comparison)
      : await inColumns(() => comparisonText(comparison, look)),
  );
  await terminal.flush(PATIENCE_MS);
  return comparison.candidates.some(({ gates }) => gates.some(({ fails }) => fails)) ? 1 : 0;
}

async function readRun(
  name: string,
  { passAt }: CompareOptions,
  { world, signals, notes }: { readonly world: World; readonly signals: Signals; readonly notes: string[] },
): Promise<Run> {
  const { disk } = world;
  const found = await findRunFiles([name], world, (text) => notes.push(text));
  const breathe = breather(world, signals);
  let results: Results | undefined;
  try {
    results = await Results.read(found.shards, { files: disk.files, index: found.index, breathe });
    const table = new TaskTable(passAt);
    let rollouts = 0;
    for await (const task of results.tasks()) {
      table.add(task);
      rollouts += task.rewards.length;
    }
    if (results.hasInputs.includes(false)) {
      const note = `${name} has no materialized inputs: its tasks have neither ids nor rows to be paired by.`;
      if (!notes.includes(note)) notes.push(note);
    }
    return {
      name,
      files: found.files.map(({ paths }) => paths.rollouts),
      tasks: table.tasks.length,
      rollouts,
      table,
      manifest: found.files[0]!.manifest,
    };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new RunFault(`Cannot read ${name}: ${systemReason(error)}${systemPlace(error)}.`, { cause: error });
  } finally {
    results?.close();
  }
}

function isSameInput(base: Manifest | undefined, candidate: Manifest | undefined): boolean {
  return base !== undefined && base.input.sha256 === candidate?.input.sha256;
}

/** A gate of a metric that no run has would pass for ever. @throws {UsageFault} */
function refuseUnknown(wanted: readonly string[], compared: readonly (readonly AgentComparison[])[]): void {
  const names = [...new Set(compared.flat().flatMap(({ metrics }) => metrics.map(({ name }) => name)))];
  // Without a task in both runs there is no metric at all, which is said.
  if (names.length === 0) return;
  for (const name of wanted) {
    if (names.includes(name)) continue;
    const close = nearest(name, names) ?? nearest(`mean/${name}`, names);
    throw new UsageFault(
      `--fail-below ${name}: the runs have no such metric${
        close === undefined ? "" : ` (did you mean "${close}"?)`
      }. ` +
        `They have ${names.join(", ")}.`,
    );
  }
}

function shown({ name, files, tasks, rollouts }: Run): ComparedRun {
  return { name, files, tasks, rollouts };
}
