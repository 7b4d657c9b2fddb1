/** `rollcall health`: checks the rollouts of a finished run. Needs no server and no configuration. */
import { basename, isAbsolute, join } from "node:path";
import { systemReason } from "../../kit/system_error.ts";
import type { World } from "../../ports/world.ts";
import { checkHealth, type HealthRequest } from "../../health/check_health.ts";
import { ROLLOUT_CHECKS, TASK_CHECKS } from "../../health/checks.ts";
import { ignoredChecks } from "../../health/ignored_checks.ts";
import { UsageFault } from "../../kit/fault.ts";
import { runPaths } from "../../plan/paths.ts";
import { healthText } from "../../report/health_text.ts";

/** What `rollcall health` is asked to do. */
export interface HealthOptions {
  /** The folder of the run; the reports go there. */
  readonly folder: string;
  /** The rollouts file, in the folder unless the path is absolute. */
  readonly rollouts: string;
  /** Checks to leave out. */
  readonly ignored: readonly string[];
  /** Whether the summary goes to standard output as JSON. */
  readonly json: boolean;
}

/** Checks and returns the exit code, which is 0 whatever was found. @throws {UsageFault} when nothing can be checked */
export async function healthCommand(options: HealthOptions, world: World): Promise<number> {
  const { disk, terminal } = world;
  const request = requestOf(options, world);
  const notes: string[] = [];
  const holder = await disk.holder(runPaths(request.rollouts[0]!.path).lock);
  if (holder) {
    notes.push(
      `A run is collecting into this file (process ${holder.pid} on ${holder.host}): what it writes from now on ` +
        `is not in the report.`,
    );
  }
  const summary = await checkHealth(request, { files: disk.files, signal: new AbortController().signal });
  disk.syncFolder(disk.canonical(options.folder));
  if (options.json) {
    for (const note of notes) terminal.err(`${note}\n`);
    terminal.out(`${JSON.stringify(JSON.parse(await disk.readText(summary.summary)))}\n`);
    return 0;
  }
  const finds = new Map([...ROLLOUT_CHECKS, ...TASK_CHECKS].map(({ id, finds }) => [id, finds]));
  terminal.out(
    healthText(summary, finds, notes, { columns: terminal.columns(), colour: terminal.colour }),
  );
  return 0;
}

function requestOf({ folder, rollouts, ignored }: HealthOptions, { disk }: World): HealthRequest {
  const leftOut = ignoredChecks(ignored, "--ignore-checks");
  // As the user wrote it: the report names lines that cannot be read by it.
  const shown = isAbsolute(rollouts) ? rollouts : join(folder, rollouts);
  try {
    if (!disk.isFolder(folder)) throw new UsageFault(`There is no folder ${folder}.`);
    if (!disk.exists(shown) || disk.isFolder(shown)) {
      throw new UsageFault(`There is no rollouts file ${shown}. Name it with --rollouts-file.`);
    }
    const path = disk.canonical(shown);
    // The reports go to the folder that was named, wherever the rollouts are.
    const { qualitySummary, qualitySummaryNew, verdicts, verdictsNew, findings } = runPaths(
      join(disk.canonical(folder), basename(path)),
    );
    if (path === qualitySummary || path === verdicts) {
      throw new UsageFault(`${shown} is a report of the health checks, and no rollouts file.`);
    }
    return {
      rollouts: [{ path, shown }],
      paths: { qualitySummary, qualitySummaryNew, verdicts, verdictsNew, findings },
      ignored: leftOut,
    };
  } catch (error) {
    if (error instanceof UsageFault) throw error;
    throw new UsageFault(`Cannot look up ${shown}: ${systemReason(error)}.`, { cause: error });
  }
}
