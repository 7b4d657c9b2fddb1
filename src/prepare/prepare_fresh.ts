/**
 * A fresh run's rows: the input read once, and the materialized inputs and the manifest written under temporary names.
 * Nothing of an earlier run is touched.
 */
import { findInput } from "./find_input.ts";
import { readInput } from "./read_input.ts";
import { recordOf, writeManifest } from "./run_manifest.ts";
import { readPrompt, readSkills } from "./row_sources.ts";
import { systemReason } from "../kit/system_error.ts";
import type { World } from "../ports/world.ts";
import type { Holder } from "../ports/lock.ts";
import type { NewFile } from "../ports/disk.ts";
import type { Config } from "../config/config.ts";
import type { Route, Topology } from "../config/topology.ts";
import { UsageFault } from "../kit/fault.ts";
import { interleave, materialize, type Materialized } from "../plan/materialize.ts";
import { gathering, type Sink } from "../kit/gathering.ts";
import type { RunPaths } from "../plan/paths.ts";
import { hostPort } from "../plan/permissions.ts";
import type { RowIndex } from "../plan/row_index.ts";
import { Sha256, type Source } from "../plan/manifest.ts";
import { masked } from "../config/masked.ts";
import { Preparation } from "../rows/prepare.ts";
import type { Templates } from "../rows/prompt.ts";
import type { SkillsRef } from "../rows/skills.ts";

/** What the rows of a fresh run are made of. */
export interface RowSources {
  /** Path of the input, `-` for standard input. */
  readonly input: string;
  /** See `prompt_config`. */
  readonly prompt?: { readonly templates: Templates; readonly source: Source };
  /** See `skills`. */
  readonly skills?: { readonly skills: SkillsRef; readonly source: Source };
}

/** The rows of a fresh run. */
export interface PreparedFresh {
  /** The rows of the materialized inputs. */
  readonly index: RowIndex;
  /** The servers that they go to. */
  readonly routes: readonly Route[];
  /** What the user should know. */
  readonly warnings: readonly string[];
  /** Rows of the input. */
  readonly rows: number;
  /** Different tasks among them. */
  readonly tasks: number;
}

/** Finds and reads everything but the input itself. @throws {UsageFault} when something is missing or of no use */
export async function readRowSources(config: Config, paths: RunPaths, world: World): Promise<RowSources> {
  const input = findInput(config.input_jsonl_fpath, "input_jsonl_fpath", world);
  refuseAsOutput("input", input, paths, world);
  if (config.prompt_config !== null) {
    refuseAsOutput("prompt", findInput(config.prompt_config, "prompt_config", world), paths, world);
  }
  const prompt = config.prompt_config === null ? undefined : await readPrompt(config.prompt_config, world);
  const skills = config.skills?.path ? await readSkills(config.skills.path, world) : undefined;
  return { input, ...(prompt ? { prompt } : {}), ...(skills ? { skills } : {}) };
}

/** A file that the run reads and that is one of its own would be put aside or overwritten. */
function refuseAsOutput(what: string, path: string, paths: RunPaths, { disk }: World): void {
  const own = Object.values(paths).filter((other) => other !== paths.folder);
  if (path === "-" || !own.includes(disk.canonical(path))) return;
  throw new UsageFault(
    `The ${what} ${path} is one of the files that a run into ${paths.rollouts} replaces. Name another output.`,
  );
}

/**
 * Prepares the rows of a fresh run.
 *
 * @param holder this process, for the manifest; without it nothing is written, as for `plan`
 * @param stop asked now and then; what it throws ends the preparation
 * @throws {UsageFault} when input or configuration are wrong; nothing that was made stays behind
 */
export async function prepareFresh(
  config: Config,
  { paths, topology, pairingWaived, sources: { input, prompt, skills } }: {
    readonly paths: RunPaths;
    readonly topology: Topology;
    readonly pairingWaived: boolean;
    readonly sources: RowSources;
  },
  world: World,
  { holder, stop }: { readonly holder?: Holder | undefined; readonly stop: () => void },
): Promise<PreparedFresh> {
  const preparation = new Preparation({
    config,
    topology,
    file: config.input_jsonl_fpath,
    pairingWaived,
    ...(prompt ? { prompt: prompt.templates } : {}),
    ...(skills ? { skills: skills.skills } : {}),
  });
  const chunks = readInput(input, world), hash = new Sha256();
  if (!holder) {
    const { prepared: { routes, warnings, rows, tasks }, index } = await materialize(
      chunks,
      preparation,
      () => {},
      stop,
    );
    return { index, routes, warnings, rows, tasks };
  }
  const written = {
    inRounds: config.interleave_repeats,
    world,
    stop,
    seen: (bytes: Uint8Array) => hash.add(bytes),
  };
  const { prepared: { routes, warnings, rows, tasks }, index } = await materializeTo(
    paths,
    chunks,
    preparation,
    written,
  );
  writeManifest(
    {
      manifest: 1,
      input: { path: config.input_jsonl_fpath, sha256: hash.hex() },
      prompt: prompt?.source ?? null,
      skills: skills?.source ?? null,
      counts: { rows, tasks, rollouts: index.size },
      hosts: [...new Set(routes.map(({ url }) => hostPort(url)))].sort(),
      config: masked(config),
      runs: [recordOf(holder, false)],
    },
    paths,
    world,
  );
  return { index, routes, warnings, rows, tasks };
}

/** Writes the materialized inputs under their temporary name; when that fails nothing of it stays. */
async function materializeTo(
  paths: RunPaths,
  chunks: AsyncIterable<Uint8Array>,
  preparation: Preparation,
  { inRounds, world: { disk }, stop, seen }: {
    readonly inRounds: boolean;
    readonly world: Pick<World, "disk">;
    readonly stop: () => void;
    readonly seen: Sink;
  },
): Promise<Materialized> {
  const made: string[] = [], open = new Set<NewFile>();
  const create = (path: string) => {
    const file = onDisk(path, () => disk.create(path));
    made.push(path);
    open.add(file);
    const { sink, flush } = gathering((bytes) => onDisk(path, () => file.write(bytes)));
    return { path, file, sink, flush };
  };
  const finish = ({ path, file }: { readonly path: string; readonly file: NewFile }) => {
    onDisk(path, () => file.finish());
    open.delete(file);
  };
  try {
    const first = create(inRounds ? paths.inputsUnordered : paths.inputsNew);
    const { prepared, index } = await materialize(chunks, preparation, first.sink, stop, seen);
    first.flush();
    if (!inRounds) {
      finish(first);
      return { prepared, index };
    }
    const second = create(paths.inputsNew);
    const rounds = interleave(index, (into, offset) => first.file.readAt(into, offset), second.sink);
    second.flush();
    finish(second);
    first.file.abandon();
    disk.remove(made[0]!);
    return { prepared, index: rounds };
  } catch (error) {
    for (const file of open) file.abandon();
    for (const path of made) disk.remove(path);
    throw error;
  }
}

/** Runs a call that writes to a file. @throws {UsageFault} naming it when the disk does not take it */
function onDisk<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw new UsageFault(`Cannot write ${path}: ${systemReason(error)}.`, { cause: error });
  }
}
