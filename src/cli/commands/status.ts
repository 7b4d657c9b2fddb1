/** `rollcall status`: where a run stands, from its files alone. Takes no lock and repairs nothing. */
import { isSystemError, systemPlace, systemReason } from "../../kit/system_error.ts";
import { type CliCommand, GROUPS } from "../command.ts";
import type { World } from "../../ports/world.ts";
import { UsageFault } from "../../kit/fault.ts";
import { LineSplitter } from "../../kit/lines.ts";
import { type RunPaths, runPaths } from "../../plan/paths.ts";
import { RowIndex } from "../../plan/row_index.ts";
import { type Status, statusJson, statusText } from "../../report/status_text.ts";
import { cleaned } from "../../report/text.ts";
import { ATTEMPTS_VARIABLE, attemptsCap } from "../../record/attempts_cap.ts";
import { readManifest } from "../../plan/manifest.ts";
import { InputsIndex } from "../../resume/read_inputs.ts";
import { readStanding } from "../../resume/read_standing.ts";

/** What it is asked. */
interface StatusOptions {
  /** The rollouts file, as given to `--output`. */
  readonly output: string;
  /** Whether the answer is one JSON object. */
  readonly json: boolean;
}

/** The command. */
export const status: CliCommand<StatusOptions> = {
  name: "status",
  group: GROUPS.finished,
  about: "say where a run stands, running or not: done, failed, left; from its files alone",
  examples: [
    ["How far a run is", "rollcall status runs/a.jsonl"],
    ["The same for a script", "rollcall status runs/a.jsonl --json"],
  ],
  exitCodes: [[0, "said, whatever the run's state"], [1, "the machine failed"], [
    2,
    "wrong usage, or no run there",
  ]],
  define: (command, chosen) =>
    void command
      .argument("<output>", "the rollouts file, as given to --output")
      .option("--json", "one JSON object on standard output")
      .action((output, { json = false }) => chosen({ output, json: json === true })),
  run(options, { world, signals }) {
    signals.giveUp();
    return statusCommand(options, world);
  },
};

/** Prints the status of the run whose rollouts are in `output`. Returns the exit code. @throws {UsageFault} */
export async function statusCommand(
  options: StatusOptions,
  world: World,
): Promise<number> {
  try {
    return await printStatus(options, world);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new UsageFault(
      `Cannot read the run at ${options.output}: ${systemReason(error)}${systemPlace(error)}.`,
      { cause: error },
    );
  }
}

async function printStatus(
  { output, json }: StatusOptions,
  world: World,
): Promise<number> {
  const { disk, terminal } = world;
  const paths = runPaths(disk.canonical(output));
  const { cap, warning } = attemptsCap(world.env(ATTEMPTS_VARIABLE));
  if (warning !== undefined) terminal.err(`Warning: ${cleaned(warning)}\n`);
  const hasInputs = disk.exists(paths.inputs);
  if (disk.isFolder(paths.rollouts)) {
    throw new UsageFault(`${output} is a folder: name the rollouts file in it, as it was given to --output.`);
  }
  if (disk.exists(paths.rollouts) && !disk.isFile(paths.rollouts)) {
    throw new UsageFault(`${output} is not a rollouts file but a device or a pipe.`);
  }
  if (!hasInputs && !disk.exists(paths.rollouts)) {
    throw new UsageFault(
      `There is no run at ${output}: neither rollouts nor materialized inputs (${paths.inputs}).`,
    );
  }
  const index = hasInputs ? await readInputs(paths, world) : new RowIndex();
  const read = readStanding(disk.files, paths, index, {
    cap,
    retryInvalidJudge: false,
    retryExhausted: false,
    retryTerminalTimeouts: false,
  });
  const status: Status = {
    output: paths.rollouts,
    ...read,
    standing: hasInputs ? read.standing : null,
    cap,
    holder: await disk.holder(paths.lock) ?? null,
    runs: await readRuns(paths, world),
  };
  terminal.out(json ? `${statusJson(status)}\n` : statusText(status, { columns: terminal.columns() }));
  return 0;
}

async function readInputs({ inputs }: RunPaths, { disk }: World): Promise<RowIndex> {
  const reader = new InputsIndex(inputs, () => 0), splitter = new LineSplitter();
  for await (const chunk of disk.readChunks(inputs)) {
    for (const line of splitter.push(chunk)) reader.push(line);
  }
  for (const line of splitter.end()) reader.push(line);
  reader.finish();
  return reader.index;
}

async function readRuns({ manifest }: RunPaths, { disk }: World): Promise<Status["runs"]> {
  if (!disk.exists(manifest)) return [];
  return readManifest(await disk.readText(manifest))?.runs ?? [];
}
