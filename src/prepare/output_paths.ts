/** Where a run writes, and what cannot be an output. */
import { basename } from "node:path";
import type { Config } from "../config/config.ts";
import { UsageFault } from "../kit/fault.ts";
import { systemReason } from "../kit/system_error.ts";
import { type RunPaths, runPaths } from "../plan/paths.ts";
import type { World } from "../ports/world.ts";

/** The files of the run's output, with links in its folder resolved. */
export function outputPaths(
  config: Pick<Config, "output_jsonl_fpath">,
  { disk }: Pick<World, "disk">,
): RunPaths {
  const output = config.output_jsonl_fpath;
  if (output === "-") {
    throw new UsageFault(
      "output_jsonl_fpath must name a file: a run writes several beside each other, none to standard output (-). " +
        "A file of that name is ./-",
    );
  }
  if (/[/\\]$/.test(output) || basename(output) === "") {
    throw new UsageFault(`output_jsonl_fpath must name a file, got ${JSON.stringify(output)}.`);
  }
  let paths, folder, device, link;
  try {
    paths = runPaths(disk.canonical(output));
    device = disk.exists(paths.rollouts) && !disk.isFolder(paths.rollouts) && !disk.isFile(paths.rollouts);
    // A folder in place of one of them would be set aside with everything in it, and reading a pipe might never end.
    folder = device
      ? undefined
      : Object.values(paths).find((path) =>
        path !== paths!.folder && disk.exists(path) && !disk.isFile(path)
      );
    // Whoever put a link there decides what would be overwritten; one of the output itself is the user's, and resolved.
    link = Object.values(paths).find((path) => disk.canonical(path) !== path);
  } catch (error) {
    throw new UsageFault(`Cannot use output_jsonl_fpath ${output}: ${systemReason(error)}.`, {
      cause: error,
    });
  }
  if (device) {
    throw new UsageFault(`output_jsonl_fpath must name a file, and ${output} is a device or a pipe.`);
  }
  if (paths.rollouts === paths.qualitySummary || paths.rollouts === paths.verdicts) {
    throw new UsageFault(
      `output_jsonl_fpath cannot be ${output}: the report of the health checks has that name.`,
    );
  }
  if (paths.rollouts === paths.lock) {
    throw new UsageFault(`output_jsonl_fpath cannot be ${output}: the lock of the run has that name.`);
  }
  if (link !== undefined) {
    throw new UsageFault(
      `Cannot use output_jsonl_fpath ${output}: the run's file ${link} is a link to ${
        disk.canonical(link)
      }. ` +
        `Only the output itself may be one: remove it, or name another output.`,
    );
  }
  if (folder === undefined) return paths;
  if (folder === paths.rollouts) {
    throw new UsageFault(`output_jsonl_fpath must name a file, and ${output} is a folder.`);
  }
  const what = disk.isFolder(folder) ? "a folder" : "a device or a pipe";
  throw new UsageFault(`Cannot use output_jsonl_fpath ${output}: the run's file ${folder} is ${what}.`);
}

/**
 * A file that the run reads and that is one of its own would be set aside or overwritten.
 * @throws {UsageFault} naming it */
export function refuseAsOutput(what: string, path: string, paths: RunPaths, { disk }: World): void {
  const own = Object.values(paths).filter((other) => other !== paths.folder);
  if (path === "-" || !own.includes(disk.canonical(path))) return;
  throw new UsageFault(
    `The ${what} ${path} is one of the files that a run into ${paths.rollouts} replaces. Name another output.`,
  );
}
