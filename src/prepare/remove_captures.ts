/** Removes captures of earlier runs before anything is sent. */
import { join } from "node:path";
import { UsageFault } from "../kit/fault.ts";
import { systemReason } from "../kit/system_error.ts";
import type { World } from "../ports/world.ts";

/** The only names that are removed, whoever asks for it. */
const CAPTURE = /^[A-Za-z0-9][\w.-]*\.capture\.(?:jsonl|incomplete)$/;

/**
 * Removes these files from the folder of captures; of a link only the link itself.
 *
 * @throws {UsageFault} when one cannot be removed: its calls would be taken for those of this run
 */
export function removeCaptures(
  folder: string,
  names: readonly string[],
  { disk }: Pick<World, "disk">,
): void {
  if (names.length === 0) return;
  if (disk.canonical(folder) !== folder) throw cannot(folder, "it has become a link");
  for (const name of names) {
    if (!CAPTURE.test(name)) throw new TypeError(`${name} is not the name of a capture`);
    const path = join(folder, name);
    try {
      disk.remove(path);
    } catch (error) {
      throw cannot(path, systemReason(error), error);
    }
  }
}

function cannot(path: string, why: string, cause?: unknown): UsageFault {
  return new UsageFault(
    `Cannot remove the capture of an earlier run ${path}: ${why}. Its calls would be taken for those of this run. ` +
      `Remove it, or name another folder (model_call_capture_dir), here and where the servers are started. ` +
      `Nothing was sent.`,
    { cause },
  );
}
