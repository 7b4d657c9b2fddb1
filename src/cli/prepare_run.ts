/**
 * From a configuration to a run plan with its row index: asks the head server, reads the input once, and writes the
 * materialized inputs under a temporary name. Nothing is sent, and nothing of an earlier run is touched.
 */
import { basename, join } from "node:path";
import { type Config, dispatchOf } from "../config/config.ts";
import { Topology } from "../config/topology.ts";
import { UsageFault } from "../kit/fault.ts";
import { gathering, interleave, materialize, type Materialized, type Sink } from "../plan/materialize.ts";
import { type RunPaths, runPaths } from "../plan/paths.ts";
import { permissionsOf, type RunPlan } from "../plan/plan.ts";
import type { RowIndex } from "../plan/row_index.ts";
import { Preparation } from "../rows/prepare.ts";
import { asTemplates } from "../rows/prompt.ts";
import { skillsRef } from "../rows/skills.ts";
import { readYaml } from "./config_files.ts";
import { findInput } from "./find_input.ts";
import { headConfig } from "./head_server.ts";
import type { World } from "./world.ts";

/** A run that can begin. */
export interface PreparedRun {
  /** What is to be done. */
  readonly plan: RunPlan;
  /** The rows. */
  readonly index: RowIndex;
  /** What the user should know. */
  readonly warnings: readonly string[];
}

/** Gym's number: a rollout with so many recorded failures is not tried again. */
const ATTEMPTS = 3;

/** The files of the run's output, with links in its folder resolved. */
export function pathsOf(config: Config, { disk }: Pick<World, "disk">): RunPaths {
  const output = config.output_jsonl_fpath;
  if (/[/\\]$/.test(output) || basename(output) === "") {
    throw new UsageFault(`output_jsonl_fpath must name a file, got ${JSON.stringify(output)}.`);
  }
  return runPaths(disk.canonical(output));
}

/**
 * Prepares a run.
 *
 * @param write whether the materialized inputs are written, or only thought of, as `plan` does
 * @param stop asked now and then; what it throws ends the preparation
 * @throws {UsageFault} when input or configuration are wrong; nothing that was made stays behind
 */
export async function prepareRun(
  config: Config,
  world: World,
  { write, stop }: { readonly write: boolean; readonly stop: () => void },
): Promise<PreparedRun> {
  const { disk, env } = world;
  const input = findInput(config.input_jsonl_fpath, "input_jsonl_fpath", world);
  const prompt = config.prompt_config === null ? undefined : await readPrompt(config.prompt_config, world);
  const skills = config.skills?.path ? await readSkills(config.skills.path, world) : undefined;
  const authorities = await readAuthorities(config, world);
  const topology = new Topology(await headConfig(config, world), config.servers, env);
  const waived = !["", "0", "false"].includes(
    (env("NEMO_GYM_ALLOW_UNSUPPORTED_PAIRING") ?? "").toLowerCase(),
  );
  const preparation = new Preparation({
    config,
    topology,
    file: config.input_jsonl_fpath,
    pairingWaived: waived || topology.setting("allow_unsupported_pairing") === true,
    ...(prompt ? { prompt } : {}),
    ...(skills ? { skills } : {}),
  });

  const paths = pathsOf(config, world);
  refuseInputAsOutput(input, paths, world);
  const chunks = disk.readChunks(input);
  const { prepared, index } = write
    ? await materializeTo(paths, chunks, preparation, config.interleave_repeats, world, stop)
    : await materialize(chunks, preparation, () => {}, stop);

  const perRoute = prepared.routes.map(() => 0);
  for (const route of index.columns.route.subarray(0, index.size)) perRoute[route]!++;
  const plan: RunPlan = {
    paths,
    fresh: true,
    rows: prepared.rows,
    tasks: prepared.tasks,
    rollouts: index.size,
    routes: prepared.routes,
    perRoute,
    permissions: permissionsOf(paths, prepared.routes, config.proxy),
    dispatch: dispatchOf(config),
    authorities,
    attempts: ATTEMPTS,
    aggregate: !config.disable_aggregation,
    requireComplete: config.require_complete,
  };
  return { plan, index, warnings: prepared.warnings };
}

/** An input that is one of the run's own files would be put aside or overwritten. */
function refuseInputAsOutput(input: string, paths: RunPaths, { disk }: World): void {
  const own = Object.values(paths).filter((path) => path !== paths.folder);
  if (input === "-" || !own.includes(disk.canonical(input))) return;
  throw new UsageFault(
    `The input ${input} is one of the files that a run into ${paths.rollouts} replaces. Name another output.`,
  );
}

/** Writes the materialized inputs under their temporary name; when that fails nothing of it stays. */
async function materializeTo(
  paths: RunPaths,
  chunks: AsyncIterable<Uint8Array>,
  preparation: Preparation,
  inRounds: boolean,
  { disk }: World,
  stop: () => void,
): Promise<Materialized> {
  const made: string[] = [];
  const create = (path: string) => {
    const file = disk.create(path);
    made.push(path);
    const { sink, flush } = gathering((bytes) => file.write(bytes));
    return { file, sink, flush };
  };
  try {
    const first = create(inRounds ? `${paths.inputsNew}.unordered` : paths.inputsNew);
    const sink: Sink = first.sink;
    const { prepared, index } = await materialize(chunks, preparation, sink, stop);
    first.flush();
    if (!inRounds) {
      first.file.finish();
      return { prepared, index };
    }
    const second = create(paths.inputsNew);
    const rounds = interleave(index, (into, offset) => first.file.readAt(into, offset), second.sink);
    second.flush();
    second.file.finish();
    first.file.abandon();
    disk.remove(made[0]!);
    return { prepared, index: rounds };
  } catch (error) {
    for (const path of made) disk.remove(path);
    throw error;
  }
}

async function readPrompt(path: string, world: World) {
  const found = findInput(path, "prompt_config", world);
  return asTemplates(await readYaml(await world.disk.readText(found), path), path);
}

async function readSkills(path: string, world: World) {
  const { parse } = await import("yaml");
  const folder = findInput(path, "skills.path", world);
  const files = await Promise.all(
    (await world.disk.filesBelow(folder)).map(async (file) => ({
      path: file,
      bytes: await world.disk.readBytes(join(folder, file)),
    })),
  );
  return skillsRef(path, files, {
    folders: await world.disk.foldersIn(folder),
    parseYaml: (text) => parse(text, { logLevel: "error", intAsBigInt: true }),
  });
}

async function readAuthorities(config: Config, { disk, env }: World): Promise<string[]> {
  const named = [["ca", config.ca], ["SSL_CERT_FILE", env("SSL_CERT_FILE")]] as const;
  const texts: string[] = [];
  for (const [name, path] of named) {
    if (!path) continue;
    try {
      texts.push(await disk.readText(path));
    } catch (error) {
      throw new UsageFault(
        `Cannot read the certificates in ${path} (${name}): ${(error as Error).message}.`,
        {
          cause: error,
        },
      );
    }
  }
  return texts;
}
