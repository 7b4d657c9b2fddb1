/** An earlier run, for those who only look at it. */
import { UsageFault } from "../kit/fault.ts";
import { type RunPaths, runPaths } from "../plan/paths.ts";
import type { RowIndex } from "../plan/row_index.ts";
import type { World } from "../ports/world.ts";
import { InputsIndex } from "../resume/read_inputs.ts";
import { eachLine } from "./each_line.ts";
import { nearestFile } from "./nearest_file.ts";

/** The files of a run, and whether its materialized inputs, which say what was to be done, are among them. */
export interface FoundRun {
  readonly paths: RunPaths;
  readonly hasInputs: boolean;
}

/** Finds the run whose rollouts are in `output`. @throws {UsageFault} when there is none */
export function findRun(output: string, { disk }: Pick<World, "disk">): FoundRun {
  const paths = runPaths(disk.canonical(output));
  const hasInputs = disk.exists(paths.inputs), hasRollouts = disk.exists(paths.rollouts);
  if (disk.isFolder(paths.rollouts)) {
    throw new UsageFault(`${output} is a folder: name the rollouts file in it, as it was given to --output.`);
  }
  if (hasRollouts && !disk.isFile(paths.rollouts)) {
    throw new UsageFault(`${output} is not a rollouts file but a device or a pipe.`);
  }
  if (!hasInputs && !hasRollouts) {
    throw new UsageFault(
      `There is no run at ${output}: neither rollouts nor materialized inputs (${paths.inputs}).` +
        nearestFile(output, disk),
    );
  }
  return { paths, hasInputs };
}

/** The index over the run's materialized inputs, without routes. @throws {UsageFault} when they are not rows */
export async function readIndex({ inputs }: RunPaths, world: Pick<World, "disk">): Promise<RowIndex> {
  const reader = new InputsIndex(inputs, () => 0);
  await eachLine(inputs, world, () => {}, (line) => reader.push(line));
  reader.finish();
  return reader.index;
}
