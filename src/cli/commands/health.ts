/** `rollcall health`: checks the rollouts of a finished run. Needs no server and no configuration. */
import { Option } from "commander";
import { basename, dirname, isAbsolute, join, relative } from "node:path";
import { claimReports } from "../../prepare/report_files.ts";
import { systemReason } from "../../kit/system_error.ts";
import { type CliCommand, GROUPS, positive } from "../command.ts";
import type { World } from "../../ports/world.ts";
import { checkHealth, type HealthRequest } from "../../health/check_health.ts";
import { ROLLOUT_CHECKS, TASK_CHECKS } from "../../health/checks.ts";
import { ExaminerPool, type FromExaminer } from "../../health/examiner_pool.ts";
import { ignoredChecks } from "../../health/ignored_checks.ts";
import { UsageFault } from "../../kit/fault.ts";
import { runPaths } from "../../plan/paths.ts";
import { nearestFile } from "../../prepare/nearest_file.ts";
import { inColumns } from "../../report/columns.ts";
import { explained, explainText } from "../../report/explain_text.ts";
import { eventText } from "../../report/event_text.ts";
import { healthText } from "../../report/health_text.ts";
import { ShareLine } from "../../report/share_line.ts";
import { cleaned, indented, printableJson } from "../../report/text.ts";

/** The command. */
export const health: CliCommand<HealthOptions> = {
  name: "health",
  group: GROUPS.finished,
  about: "check the rollouts of a finished run for empty turns, failed model calls and the like",
  examples: [
    ["Check runs/rollouts.jsonl", "rollcall health runs"],
    ["What a check means, and what to do", "rollcall health --explain agent_turn_hollow"],
    [
      "Another rollouts file, without one of the checks",
      "rollcall health runs --rollouts-file a.jsonl --ignore-checks model_call_failed",
    ],
  ],
  exitCodes: [[0, "checked, whatever was found"], [1, "the machine failed"], [
    2,
    "wrong usage, or no rollouts there",
  ]],
  define: (command, chosen) =>
    void command
      .argument(
        "[run_dir]",
        "the folder of the run; quality_summary.json and rollout_verdicts.jsonl go there",
      )
      .option("--rollouts-file <name>", "the rollouts file in it", "rollouts.jsonl")
      .option("--ignore-checks <a,b>", "checks to leave out (default: none)")
      .option("--ignore <a,b>", "the same")
      .addOption(
        new Option("--workers <n>", "threads that examine lines (default: one a processor, at most 4)")
          .argParser(positive("--workers")),
      )
      .option("--explain [check]", "say what a check finds and reads, and what to do; of all without a name")
      .option("--json", "the content of quality_summary.json on standard output; with --explain the texts")
      .action((folder, { rolloutsFile, ignoreChecks, ignore, workers, json, explain }) =>
        chosen({
          folder,
          explain,
          rollouts: rolloutsFile,
          ignored: (ignoreChecks ?? ignore ?? "").split(","),
          workers,
          json: json === true,
        })
      ),
  run(options, { world, signals, touched }) {
    signals.giveUp();
    touched();
    return healthCommand(options, world);
  },
};

/** What `rollcall health` is asked to do. */
export interface HealthOptions {
  /** The folder of the run; the reports go there. */
  readonly folder: string | undefined;
  /** Explain this check, or all of them (true), instead of checking. */
  readonly explain?: string | true | undefined;
  /** The rollouts file, in the folder unless the path is absolute. */
  readonly rollouts: string;
  /** Checks to leave out. */
  readonly ignored: readonly string[];
  /** How many threads examine lines. */
  readonly workers?: number | undefined;
  /** Whether the summary goes to standard output as JSON. */
  readonly json: boolean;
}

/** By default at most so many: reading the file keeps up with no more. */
const WORKERS = 4;

/** Of a smaller file the lines are examined before a Worker has started. */
const WORTH_IT = 1 << 23;

const CHECKS = [...ROLLOUT_CHECKS, ...TASK_CHECKS];

/** Checks and returns the exit code, which is 0 whatever was found. @throws {UsageFault} when nothing can be checked */
export async function healthCommand(options: HealthOptions, world: World): Promise<number> {
  const { disk, terminal } = world, { folder, explain } = options;
  if (explain !== undefined) return await explainChecks(explain, options.json, world);
  if (folder === undefined) {
    throw new UsageFault("Name the folder of the run: rollcall health runs. --explain needs none.");
  }
  const { request, notes } = await requestOf({ ...options, folder }, world);
  const holder = await disk.holder(runPaths(request.rollouts[0]!.path).lock);
  if (holder) {
    notes.push(
      `A run is collecting into this file (process ${holder.pid} on ${holder.host}): what it writes from now on ` +
        `is not in the report.`,
    );
  }
  const line = new ShareLine(terminal, world.clock, `Checking ${cleaned(request.rollouts[0]!.shown)}`);
  const count = options.workers ?? Math.min(world.cores, WORKERS);
  const bytes = request.rollouts.reduce((sum, { path }) => sum + (disk.files.size(path) ?? 0), 0);
  const pool = count > 1 && (options.workers !== undefined || bytes >= WORTH_IT)
    ? new ExaminerPool(
      (hear) => world.startExaminer((message) => hear(message as FromExaminer)),
      count,
      request.ignored,
    )
    : undefined;
  const summary = await checkHealth(request, {
    ...(pool && { examiners: pool }),
    files: disk.files,
    signal: new AbortController().signal,
    // Lets the terminal take what is drawn.
    breathe: () => new Promise((resolve) => world.clock.after(0, resolve)),
    progress: (share) => line.update(share),
    fault: (fault) => terminal.err(`${indented(eventText({ kind: "own_fault", ...fault }))}\n`),
  }).finally(() => {
    pool?.close();
    line.close();
  });
  disk.syncFolder(disk.canonical(folder));
  if (options.json) {
    for (const note of notes) terminal.err(`${cleaned(note)}\n`);
    terminal.out(`${printableJson(JSON.parse(await disk.readText(summary.summary)))}\n`);
    return 0;
  }
  const finds = new Map(CHECKS.map(({ id, finds }) => [id, finds]));
  terminal.out(
    await inColumns(() =>
      healthText(summary, finds, notes, { columns: terminal.columns(), colour: terminal.colour })
    ),
  );
  return 0;
}

async function explainChecks(check: string | true, json: boolean, { terminal }: World): Promise<number> {
  const checks = explained(CHECKS, check === true ? undefined : check);
  const text = json
    ? `${printableJson({ checks })}\n`
    : await inColumns(() => explainText(checks, terminal.columns()));
  terminal.out(text);
  return 0;
}

/** How to name a file that is not in the folder by this path, but is there from the working folder. */
function elsewhere(folder: string, rollouts: string, disk: World["disk"]): string | undefined {
  if (isAbsolute(rollouts) || !disk.exists(rollouts) || disk.isFolder(rollouts)) return undefined;
  const path = disk.canonical(rollouts), inside = relative(disk.canonical(folder), path);
  return `A relative path begins in ${folder}: --rollouts-file ${inside.startsWith("..") ? path : inside}.`;
}

async function requestOf(
  { folder, rollouts, ignored }: HealthOptions & { readonly folder: string },
  { disk }: World,
): Promise<{ readonly request: HealthRequest; readonly notes: string[] }> {
  const leftOut = ignoredChecks(ignored, "--ignore-checks");
  // As the user wrote it: the report names lines that cannot be read by it.
  const shown = isAbsolute(rollouts) ? rollouts : join(folder, rollouts);
  try {
    if (disk.exists(folder) && !disk.isFolder(folder)) {
      throw new UsageFault(
        `${folder} is a file. Name its folder, and then the file in it: ` +
          `rollcall health ${dirname(folder)} --rollouts-file ${basename(folder)}.`,
      );
    }
    if (!disk.isFolder(folder)) {
      throw new UsageFault(`There is no folder ${folder}.${nearestFile(folder, disk, "folder")}`);
    }
    if (!disk.exists(shown) || disk.isFolder(shown)) {
      throw new UsageFault(
        `There is no rollouts file ${shown}. ` +
          (elsewhere(folder, rollouts, disk) ?? `Name it with --rollouts-file.${nearestFile(shown, disk)}`),
      );
    }
    const path = disk.canonical(shown);
    // The reports go to the folder that was named, wherever the rollouts are.
    const own = runPaths(join(disk.canonical(folder), basename(path)));
    const { paths, note } = await claimReports(own, { disk });
    const { qualitySummary, qualitySummaryNew, verdicts, verdictsNew, findings, verdictsIndex } = paths;
    if (path === qualitySummary || path === verdicts) {
      throw new UsageFault(`${shown} is a report of the health checks, not a rollouts file.`);
    }
    const request = {
      rollouts: [{ path, shown }],
      paths: { qualitySummary, qualitySummaryNew, verdicts, verdictsNew, findings, verdictsIndex },
      ignored: leftOut,
    };
    return { request, notes: note === undefined ? [] : [note] };
  } catch (error) {
    if (error instanceof UsageFault) throw error;
    throw new UsageFault(`Cannot look up ${shown}: ${systemReason(error)}.`, { cause: error });
  }
}
