/** The manifest of an output, on the command line's side: made for a fresh run, held against what a resume is asked. */
import { basename } from "node:path";
import { hashInput, readPrompt, readSkills, readTaskIds } from "./row_sources.ts";
import { systemReason } from "../kit/system_error.ts";
import { VERSION } from "../kit/version.ts";
import type { World } from "../ports/world.ts";
import type { Env } from "../ports/env.ts";
import { slurmJob } from "./slurm_budget.ts";
import type { Holder } from "../ports/lock.ts";
import type { Config } from "../config/config.ts";
import { list, UsageFault } from "../kit/fault.ts";
import { type RunPaths, temporaryFiles } from "../plan/paths.ts";
import { type Asked, drift } from "../plan/drift.ts";
import {
  inForce,
  type Manifest,
  manifestText,
  readManifest,
  type RunRecord,
  Sha256,
  type Source,
  withRun,
} from "../plan/manifest.ts";
import { masked } from "../config/masked.ts";

/** A run as an entry of the manifest. */
export function recordOf(
  { host, pid, since }: Holder,
  env: Env,
  { resumed, drift = [] }: { readonly resumed: boolean; readonly drift?: readonly string[] },
): RunRecord {
  const job = slurmJob(env)?.id;
  const accepted = drift.length > 0 ? { accepted_drift: drift } : {};
  return {
    at: since,
    host,
    pid,
    version: VERSION,
    ...(job === undefined ? {} : { job }),
    resumed,
    ...accepted,
  };
}

/** Which reports of the health checks a run writes, for the manifest: other outputs of the folder leave them alone. */
export function reportsOf(
  { disable_aggregation, disable_health_check }: Pick<Config, "disable_aggregation" | "disable_health_check">,
  { qualitySummary }: Pick<RunPaths, "qualitySummary">,
): Pick<Manifest, "quality_summary"> {
  return disable_aggregation || disable_health_check ? {} : { quality_summary: basename(qualitySummary) };
}

/** Writes a manifest under its temporary name. */
export function writeManifest(
  manifest: Manifest,
  { manifestNew }: RunPaths,
  { disk }: Pick<World, "disk">,
): void {
  try {
    const file = disk.create(manifestNew);
    file.write(new TextEncoder().encode(manifestText(manifest)));
    file.finish();
  } catch (error) {
    throw new UsageFault(
      `Cannot write ${manifestNew}: ${systemReason(error)}. Nothing was sent or touched.`,
      {
        cause: error,
      },
    );
  }
}

/**
 * Compares what is asked with the manifest next to the output, and prepares the manifest with this run added. An
 * output without one, such as Gym's own, is resumed without a check.
 *
 * @param holder this process; without it nothing is written
 * @returns differences that were accepted, for the user; with `extend` the manifest of the run that is extended, which
 * stays to be written
 * @throws {UsageFault} when something that decides what is run has changed and that is not accepted
 */
export async function checkManifest(
  config: Config,
  paths: RunPaths,
  world: World,
  holder: Holder | undefined,
): Promise<{ readonly drift: readonly string[]; readonly extended?: Manifest }> {
  const { disk } = world;
  // What a killed run has left of its preparation describes a run that never began.
  if (holder) { for (const path of temporaryFiles(paths)) disk.remove(path); }
  if (!disk.exists(paths.manifest)) {
    if (config.extend) throw notExtensible(paths, `there is no manifest (${paths.manifest})`);
    return { drift: [] };
  }
  const read = readManifest(await disk.readText(paths.manifest));
  if (!read && !config.accept_drift) {
    throw new UsageFault(
      `Cannot resume ${paths.rollouts}: ${paths.manifest} is not a manifest that this version understands, so rollcall cannot ` +
        `tell whether something has changed. --accept-drift resumes without the check.`,
    );
  }
  if (!read) return { drift: [] };
  const sha256 = read.materialized_sha256 && await hashFile(paths.inputs, world);
  const then = sha256 ? inForce(read, sha256) : read;
  if (config.extend) refuseLess(config, then, paths);
  const differences = drift(then, {
    ...await asked(config, then, paths, world),
    materialized_sha256: sha256,
  });
  if (differences.length > 0 && config.extend) {
    throw notExtensible(
      paths,
      `more than repeats, the limit and rows at the end of the input has changed since it was planned:${
        list(differences)
      }\nRestore the old settings, or name another output`,
    );
  }
  if (differences.length > 0 && !config.accept_drift) {
    throw new UsageFault(
      `Cannot resume ${paths.rollouts}: settings that determine its rollouts have changed since it was planned ` +
        `(${then.runs[0]?.at ?? "at an unknown time"}):${list(differences)}\n` +
        `Use --accept-drift to run the rollouts as they were planned, --extend to add to them (more repeats, a larger ` +
        `limit, rows at the end), restore the old settings, or name another ` +
        `output. If these changes are meant for a fresh run (one that was killed before it began leaves the earlier run ` +
        `as it was), run without --resume: it keeps these rollouts as ${paths.rolloutsOld}. Nothing was touched.`,
    );
  }
  if (config.extend) return { drift: [], extended: then };
  if (holder) {
    const run = recordOf(holder, world.env, { resumed: true, drift: differences });
    writeManifest({ ...withRun(then, run), ...reportsOf(config, paths) }, paths, world);
  }
  return { drift: differences };
}

function notExtensible({ rollouts }: RunPaths, why: string): UsageFault {
  return new UsageFault(`Cannot extend ${rollouts}: ${why}. Nothing was touched.`);
}

/** @throws {UsageFault} when the manifest does not say what there is, or fewer rows are asked for */
function refuseLess({ limit }: Config, { counts, materialized_sha256 }: Manifest, paths: RunPaths): void {
  const rows: unknown = counts?.rows;
  if (!Number.isSafeInteger(rows) || materialized_sha256 === undefined) {
    throw notExtensible(paths, "its manifest does not say of how many rows it is, or what its inputs were");
  }
  if (limit && limit < counts.rows) {
    throw notExtensible(
      paths,
      `it is of ${counts.rows} rows, and the limit is ${limit} now; it may only be larger`,
    );
  }
}

async function asked(config: Config, then: Manifest, paths: RunPaths, world: World): Promise<Asked> {
  // Of a run that is extended the rows that it has are compared, and the rest may grow.
  const limit = config.extend
    ? then.counts.rows
    : typeof then.config.limit === "number"
    ? then.config.limit
    : 0;
  const { num_repeats = null, limit: limitThen = null } = then.config;
  const prompt = config.prompt_config, skills = config.skills?.path, ids = config.task_ids;
  return {
    config: config.extend ? { ...masked(config), num_repeats, limit: limitThen } : masked(config),
    input: config.extend && limit === 0
      ? then.input
      : await unlessUnreadable(() => hashInput(config.input_jsonl_fpath, limit, world)),
    prompt: prompt === null
      ? null
      : await unlessUnreadable(async () => (await readPrompt(prompt, world)).source),
    task_ids: ids === null
      ? null
      : await unlessUnreadable(async () => (await readTaskIds(ids, paths, world)).source),
    skills: skills ? await unlessUnreadable(async () => (await readSkills(skills, world)).source) : null,
  };
}

async function hashFile(path: string, { disk }: World): Promise<string> {
  const hash = new Sha256();
  for await (const chunk of disk.readChunks(path)) hash.add(chunk);
  return hash.hex();
}

async function unlessUnreadable(read: () => Promise<Source>): Promise<Source | undefined> {
  try {
    return await read();
  } catch {
    // Why does not matter here: that it cannot be compared is reported, and --accept-drift continues without.
    return undefined;
  }
}
