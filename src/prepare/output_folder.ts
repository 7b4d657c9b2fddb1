/** The folder of an output. */
import { UsageFault } from "../kit/fault.ts";
import { systemReason } from "../kit/system_error.ts";
import type { World } from "../ports/world.ts";

/** Makes the folder of the output and returns what was missing of it. @throws {UsageFault} when it cannot be */
export function makeOutputFolder(folder: string, { disk }: World): string[] {
  try {
    return disk.makeFolder(folder);
  } catch (error) {
    const isFile = disk.exists(folder) && !disk.isFolder(folder);
    const reason = isFile ? "there is a file of that name" : systemReason(error);
    throw new UsageFault(`Cannot make the output folder ${folder}: ${reason}.`, { cause: error });
  }
}
