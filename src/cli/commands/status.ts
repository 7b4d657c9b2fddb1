/** `rollcall status`: where a run stands, from its files alone. Takes no lock and repairs nothing. */
import { isSystemError, systemPlace, systemReason } from "../../kit/system_error.ts";
import { type CliCommand, GROUPS } from "../command.ts";
import type { World } from "../../ports/world.ts";
import { UsageFault } from "../../kit/fault.ts";
import type { RunPaths } from "../../plan/paths.ts";
import { RowIndex } from "../../plan/row_index.ts";
import { inColumns } from "../../report/columns.ts";
import { type Status, statusJson, statusText, statusTotal } from "../../report/status_text.ts";
import { cleaned } from "../../report/text.ts";
import { ATTEMPTS_VARIABLE, attemptsCap } from "../../record/attempts_cap.ts";
import { readManifest } from "../../plan/manifest.ts";
import { findRun, readIndex } from "../../prepare/find_run.ts";
import { Rewards } from "../../resume/rewards.ts";
import { readStanding } from "../../resume/read_standing.ts";

/** What it is asked. */
interface StatusOptions {
  /** The rollouts files, as given to `--output`. */
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
    ["All shards of a job array, one JSON object a line", "rollcall status runs/shard-*.jsonl --json"],
  ],
  exitCodes: [[0, "said, whatever the run's state"], [1, "the machine failed"], [
    2,
    "wrong usage, or no run there",
  ]],
  define: (command, chosen) =>
    void command
      .argument("<output...>", "rollouts files, as given to --output")
      .option("--json", "one JSON object a line for each output, on standard output")
      .action((outputs, { json = false }) => chosen({ outputs, json: json === true })),
  run(options, { world, signals }) {
    signals.giveUp();
    return statusCommand(options, world);
  },
};

/**
 * Prints the status of the runs whose rollouts are in the outputs, and returns the exit code. One that cannot be read
 * does not hide the others.
 *
 * @throws {UsageFault} naming those that cannot be read
 */
export async function statusCommand({ outputs, json }: StatusOptions, world: World): Promise<number> {
  const { terminal } = world;
  const { cap, warning } = attemptsCap(world.env(ATTEMPTS_VARIABLE));
  if (warning !== undefined) terminal.err(`Warning: ${cleaned(warning)}\n`);
  const told: Status[] = [], faults: string[] = [];
  for (const output of outputs) {
    try {
      const status = await statusOf(output, cap, world);
      const text = await inColumns(() => statusText(status, { columns: terminal.columns() }));
      terminal.out(json ? `${statusJson(status)}\n` : `${told.length > 0 ? "\n" : ""}${text}`);
      told.push(status);
    } catch (error) {
      faults.push(wordsFor(error, output));
    }
  }
  if (!json && told.length > 1) terminal.out(`\n${statusTotal(told)}\n`);
  if (faults.length > 0) throw new UsageFault(faults.join("\n"));
  return 0;
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
