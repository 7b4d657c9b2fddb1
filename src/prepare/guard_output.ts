/** What must not happen to the files next to an output. Checked before anything is touched. */
import { basename, extname, join } from "node:path";
import type { Config } from "../config/config.ts";
import { UsageFault } from "../kit/fault.ts";
import { type Manifest, readManifest } from "../plan/manifest.ts";
import type { RunPaths } from "../plan/paths.ts";
import type { World } from "../ports/world.ts";
import { slurmJob } from "./slurm_budget.ts";

/** The manifest next to an output; `undefined` when there is none, or none that this version understands. */
export async function manifestBeside(
  { manifest }: Pick<RunPaths, "manifest">,
  { disk }: Pick<World, "disk">,
): Promise<Manifest | undefined> {
  return disk.exists(manifest) ? readManifest(await disk.readText(manifest)) : undefined;
}

/**
 * Names differ only after the last dot: `runs/qwen2.5` and `runs/qwen2.7` share sidecar, inputs, manifest and metrics.
 *
 * @throws {UsageFault} when the files beside the output belong to another output
 */
export async function refuseFilesOfAnotherOutput(
  paths: RunPaths,
  manifest: Manifest | undefined,
  world: Pick<World, "disk">,
): Promise<void> {
  const own = basename(paths.rollouts), stem = stemOf(own);
  const other = manifest ? outputOf(manifest) : await strangersRollouts(paths, world);
  if (other === undefined || other === own || stemOf(other) !== stem) return;
  const better = /^\.jsonl?$/i.test(extname(own)) ? `${stem}_2${extname(own)}` : `${own}.jsonl`;
  throw new UsageFault(
    `Cannot use ${paths.rollouts} as the output: the files beside it (${
      basename(paths.inputs)
    } and others named ` +
      `after ${stem}) belong to ${
        join(paths.folder, other)
      }. Files are named after the output without what follows ` +
      `its last dot. Name another output, such as ${better}` +
      (manifest ? `; if ${other} was renamed to ${own}, change "output" in ${paths.manifest}` : "") +
      `. Nothing was touched.`,
  );
}

function stemOf(name: string): string {
  return basename(name, extname(name));
}

function outputOf({ output, config }: Manifest): string | undefined {
  const given = config.output_jsonl_fpath;
  return output ?? (typeof given === "string" ? basename(given) : undefined);
}

/** Where no manifest says whose the files beside an output are: rollouts of the same stem, while there are none of its own. */
async function strangersRollouts(
  paths: RunPaths,
  { disk }: Pick<World, "disk">,
): Promise<string | undefined> {
  if (disk.exists(paths.rollouts)) return undefined;
  if (![paths.inputs, paths.failures].some((path) => disk.exists(path))) return undefined;
  const stem = stemOf(basename(paths.rollouts));
  for (const name of (await disk.filesIn(paths.folder)).sort()) {
    const path = join(paths.folder, name);
    if (stemOf(name) === stem && path !== paths.lock && await holdsRollouts(path, disk)) return name;
  }
}

async function holdsRollouts(path: string, disk: World["disk"]): Promise<boolean> {
  for await (const chunk of disk.readChunks(path)) {
    return new TextDecoder().decode(chunk).includes('"_ng_rollout_index"');
  }
  return false;
}

/**
 * A requeued Slurm job runs the same command again: without `--resume` it would replace what it has collected.
 *
 * @throws {UsageFault} when a fresh run would replace rollouts of its own job, and `--fresh` does not insist
 */
export function refuseRequeueWithoutResume(
  { fresh }: Pick<Config, "fresh">,
  paths: RunPaths,
  manifest: Manifest | undefined,
  { env, disk }: Pick<World, "env" | "disk">,
): void {
  const job = slurmJob(env)?.id, restarts = Number(env("SLURM_RESTART_COUNT") ?? 0);
  if (fresh || job === undefined || !(restarts > 0) || !manifest?.runs.some((run) => run.job === job)) return;
  if (!disk.exists(paths.rollouts) || (disk.files.size(paths.rollouts) ?? 0) === 0) return;
  throw new UsageFault(
    `Slurm job ${job} was requeued (SLURM_RESTART_COUNT=${restarts}) and ${paths.rollouts} holds rollouts that it ` +
      `collected before; a run without --resume would replace them. Add --resume to the command of the job, or ` +
      `--fresh to start afresh all the same. Nothing was touched.`,
  );
}
