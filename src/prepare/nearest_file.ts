/** "Did you mean …" for a file that is not there: the one beside it whose name is nearest. */
import { basename, dirname, join } from "node:path";
import { nearest } from "../kit/nearest.ts";
import type { Disk } from "../ports/disk.ts";

/** The same for a path that could not be read, whatever the reason: nothing when there is such a file. */
export function ifMissing(path: string, disk: Pick<Disk, "namesIn">): string {
  return disk.namesIn(dirname(path), "file")?.includes(basename(path)) ? "" : nearestFile(path, disk);
}

/** ` Did you mean runs/a.jsonl?`, or nothing. Never throws. */
export function nearestFile(
  path: string,
  disk: Pick<Disk, "namesIn">,
  wanted: "file" | "folder" = "file",
): string {
  const found = nearestPath(path, disk, wanted);
  return found === undefined ? "" : ` Did you mean ${found}?`;
}

function nearestPath(
  path: string,
  disk: Pick<Disk, "namesIn">,
  wanted: "file" | "folder",
): string | undefined {
  const folder = dirname(path), name = basename(path);
  const names = disk.namesIn(folder, wanted);
  if (names) {
    const near = nearest(name, names.filter((other) => other !== name));
    return near === undefined ? undefined : beside(path, near);
  }
  // The folder itself may be misspelt; then the name has to be right, or nearly.
  if (folder === dirname(folder)) return undefined;
  const real = nearestPath(folder, disk, "folder");
  if (real === undefined) return undefined;
  if (disk.namesIn(real, wanted)?.includes(name)) return join(real, name);
  return nearestPath(join(real, name), disk, wanted);
}

/** A file in the same folder, spelled as the user spelled that. */
function beside(path: string, name: string): string {
  return path.includes("/") ? join(dirname(path), name) : name;
}
