/**
 * From a configuration to a run plan with its row index: asks the head server, and reads the input, or what an earlier
 * run has left of it. Nothing is sent, and nothing of an earlier run is touched.
 */
import { basename } from "node:path";
import { type Config, dispatchOf } from "../config/config.ts";
import { Topology } from "../config/topology.ts";
import { ignoredChecks } from "../health/ignored_checks.ts";
import { UsageFault } from "../kit/fault.ts";
import { type RunPaths, runPaths } from "../plan/paths.ts";
import { countingOf, type HealthPlan } from "../plan/score_plan.ts";
import { type RunPlan } from "../plan/run_plan.ts";
import { permissionsOf } from "../plan/permissions.ts";
import type { RowIndex } from "../plan/row_index.ts";
import { scorersOf } from "../plan/scorers.ts";
import { ATTEMPTS_VARIABLE, attemptsCap } from "../record/attempts_cap.ts";
import { headConfig } from "./head_server.ts";
import { prepareFresh, readRowSources } from "./prepare_fresh.ts";
import { goesOn, prepareResume } from "./prepare_resume.ts";
import { checkManifest } from "./run_manifest.ts";
import { systemReason } from "../kit/system_error.ts";
import type { World } from "../ports/world.ts";
import type { Holder } from "../ports/lock.ts";

/** A run that can begin. */
export interface PreparedRun {
  /** What is to be done. */
  readonly plan: RunPlan;
  /** The rows. */
  readonly index: RowIndex;
  /** Things to say. */
  readonly notes: readonly string[];
  /** Things to warn of. */
  readonly warnings: readonly string[];
}

/** The files of the run's output, with links in its folder resolved. */
export function pathsOf(config: Pick<Config, "output_jsonl_fpath">, { disk }: Pick<World, "disk">): RunPaths {
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
  let paths, folder, device;
  try {
    paths = runPaths(disk.canonical(output));
    device = disk.exists(paths.rollouts) && !disk.isFolder(paths.rollouts) && !disk.isFile(paths.rollouts);
    // A folder in the place of one of them would be put aside with all that is in it.
    folder = device
      ? undefined
      : Object.values(paths).find((path) => path !== paths!.folder && disk.isFolder(path));
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
  if (folder === undefined) return paths;
  if (folder === paths.rollouts) {
    throw new UsageFault(`output_jsonl_fpath must name a file, and ${output} is a folder.`);
  }
  throw new UsageFault(`Cannot use output_jsonl_fpath ${output}: the run's file ${folder} is a folder.`);
}

/** How a run is prepared. */
export interface PrepareOptions {
  /** This process, which has the lock. Without it nothing is written and the run is only thought of, as `plan` does. */
  readonly holder?: Holder;
  /** Asked now and then; what it throws ends the preparation. */
  readonly stop: () => void;
}

/**
 * Prepares a run: a fresh one, or one that goes on with an earlier one.
 *
 * @throws {UsageFault} when input or configuration are wrong; nothing that was made stays behind
 */
export async function prepareRun(
  config: Config,
  world: World,
  { holder, stop }: PrepareOptions,
): Promise<PreparedRun> {
  const paths = pathsOf(config, world);
  const start = goesOn(config, paths, world);
  const { cap, warning } = attemptsCap(world.env(ATTEMPTS_VARIABLE));
  const authorities = await readAuthorities(config, world);
  const health = healthOf(config);
  // What can be checked on this machine is checked before any server is asked.
  const drift = start.goesOn ? await checkManifest(config, paths, world, holder) : [];
  const sources = start.goesOn ? undefined : await readRowSources(config, paths, world);
  const topology = new Topology(await headConfig(config, world), config.servers, world.env);
  const ground = { paths, topology, pairingWaived: isPairingWaived(topology, world) };
  const fresh = sources && await prepareFresh(config, { ...ground, sources }, world, { holder, stop });
  const resumed = fresh ? undefined : await prepareResume(config, { ...ground, drift }, world, stop);
  const { index, routes, warnings } = (fresh ?? resumed)!;

  const perRoute = routes.map(() => 0);
  for (const route of index.columns.route.subarray(0, index.size)) perRoute[route]!++;
  const plan: RunPlan = {
    paths,
    resume: resumed?.resume ?? null,
    rows: fresh?.rows ?? null,
    tasks: fresh?.tasks ?? null,
    rollouts: index.size,
    routes,
    perRoute,
    permissions: permissionsOf(paths, routes, config.proxy),
    dispatch: dispatchOf(config),
    authorities,
    attempts: cap,
    aggregate: !config.disable_aggregation,
    scorers: scorersOf(topology, routes),
    counting: countingOf(config),
    requireComplete: config.require_complete,
    health: config.disable_aggregation ? null : health,
  };
  return {
    plan,
    index,
    notes: start.note === undefined ? [] : [start.note],
    warnings: warning === undefined ? warnings : [warning, ...warnings],
  };
}

/** How rollouts are checked, or null. @throws {UsageFault} naming checks that do not exist */
export function healthOf(
  { disable_health_check, health_check_ignored_checks }: Pick<
    Config,
    "disable_health_check" | "health_check_ignored_checks"
  >,
): HealthPlan | null {
  const ignored = ignoredChecks(health_check_ignored_checks, "health_check_ignored_checks");
  return disable_health_check ? null : { ignored };
}

function isPairingWaived(topology: Topology, { env }: World): boolean {
  const waiver = (env("NEMO_GYM_ALLOW_UNSUPPORTED_PAIRING") ?? "").toLowerCase();
  return !["", "0", "false"].includes(waiver) || topology.setting("allow_unsupported_pairing") === true;
}

/** The texts of further certificate authorities. @throws {UsageFault} naming the file that cannot be read */
export async function readAuthorities(config: Pick<Config, "ca">, { disk, env }: World): Promise<string[]> {
  const named = [["ca", config.ca], ["SSL_CERT_FILE", env("SSL_CERT_FILE")]] as const;
  const texts: string[] = [];
  for (const [name, path] of named) {
    if (!path) continue;
    let text: string;
    try {
      text = await disk.readText(path);
    } catch (error) {
      throw new UsageFault(
        `Cannot read the certificates in ${path} (${name}): ${systemReason(error)}.`,
        { cause: error },
      );
    }
    if (!text.includes("-----BEGIN CERTIFICATE-----")) {
      throw new UsageFault(`There is no certificate in ${path} (${name}): it has to be a PEM file.`);
    }
    texts.push(text);
  }
  return texts;
}
