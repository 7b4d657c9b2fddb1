/** The names of the files that the health checks write: of the whole folder, as in Gym, unless they are another output's. */
import { basename, join } from "node:path";
import { UsageFault } from "../kit/fault.ts";
import { systemReason } from "../kit/system_error.ts";
import { reportsIn } from "../plan/manifest.ts";
import { type RunPaths, withOwnReports } from "../plan/paths.ts";
import type { World } from "../ports/world.ts";

/**
 * The paths with the reports of the health checks under a name of this output, where the folder's are another output's
 * by the manifests there; `note` says so. An output keeps the names that it has.
 *
 * @throws {UsageFault} when the folder cannot be read
 */
export async function claimReports(
  paths: RunPaths,
  { disk }: Pick<World, "disk">,
): Promise<{ readonly paths: RunPaths; readonly note?: string }> {
  const shared = basename(paths.qualitySummary);
  const named = withOwnReports(paths);
  if (!disk.exists(paths.folder)) return { paths };
  let owner: string | undefined;
  try {
    const own = disk.exists(paths.manifest) ? reportsIn(await disk.readText(paths.manifest)) : undefined;
    if (own?.summary === shared) return { paths };
    if (own?.summary === basename(named.qualitySummary)) return { paths: named };
    for (const name of (await disk.filesIn(paths.folder)).sort()) {
      const path = join(paths.folder, name);
      if (!name.endsWith("_manifest.json") || path === paths.manifest) continue;
      const theirs = reportsIn(await disk.readText(path));
      if (theirs?.summary === shared) owner ??= theirs.output ?? name;
    }
  } catch (error) {
    throw new UsageFault(`Cannot read the folder ${paths.folder}: ${systemReason(error)}.`, { cause: error });
  }
  if (owner === undefined) return { paths };
  return {
    paths: named,
    note:
      `${shared} and ${basename(paths.verdicts)} in ${paths.folder} are those of ${owner}; this output has ` +
      `${basename(named.qualitySummary)} and ${basename(named.verdicts)}.`,
  };
}
