/** Writes the report of Gym's `eval compare`. */
import { basename, dirname, join } from "node:path";
import { RunFault, UsageFault } from "../kit/fault.ts";
import { systemReason } from "../kit/system_error.ts";
import { runPaths } from "../plan/paths.ts";
import type { World } from "../ports/world.ts";
import { nearestFile } from "../prepare/nearest_file.ts";
import { gymReportJson, gymReportMarkdown } from "../report/gym_comparison.ts";
import { compareAsGym } from "../results/gym/compare.ts";
import { gymEntries, type GymRun } from "../results/gym/run.ts";
import { replaceFile, textInto } from "../store/whole_file.ts";
import type { GymCompare } from "./commands/compare.ts";

/** The version of Gym whose report this is. */
const GYM = "0.7.0";

/** Writes it and returns the files. @throws {UsageFault} when there is nothing to compare */
export async function writeGymReport(
  gym: GymCompare,
  rollouts: { readonly baseline: string; readonly candidate: string },
  world: World,
): Promise<string[]> {
  const { disk, clock, args } = world;
  const baseline = await readRun("baseline", rollouts.baseline, gym.baselineMetrics, world);
  const candidate = await readRun("candidate", rollouts.candidate, gym.candidateMetrics, world);
  const { comparisons, skipped, warnings } = compareAsGym(baseline, candidate, gym);
  const report = {
    schema_version: "1",
    generated_at: `${new Date(clock.date()).toISOString().slice(0, 19)}+00:00`,
    nemo_gym_version: GYM,
    command: ["rollcall", ...args].map(quoted).join(" "),
    baseline: baseline.file,
    candidates: [candidate.file],
    comparisons,
    skipped_agents: skipped,
    warnings,
  } as const;
  if (gym.folder !== undefined) {
    if (disk.exists(gym.folder) && !disk.isFolder(gym.folder)) {
      throw new UsageFault(`--output-dir ${gym.folder} is a file.`);
    }
    disk.makeFolder(gym.folder);
  }
  const folder = disk.canonical(gym.folder ?? dirname(candidate.file.rollouts_jsonl_fpath));
  const files: [string, string][] = [
    ...(gym.format === "json" ? [] : [["compare_report.md", gymReportMarkdown(report)] as [string, string]]),
    ...(gym.format === "md" ? [] : [["compare_report.json", gymReportJson(report)] as [string, string]]),
  ];
  for (const [name, text] of files) {
    const path = join(folder, name);
    await replaceFile(disk.files, {
      path,
      temporary: `${path}.new`,
      refused: (cause) => new RunFault(`Cannot write ${path}: ${systemReason(cause)}.`, { cause }),
    }, (write) => Promise.resolve(textInto(write)(text)));
  }
  disk.syncFolder(folder);
  return files.map(([name]) => join(folder, name));
}

async function readRun(
  role: "baseline" | "candidate",
  rollouts: string,
  metrics: string | undefined,
  { disk }: World,
): Promise<GymRun> {
  const path = absolute(rollouts, disk);
  const file = metrics === undefined ? runPaths(path).metrics : absolute(metrics, disk);
  if (!disk.exists(file)) {
    const flag = role === "baseline" ? "--baseline-agg-metrics" : "--candidates-agg-metrics";
    throw new UsageFault(
      `There are no aggregate metrics ${file} of the ${role}.${
        nearestFile(file, disk)
      } rollcall aggregate makes them; ` +
        `${flag} names them where they are elsewhere.`,
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(await disk.readText(file));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UsageFault(`${file} is not JSON: ${error.message}.`, { cause: error });
  }
  const entries = gymEntries(value, file);
  return {
    file: {
      role,
      index: 0,
      rollouts_jsonl_fpath: path,
      aggregate_metrics_fpath: file,
      label: basename(dirname(path)) || basename(path).replace(/(?<=.)\.[^.]*$/, ""),
      agent_names: [...entries.keys()].sort(),
    },
    entries,
  };
}

/** The path with its folder's links resolved; the file itself may not be there. @throws {UsageFault} for no such folder */
function absolute(path: string, disk: World["disk"]): string {
  const folder = dirname(path);
  if (!disk.isFolder(folder)) {
    throw new UsageFault(`There is no folder ${folder}.${nearestFile(folder, disk, "folder")}`);
  }
  return join(disk.canonical(folder), basename(path));
}

/** A word as a shell takes it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}
