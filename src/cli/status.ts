/** `rollcall status`: where a run stands, told from its files alone. Takes no lock and repairs nothing. */
import type { World } from "./world.ts";
import { UsageFault } from "../kit/fault.ts";
import { LineSplitter } from "../kit/lines.ts";
import { type RunPaths, runPaths } from "../plan/paths.ts";
import { RowIndex } from "../plan/row_index.ts";
import { type Status, statusJson, statusText } from "../report/status_text.ts";
import { ATTEMPTS_VARIABLE, attemptsCap } from "../resume/attempts_cap.ts";
import { readManifest } from "../resume/manifest.ts";
import { InputsIndex } from "../resume/read_inputs.ts";
import { readStanding } from "../resume/read_standing.ts";

/** Prints the status of the run whose rollouts are in `output`. Returns the exit code. @throws {UsageFault} */
export async function statusCommand(
  { output, json }: { readonly output: string; readonly json: boolean },
  world: World,
): Promise<number> {
  const { disk, terminal } = world;
  const paths = runPaths(disk.canonical(output));
  const { cap, warning } = attemptsCap(world.env(ATTEMPTS_VARIABLE));
  if (warning !== undefined) terminal.err(`Warning: ${warning}\n`);
  const hasInputs = disk.exists(paths.inputs);
  if (!hasInputs && !disk.exists(paths.rollouts)) {
    throw new UsageFault(
      `There is no run at ${output}: neither rollouts nor materialized inputs (${paths.inputs}).`,
    );
  }
  const index = hasInputs ? await readInputs(paths, world) : new RowIndex();
  const read = readStanding(disk.files, paths, index, {
    cap,
    retryInvalidJudge: false,
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
