/** `rollcall status`: where a run stands, from its files alone. Takes no lock and repairs nothing. */
import { normalize } from "node:path";
import { isSystemError, systemPlace, systemReason } from "../../kit/system_error.ts";
import { type CliCommand, GROUPS } from "../command.ts";
import type { World } from "../../ports/world.ts";
import { UsageFault } from "../../kit/fault.ts";
import { type RunPaths, runPaths } from "../../plan/paths.ts";
import { RowIndex } from "../../plan/row_index.ts";
import { inColumns } from "../../report/columns.ts";
import { type Status, statusJson, statusText, statusTotal } from "../../report/status_text.ts";
import { type ShardStatus, shardStatus, shardsText } from "../../report/shards_text.ts";
import { findShards, isPattern } from "../../shards/find_shards.ts";
import { missingShards, numbersText, patternOf, shardSets } from "../../shards/shard_set.ts";
import { cleaned } from "../../report/text.ts";
import { ATTEMPTS_VARIABLE, attemptsCap } from "../../record/attempts_cap.ts";
import { readManifest } from "../../plan/manifest.ts";
import { findRun, readIndex } from "../../prepare/find_run.ts";
import { Rewards } from "../../resume/rewards.ts";
import { readStanding } from "../../resume/read_standing.ts";

/** What it is asked. */
interface StatusOptions {
  /** The rollouts files, as given to `--output`, or patterns of them. */
  readonly outputs: readonly string[];
  /** Whether the answer is JSON: one object a line for each output. */
  readonly json: boolean;
}

/** The command. */
export const status: CliCommand<StatusOptions> = {
  name: "status",
  group: GROUPS.finished,
  about: "say where a run stands, running or not: done, failed, left; from its files alone",
  examples: [
    ["How far a run is", "rollcall status runs/a.jsonl"],
    [
      "The shards of a run together: the sum, the slowest, the time left",
      "rollcall status 'runs/a-shard-*.jsonl'",
    ],
    ["The same, one JSON object a shard", "rollcall status 'runs/a-shard-*.jsonl' --json"],
  ],
  exitCodes: [[0, "said, whatever the run's state"], [1, "the machine failed"], [
    2,
    "wrong usage, or no run there",
  ]],
  define: (command, chosen) =>
    void command
      .argument("<output...>", "rollouts files, as given to --output, or patterns of them")
      .option("--json", "one JSON object a line for each output, on standard output")
      .action((outputs, { json = false }) => chosen({ outputs, json: json === true })),
  run(options, { world, signals }) {
    signals.giveUp();
    return statusCommand(options, world);
  },
};

/**
 * Prints the status of the runs whose rollouts are in the outputs, of the shards of one run together, and returns the
 * exit code. One that cannot be read does not hide the others.
 *
 * @throws {UsageFault} naming those that cannot be read
 */
export async function statusCommand({ outputs, json }: StatusOptions, world: World): Promise<number> {
  const { terminal } = world;
  const { cap, warning } = attemptsCap(world.env(ATTEMPTS_VARIABLE));
  if (warning !== undefined) terminal.err(`Warning: ${cleaned(warning)}\n`);
  const faults: string[] = [], runs = await foundRuns(outputs, world, faults);
  const sets = shardSets(runs).filter(({ files }) =>
    files.size > 1 || !outputs.includes([...files.values()][0]!)
  );
  const shardOf = new Map(
    sets.flatMap(({ files }, set) => [...files].map(([shard, path]) => [path, { set, shard }] as const)),
  );
  const ofSets: ShardStatus[][] = sets.map(() => []), told: Status[] = [];
  let isFirst = true;
  const print = async (make: (look: { readonly columns: number }) => string) => {
    const look = { columns: terminal.columns() };
    terminal.out(`${isFirst ? "" : "\n"}${await inColumns(() => make(look))}`);
    isFirst = false;
  };
  for (const run of runs) {
    try {
      const status = await statusOf(run, cap, world), at = shardOf.get(run);
      if (json) terminal.out(`${statusJson(status)}\n`);
      else if (at) ofSets[at.set]!.push(shardStatus(at.shard, status));
      else {
        await print((look) => statusText(status, look));
        told.push(status);
      }
    } catch (error) {
      faults.push(wordsFor(error, run));
    }
  }
  if (!json) {
    for (const [k, set] of sets.entries()) {
      const pattern = patternOf(set), missing = missingShards(set), shards = ofSets[k]!, { count } = set;
      const run = { pattern, count, shards, missing, cap, ranges: numbersText };
      await print((look) => shardsText(run, look));
    }
    if (told.length > 1) terminal.out(`\n${statusTotal(told)}\n`);
  }
  if (faults.length > 0) throw new UsageFault(faults.join("\n"));
  return 0;
}

/**
 * The rollouts files that are named, patterns looked up; without the other files of a run that is named too, as a
 * shell's `*` has them.
 */
async function foundRuns(
  outputs: readonly string[],
  { disk }: Pick<World, "disk">,
  faults: string[],
): Promise<string[]> {
  const found = new Set<string>();
  for (const output of outputs) {
    if (!isPattern(output) || disk.exists(output)) {
      found.add(output);
      continue;
    }
    const { shards } = await findShards(output, undefined, disk, (path) => disk.canonical(path));
    if (shards.length === 0) faults.push(`No rollouts file matches ${output}.`);
    for (const path of shards) found.add(path);
  }
  const beside = new Set([...found].flatMap((path) => {
    const { rollouts, folder: _, ...others } = runPaths(normalize(path));
    return Object.values(others).filter((other) => other !== rollouts);
  }));
  return [...found].filter((path) => !beside.has(normalize(path)));
}

/** What is wrong with an output. @throws the error itself when it is a fault of rollcall's own */
function wordsFor(error: unknown, output: string): string {
  if (error instanceof UsageFault) return error.message;
  if (!isSystemError(error)) throw error;
  return `Cannot read the run at ${output}: ${systemReason(error)}${systemPlace(error)}.`;
}

async function statusOf(output: string, cap: number, world: World): Promise<Status> {
  const { disk } = world;
  const { paths, hasInputs } = findRun(output, world);
  const index = hasInputs ? await readIndex(paths, world) : new RowIndex();
  const rewards = new Rewards();
  const how = {
    cap,
    retryInvalidJudge: false,
    retryExhausted: false,
    retryFailures: [],
    retryTerminalTimeouts: false,
  };
  const read = readStanding(disk.files, paths, index, how, (_, line) => rewards.add(line));
  return {
    output: paths.rollouts,
    ...read,
    rewards,
    standing: hasInputs ? read.standing : null,
    cap,
    holder: await disk.holder(paths.lock) ?? null,
    runs: await readRuns(paths, world),
  };
}

async function readRuns({ manifest }: RunPaths, { disk }: World): Promise<Status["runs"]> {
  if (!disk.exists(manifest)) return [];
  return readManifest(await disk.readText(manifest))?.runs ?? [];
}
