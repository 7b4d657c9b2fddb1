/**
 * Gym's configuration files, read as Gym reads them: those that flags and `config_paths` words name, what they name
 * in their own `config_paths`, and `env.yaml`. Of what is in them the collector's keys take effect.
 */
import { isAbsolute, join } from "node:path";
import type { ConfigFile } from "../config/layers.ts";
import { parseWord } from "../config/overrides.ts";
import { UsageFault } from "../kit/fault.ts";
import { suggestion } from "../kit/nearest.ts";
import type { World } from "../ports/world.ts";
import { readConfigFile } from "./config_files.ts";
import { extraRoots, findInput } from "./find_input.ts";

/** A file of Gym's configuration, and the flag that stands for it. */
export interface GymFile {
  /** The path, or the name of a component. */
  readonly path: string;
  /** The component of Gym's that `path` names. */
  readonly component?: Component;
  /** `--config c.yaml`, or `--benchmark aime24`, which is a file of Gym's own. */
  readonly flag: string;
}

/** Where Gym keeps the configuration of a component. */
export interface Component {
  /** The folder of all components of this kind. */
  readonly folder: string;
  /** Of these files the first that is there. */
  readonly paths: readonly string[];
}

type Reads = Pick<World, "disk" | "env">;

/**
 * Takes the `config_paths` words out of `words`, and joins what they name to what flags name: `+config_paths=[…]`
 * adds, `++config_paths=[…]` replaces.
 *
 * @throws {UsageFault} for one that is not a list of paths
 */
export function joinConfigPaths(
  flags: readonly GymFile[],
  words: readonly string[],
): { readonly files: readonly GymFile[]; readonly words: readonly string[] } {
  let files = flags;
  const others = words.filter((word) => {
    if (!/^[+~]*config_paths(=|$)/.test(word)) return true;
    const { mode, value } = parseWord(word);
    const named = mode === "delete" ? [] : pathsIn(value, word.replace(/=.*/s, "=…"));
    const fromWord = named.map((path) => ({ path, flag: `config_paths=[${path}]` }));
    files = mode === "force" || mode === "delete" ? fromWord : [...files, ...fromWord];
    return false;
  });
  return { files, words: others };
}

/**
 * The files in the order in which later ones win. A file wins over those it names, a file named twice is read once.
 *
 * @param withEnv whether `env.yaml`, which wins over the others, is read where there is one
 * @throws {UsageFault} for a file that is not there, or is not a configuration
 */
export async function readGymConfigs(
  named: readonly GymFile[],
  world: Reads,
  withEnv: boolean,
): Promise<ConfigFile[]> {
  const files: ConfigFile[] = [], seen = new Set<string>();
  const read = async (path: string, follow: boolean): Promise<void> => {
    const { value } = await readConfigFile(path, world);
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      // Nothing in it; what is neither nothing nor a map is told with everything else that is wrong.
      if (value !== undefined && value !== null) files.push({ path, value });
      return;
    }
    const { config_paths, ...keys } = value as Record<string, unknown>;
    if (follow && config_paths !== undefined && config_paths !== null) {
      for (const inner of pathsIn(config_paths, `config_paths (${path})`)) {
        await visit(inner, `config_paths of ${path}`);
      }
    }
    files.push({ path, value: keys, isGym: true });
  };
  const visit = async (path: string, key: string): Promise<void> => {
    if (seen.has(path)) return;
    seen.add(path);
    await read(find(path, key, world), true);
  };
  for (const { path, flag, component } of named) {
    await visit(component ? await findComponent(path, flag, component, world) : path, flag);
  }
  const env = withEnv ? findEnv(world) : undefined;
  if (env !== undefined) await read(env, named.length === 0);
  return files;
}

function find(path: string, key: string, world: Reads): string {
  try {
    return findInput(path, key, world);
  } catch (error) {
    if (!(error instanceof UsageFault)) throw error;
    throw new UsageFault(`${error.message}${isAbsolute(path) ? "" : ` ${HINT}`}`, { cause: error });
  }
}

const HINT = "Files of Gym's own are found once its folder is given by --search-dir or NEMO_GYM_EXTRA_ROOTS.";

/** The file of a component. @throws {UsageFault} that names the nearest component there is */
async function findComponent(
  name: string,
  flag: string,
  { folder, paths }: Component,
  { disk, env }: Reads,
): Promise<string> {
  const roots = [...extraRoots(env), ""];
  for (const path of paths) {
    const found = roots.map((root) => join(root, path)).find((place) => disk.exists(place));
    if (found !== undefined) return found;
  }
  const folders = roots.map((root) => join(root, folder)).filter((place) => disk.isFolder(place));
  const names = (await Promise.all(folders.map((place) => disk.foldersIn(place)))).flat();
  throw new UsageFault(
    `Cannot find ${paths.join(" or ")} (${flag}): there is no such component${
      suggestion(name.split("/")[0]!, names)
    }. ${HINT}`,
  );
}

function findEnv({ disk, env }: Reads): string | undefined {
  const places = [...extraRoots(env).map((root) => join(root, "env.yaml")), "env.yaml"];
  return places.find((place) => disk.exists(place) && !disk.isFolder(place));
}

function pathsIn(value: unknown, who: string): string[] {
  if (Array.isArray(value) && value.every((path) => typeof path === "string")) {
    const reference = value.find((path) => path.includes("${"));
    if (reference === undefined) return value;
    throw new UsageFault(
      `${who}: rollcall does not resolve references in config_paths: write the path itself.`,
    );
  }
  throw new UsageFault(`${who}: config_paths must be a list of paths, as in [a.yaml, b.yaml].`);
}
