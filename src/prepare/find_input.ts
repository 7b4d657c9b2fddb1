/** Where files that a run reads are looked for. */
import { isAbsolute, join } from "node:path";
import { UsageFault } from "../kit/fault.ts";
import { systemReason } from "../kit/system_error.ts";
import type { Env } from "../ports/env.ts";
import type { World } from "../ports/world.ts";
import { nearestFile } from "./nearest_file.ts";

/** What is looked for; a skills path is a folder, everything else a file. */
export type Wanted = "file" | "folder";

/** The folders of NEMO_GYM_EXTRA_ROOTS. */
export function extraRoots(env: Env): string[] {
  return (env("NEMO_GYM_EXTRA_ROOTS") ?? "").split(":").filter((root) => root !== "");
}
/** A pipe that is read through its name could not be read again from the start. */
const STANDARD_INPUT: ReadonlySet<string> = new Set(["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]);

/**
 * The path of an input, prompt, configuration file or skills folder: relative ones are looked up in the folders of
 * NEMO_GYM_EXTRA_ROOTS, then in the working folder, as Gym does.
 *
 * @param key the configuration key, for the error
 * @throws {UsageFault} naming every place that was looked at, or what is wrong with the one that was found
 */
export function findInput(
  path: string,
  key: string,
  { env, disk }: Pick<World, "env" | "disk">,
  wanted: Wanted = "file",
): string {
  if (wanted === "file" && STANDARD_INPUT.has(path)) return "-";
  const roots = isAbsolute(path) ? [] : extraRoots(env);
  const places = [...roots.map((root) => join(root, path)), path];
  let found: string | undefined, isFolder: boolean;
  try {
    found = places.find((place) => disk.exists(place));
    isFolder = found !== undefined && disk.isFolder(found);
  } catch (error) {
    throw new UsageFault(`Cannot look up ${path} (${key}): ${systemReason(error)}.`, { cause: error });
  }
  if (found === undefined) {
    const suggested = places.map((place) => nearestFile(place, disk, wanted)).find((text) => text !== "") ??
      "";
    const where = places.length > 1 ? `; looked for ${places.join(", ")}` : "";
    throw new UsageFault(
      `Cannot find ${path} (${key}): there is no such file or folder${where}.${suggested}`,
    );
  }
  if (isFolder !== (wanted === "folder")) {
    const is = isFolder ? "folder" : "file";
    throw new UsageFault(`Cannot use ${found} (${key}): it is a ${is}, and a ${wanted} is needed.`);
  }
  return found;
}
