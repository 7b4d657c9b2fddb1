/** The work of `rollcall profile`. */
import { RunFault, UsageFault } from "../kit/fault.ts";
import { isSystemError, systemPlace, systemReason } from "../kit/system_error.ts";
import { RewardProfile } from "../metrics/reward_profile.ts";
import { runPaths } from "../plan/paths.ts";
import { shardOf } from "../plan/score_plan.ts";
import type { World } from "../ports/world.ts";
import { readConfigFile } from "../prepare/config_files.ts";
import { nearestFile } from "../prepare/nearest_file.ts";
import { inColumns } from "../report/columns.ts";
import type { Profile } from "../report/profile_data.ts";
import { END_OF_TASKS, profileCsv, profileHead, taskJson, taskLines } from "../report/profile_json.ts";
import { profileText } from "../report/profile_text.ts";
import { cleaned } from "../report/text.ts";
import { pricesFrom } from "../results/prices.ts";
import { ProfileFold } from "../results/profile.ts";
import { Results } from "../results/results.ts";
import { type TaskRow, taskRow } from "../results/task_row.ts";
import { replaceFile, textInto } from "../store/whole_file.ts";
import type { GymProfile, ProfileOptions } from "./commands/profile.ts";
import { breather } from "./breathe.ts";
import { findRunFiles, indexBeside, type RunFiles } from "./run_files.ts";
import type { Signals } from "./signals.ts";

/** Characters that are printed at a time. */
const PIECE = 1 << 18;
/** How long a reader of standard output may take for one, before the next is made all the same. */
const PATIENCE_MS = 60_000;

/** Profiles and returns the exit code. @throws {UsageFault} when there is nothing to read, or it cannot be read */
export async function profileCommand(
  options: ProfileOptions,
  world: World,
  signals: Signals,
): Promise<number> {
  const { disk, terminal } = world, notes: string[] = [];
  const prices = options.prices === undefined
    ? undefined
    : pricesFrom((await readConfigFile(options.prices, world)).value, options.prices);
  const found = options.gym
    ? gymFiles(options.gym, world)
    : await findRunFiles(options.files, world, (text) => notes.push(text));
  const breathe = breather(world, signals);
  signals.check();
  let results: Results | undefined;
  try {
    results = await Results.read(found.shards, { files: disk.files, index: found.index, breathe });
    if (options.gym) notes.push(await writeGymFiles(options.gym, results, world, breathe));
    const fold = new ProfileFold(options);
    for await (const task of results.tasks(options.by)) fold.add(task);
    notes.push(...notesOf(results, options));
    const profile = {
      files: found.files.map(({ paths }) => paths.rollouts),
      agents: fold.agents(),
      groups: fold.groups(),
      by: options.by,
      passAt: options.passAt,
      prices,
      leftOut: results.leftOut,
      notes,
    };
    if (options.format === "text") {
      const look = { columns: terminal.columns(), colour: terminal.colour };
      terminal.out(await inColumns(() => profileText(profile, look)));
    } else await printAll(profile, results, options, world);
    return 0;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new RunFault(`Cannot profile: ${systemReason(error)}${systemPlace(error)}.`, { cause: error });
  } finally {
    results?.close();
  }
}

function notesOf({ hasInputs }: Results, { by }: ProfileOptions): string[] {
  const without = hasInputs.filter((has) => !has).length;
  if (without === 0) return [];
  const which = without === hasInputs.length ? "these rollouts" : `${without} of the files`;
  return [
    `Without materialized inputs beside ${which}, it is not known what was planned, and tasks have numbers only` +
    `${by === undefined ? "" : `: nothing is known of ${by}`}.`,
  ];
}

/** The whole profile with all tasks; they are read once more, so that they need no memory. */
async function printAll(
  profile: Profile,
  results: Results,
  { by, passAt, format }: ProfileOptions,
  { terminal }: World,
): Promise<void> {
  const isJson = format === "json";
  let waiting = isJson ? profileHead(profile) : [...profileCsv(profile)].join(""), isFirst = true;
  const spreads = new Map(profile.agents.map(({ agent, spread }) => [agent, spread]));
  const csv = taskLines(profile);
  const spreadOf = (agent: string) => spreads.get(agent);
  const print = async (text: string, least: number) => {
    waiting += text;
    if (waiting.length < least) return;
    terminal.out(waiting);
    waiting = "";
    await terminal.flush(PATIENCE_MS);
  };
  for await (const task of results.tasks(by)) {
    const row: TaskRow = taskRow(task, { passAt, prices: profile.prices, spreadOf });
    await print(isJson ? taskJson(row, isFirst) : csv(row), PIECE);
    isFirst = false;
  }
  await print(isJson ? END_OF_TASKS : "", 1);
  if (!isJson) { for (const note of profile.notes) terminal.err(`${cleaned(note)}\n`); }
}

function gymFiles({ inputs, rollouts }: GymProfile, { disk, dice }: World): RunFiles {
  for (const [path, flag] of [[inputs, "--inputs"], [rollouts, "--rollouts"]] as const) {
    if (!disk.exists(path) || disk.isFolder(path)) {
      throw new UsageFault(`There is no file ${path} (${flag}).${nearestFile(path, disk)}`);
    }
  }
  const paths = { ...runPaths(disk.canonical(rollouts)), inputs: disk.canonical(inputs) };
  return {
    files: [{ paths, manifest: undefined }],
    shards: [shardOf(paths)],
    index: indexBeside(paths, dice),
  };
}

/** Writes the files of Gym's `eval profile`. Returns what to tell the user. */
async function writeGymFiles(
  { partial, rollouts }: GymProfile,
  { runs }: Results,
  { disk }: World,
  breathe: () => Promise<void>,
): Promise<string> {
  const profile = await RewardProfile.of(runs, { partial, breathe });
  const paths = runPaths(disk.canonical(rollouts)),
    stem = paths.metrics.replace(/_aggregate_metrics\.json$/, "");
  const [tasks, agents, repeats] = [
    "_reward_profiling.jsonl",
    "_agent_metrics.json",
    "_repeat_level_metrics.json",
  ]
    .map((ending) => stem + ending) as [string, string, string];
  const replace = (path: string, fill: (text: (text: string) => void) => Promise<void>) =>
    replaceFile(disk.files, {
      path,
      temporary: `${path}.new`,
      refused: (cause) => new RunFault(`Cannot write ${path}: ${systemReason(cause)}.`, { cause }),
    }, (write) => fill(textInto(write)));
  let rest: Awaited<ReturnType<RewardProfile["tell"]>> | undefined;
  await replace(tasks, async (text) => void (rest = await profile.tell((json) => text(`${json}\n`))));
  await replace(agents, (text) => Promise.resolve(text(JSON.stringify(rest!.agents))));
  await replace(repeats, (text) => Promise.resolve(text(JSON.stringify(rest!.repeats))));
  disk.syncFolder(paths.folder);
  const { completion } = profile;
  return `Gym's files of ${completion.completed} of ${completion.expected} rollouts (${completion.masked} masked): ` +
    `${tasks}, ${agents}, ${repeats}`;
}
