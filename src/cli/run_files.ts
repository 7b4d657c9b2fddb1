/** The files of finished runs that a command is given: rollouts files and patterns of them, and what lies beside each. */
import { join } from "node:path";
import { list, UsageFault } from "../kit/fault.ts";
import { systemReason } from "../kit/system_error.ts";
import { inForce, type Manifest, readManifest, Sha256 } from "../plan/manifest.ts";
import { type RunPaths, runPaths } from "../plan/paths.ts";
import { shardOf, type ShardPaths } from "../plan/score_plan.ts";
import type { World } from "../ports/world.ts";
import { nearestFile } from "../prepare/nearest_file.ts";
import { findShards } from "../shards/find_shards.ts";

/** One rollouts file. */
export interface RunFile {
  readonly paths: RunPaths;
  /** What it was planned from; undefined without a manifest that can be read. */
  readonly manifest: Manifest | undefined;
}

export interface RunFiles {
  readonly files: readonly RunFile[];
  /** The same, as the shards that results are read from. */
  readonly shards: readonly ShardPaths[];
  /** For `ReadTools.index`: beside the first of them, and no other process's. */
  readonly index: string;
}

/**
 * The files that patterns name, each once, without what lies beside rollouts.
 *
 * @param given as on the command line: paths, patterns with `*`, `?` and `[…]`, several in one with commas
 * @param note told what is left out, and which runs are still going on
 * @throws {UsageFault} when one names nothing
 */
export async function findRunFiles(
  given: readonly string[],
  { disk, dice }: Pick<World, "disk" | "dice">,
  note: (text: string) => void,
): Promise<RunFiles> {
  const patterns = given.flatMap((one) => one.split(",")).map((one) => one.trim()).filter(Boolean);
  for (const pattern of patterns) {
    if (disk.isFolder(pattern)) {
      throw new UsageFault(
        `${pattern} is a folder: name the rollouts files in it, as in ${join(pattern, "a.jsonl")}.`,
      );
    }
    const { shards } = await findShards(pattern, "", disk, (path) => path);
    if (shards.length > 0) continue;
    throw new UsageFault(
      disk.exists(pattern)
        ? `${pattern} is not a rollouts file, by its name: it is one of the files beside them.`
        : `There is no rollouts file ${pattern}.${nearestFile(pattern, disk)}`,
    );
  }
  if (patterns.length === 0) {
    throw new UsageFault("Name a rollouts file: the one given to --output of a run.");
  }
  const { shards: found, merged } = await findShards(
    patterns.join(","),
    "",
    disk,
    (path) => disk.canonical(path),
  );
  if (merged.length > 0) {
    note(
      `Left out, since the manifest of a merge says that their rows are in other files too:${list(merged)}`,
    );
  }
  const files: RunFile[] = [];
  for (const path of found) {
    const paths = runPaths(path), holder = await disk.holder(paths.lock);
    if (holder) {
      note(
        `A run is collecting into ${path} (process ${holder.pid} on ${holder.host}): what it writes from now on does ` +
          `not count.`,
      );
    }
    files.push({ paths, manifest: await manifestOf(paths, disk) });
  }
  return {
    files,
    shards: files.map(({ paths }) => shardOf(paths)),
    index: indexBeside(files[0]!.paths, dice),
  };
}

/** A file for what is sorted on the disk: beside the rollouts, and no other process's. */
export function indexBeside({ folder }: RunPaths, dice: World["dice"]): string {
  return join(folder, `.rollcall_${Math.floor(dice() * 2 ** 32).toString(16)}.index`);
}

async function manifestOf(
  { manifest, inputs }: RunPaths,
  disk: World["disk"],
): Promise<Manifest | undefined> {
  if (!disk.exists(manifest)) return undefined;
  try {
    const read = readManifest(await disk.readText(manifest));
    if (!read?.extended_from || !disk.exists(inputs)) return read;
    const hash = new Sha256();
    for await (const chunk of disk.readChunks(inputs)) hash.add(chunk);
    return inForce(read, hash.hex());
  } catch (error) {
    throw new UsageFault(`Cannot read ${manifest}: ${systemReason(error)}.`, { cause: error });
  }
}
