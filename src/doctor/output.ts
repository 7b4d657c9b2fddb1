/** Whether the folder of an output can hold a run: tried out with a file beside the output that is removed again. */
import { dirname, join } from "node:path";
import { UsageFault } from "../kit/fault.ts";
import { systemReason } from "../kit/system_error.ts";
import type { RunPaths } from "../plan/paths.ts";
import type { Disk } from "../ports/disk.ts";
import type { World } from "../ports/world.ts";
import { type Finding, finding } from "./finding.ts";

/** The folder that is there already, of an output whose own may be missing. */
export function existingFolder(folder: string, disk: Pick<Disk, "exists">): string {
  return disk.exists(folder) || folder === dirname(folder) ? folder : existingFolder(dirname(folder), disk);
}

/** Writes, syncs and locks a probe. Leaves nothing behind. */
export async function tryOutput(
  { folder }: Pick<RunPaths, "folder">,
  { disk, dice }: Pick<World, "disk" | "dice">,
): Promise<Finding[]> {
  const there = existingFolder(folder, disk);
  const probe = join(there, `.rollcall_probe_${Math.floor(dice() * 2 ** 48).toString(36)}`);
  try {
    const file = disk.create(probe, { isNew: true });
    try {
      file.write(new TextEncoder().encode("rollcall doctor was here; this file can go\n"));
      file.finish();
    } catch (error) {
      file.abandon();
      throw error;
    }
    disk.syncFolder(there);
  } catch (error) {
    remove(probe, disk);
    return [
      finding("output", "fail", `Cannot write and sync a file in ${there}: ${systemReason(error)}.`),
      finding("locks", "skipped", "the output has to be writable first"),
    ];
  }
  const written = there === folder
    ? `${there} takes files and syncs them`
    : `${folder} can be made in ${there}`;
  try {
    return [finding("output", "ok", written), await tryLocks(probe, disk)];
  } finally {
    remove(probe, disk);
  }
}

/** A lock that is taken twice is none. */
async function tryLocks(probe: string, disk: Disk): Promise<Finding> {
  let lock;
  try {
    lock = await disk.lock(probe, probe, () => {});
  } catch (error) {
    return finding("locks", "fail", `Cannot lock a file beside the output: ${(error as Error).message}`);
  }
  let isWatched = false;
  try {
    const second = await disk.lock(probe, probe, () => isWatched = true);
    second.release();
    return finding(
      "locks",
      "warning",
      "the file system has none that hold: nothing but you keeps two runs out of one output",
    );
  } catch (error) {
    if (!(error instanceof UsageFault)) throw error;
    return isWatched
      ? finding("locks", "ok", "the file system has none; heartbeats keep two runs out of one output")
      : finding("locks", "ok", "the file system has locks, which keep two runs out of one output");
  } finally {
    lock.release();
  }
}

function remove(path: string, disk: Disk): void {
  try {
    disk.remove(path);
  } catch {
    // Said as what could not be written; a second sentence about the same folder helps nobody.
  }
}

/** Whether the files that a resume appends to may be written, and whether somebody else is at it. */
export async function tryFiles(
  paths: RunPaths,
  resumes: boolean,
  { disk }: Pick<World, "disk">,
): Promise<Finding> {
  const holder = await disk.holder(paths.lock);
  if (holder) {
    return finding(
      "files",
      "fail",
      `Process ${holder.pid} on ${holder.host} is collecting into ${paths.rollouts}.`,
    );
  }
  const appended = resumes ? [paths.rollouts, paths.failures].filter((path) => disk.exists(path)) : [];
  for (const path of appended) {
    try {
      disk.files.append(path).close();
    } catch (error) {
      return finding("files", "fail", `Cannot write to ${path}: ${systemReason(error)}.`);
    }
  }
  return finding(
    "files",
    "ok",
    resumes
      ? "those of the earlier run may be written"
      : (disk.files.size(paths.rollouts) ?? 0) > 0
      ? `the rollouts there will be kept as ${paths.rolloutsOld}`
      : "no rollouts of an earlier run",
  );
}
