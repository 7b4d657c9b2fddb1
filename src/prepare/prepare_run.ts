/**
 * From a configuration to a run plan with its row index: asks the head server, and reads the input, or what an earlier
 * run has left of it. Nothing is sent, and nothing of an earlier run is touched.
 */
import { type Config, dispatchOf } from "../config/config.ts";
import { headersOf } from "../config/headers.ts";
import { Topology } from "../config/topology.ts";
import { countingOf } from "../plan/score_plan.ts";
import type { RunRecord } from "../plan/manifest.ts";
import { type RunPaths, withOwnReports } from "../plan/paths.ts";
import type { RunPlan } from "../plan/run_plan.ts";
import { permissionsOf } from "../plan/permissions.ts";
import type { RowIndex } from "../plan/row_index.ts";
import { scorersOf } from "../plan/scorers.ts";
import { ATTEMPTS_VARIABLE, attemptsCap } from "../record/attempts_cap.ts";
import { headConfig } from "./head_server.ts";
import { captureFolder } from "./capture_folder.ts";
import { readAuthorities } from "./certificates.ts";
import { mlflowOf, type MlflowPlan } from "./exporters.ts";
import { healthPlanOf } from "./health_plan.ts";
import { manifestBeside, refuseFilesOfAnotherOutput, refuseRequeueWithoutResume } from "./guard_output.ts";
import { claimReports } from "./report_files.ts";
import { outputPaths } from "./output_paths.ts";
import { prepareExtension } from "./prepare_extension.ts";
import { prepareFresh } from "./prepare_fresh.ts";
import { findEarlierRun, prepareResume } from "./prepare_resume.ts";
import { readRowSources } from "./row_sources.ts";
import { checkManifest } from "./run_manifest.ts";
import type { Headers } from "../ports/http.ts";
import type { World } from "../ports/world.ts";
import type { Holder } from "../ports/lock.ts";

/** A run that can begin. */
export interface PreparedRun {
  /** What is to be done. */
  readonly plan: RunPlan;
  /** The rows. */
  readonly index: RowIndex;
  /** The MLflow run that it is exported to, or null. */
  readonly mlflow: MlflowPlan | null;
  /** The run that began it, as its manifest says; undefined where none does. */
  readonly first: Pick<RunRecord, "at" | "host" | "pid"> | undefined;
  /** What is sent with every request; no part of the plan, which is printed. */
  readonly headers: Headers;
  /** Things to say. */
  readonly notes: readonly string[];
  /** Things to warn of. */
  readonly warnings: readonly string[];
}

/** How a run is prepared. */
export interface PrepareOptions {
  /** This process, which has the lock. Without it nothing is written, as for `plan`. */
  readonly holder?: Holder;
  /** Asked now and then; what it throws ends the preparation. */
  readonly stop: () => void;
}

/**
 * Prepares a run: a fresh one, or a resume of an earlier one.
 *
 * @throws {UsageFault} when input or configuration are wrong; nothing that was made stays behind
 */
export async function prepareRun(
  config: Config,
  world: World,
  { holder, stop }: PrepareOptions,
): Promise<PreparedRun> {
  const headers = headersOf(config, world.env);
  const named = outputPaths(config, world);
  const manifest = await manifestBeside(named, world);
  await refuseFilesOfAnotherOutput(named, manifest, world);
  const { resumes, note } = findEarlierRun(config, named, world);
  if (!resumes) refuseRequeueWithoutResume(config, named, manifest, world);
  const { cap, warning } = attemptsCap(world.env(ATTEMPTS_VARIABLE));
  const authorities = await readAuthorities(config, world);
  const checks = healthPlanOf(config), health = config.disable_aggregation ? null : checks;
  const { paths, note: reports } = await reportPaths(named, { ...config, health }, world);
  // What can be checked on this machine is checked before any server is asked.
  const checked = resumes ? await checkManifest(config, paths, world, holder) : undefined;
  const sources = checked && !checked.extended ? undefined : await readRowSources(config, paths, world);
  const topology = new Topology(await headConfig(config, world), config.servers, world.env);
  const { mlflow, note: exports } = mlflowOf(config, topology);
  const captures = captureFolder(config, topology, world);
  const common = { paths, topology, pairingWaived: isPairingWaived(topology, world) };
  const { index, routes, warnings, counts, resume } = !checked
    ? await prepareFresh(config, { ...common, sources: sources! }, world, { holder, stop })
    : checked.extended
    ? await prepareExtension(config, { ...common, sources: sources!, then: checked.extended }, world, {
      holder,
      stop,
    })
    : await prepareResume(config, { ...common, drift: checked.drift }, world, stop);

  const perRoute = routes.map(() => 0);
  for (const route of index.columns.route.subarray(0, index.size)) perRoute[route]!++;
  const plan: RunPlan = {
    paths,
    resume,
    rows: counts?.rows ?? null,
    tasks: counts?.tasks ?? null,
    ...(counts?.selected === undefined ? {} : { selected: counts.selected }),
    rollouts: index.size,
    routes,
    perRoute,
    permissions: permissionsOf(paths, routes, config.proxy, captures.folder),
    captures: captures.folder,
    dispatch: dispatchOf(config),
    authorities,
    attempts: cap,
    aggregate: !config.disable_aggregation,
    scorers: scorersOf(topology, routes),
    counting: countingOf(config),
    requireComplete: config.require_complete,
    exports: mlflow !== null,
    health,
  };
  return {
    plan,
    index,
    headers,
    mlflow,
    first: resumes ? manifest?.runs[0] : holder && { ...holder, at: holder.since },
    notes: [note, reports, exports].filter((text) => text !== undefined),
    warnings: [...[warning, captures.warning].filter((text) => text !== undefined), ...warnings],
  };
}

/** Shards start at the same time, so each has reports of its own instead of asking whose those of the folder are. */
async function reportPaths(
  paths: RunPaths,
  { shard, health }: Pick<Config, "shard"> & Pick<RunPlan, "health">,
  world: World,
): Promise<{ readonly paths: RunPaths; readonly note?: string }> {
  if (!health) return { paths };
  return shard === null ? await claimReports(paths, world) : { paths: withOwnReports(paths) };
}

function isPairingWaived(topology: Topology, { env }: World): boolean {
  const waiver = (env("NEMO_GYM_ALLOW_UNSUPPORTED_PAIRING") ?? "").toLowerCase();
  return !["", "0", "false"].includes(waiver) || topology.setting("allow_unsupported_pairing") === true;
}
