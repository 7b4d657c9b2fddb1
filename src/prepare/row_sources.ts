/** What determines the rows of a run besides its configuration: the input, the prompt and the skills, with their hashes. */
import { join } from "node:path";
import { readYaml } from "./config_files.ts";
import { findInput } from "./find_input.ts";
import { readInput } from "./read_input.ts";
import { systemReason } from "../kit/system_error.ts";
import type { World } from "../ports/world.ts";
import type { Config } from "../config/config.ts";
import type { RunPaths } from "../plan/paths.ts";
import { refuseAsOutput } from "./output_paths.ts";
import { UsageFault } from "../kit/fault.ts";
import { LineSplitter, type TextLine } from "../kit/lines.ts";
import { Sha256, sha256, type Source } from "../plan/manifest.ts";
import { rowText } from "../rows/read.ts";
import { asTemplates, type Templates } from "../rows/prompt.ts";
import { type SkillFile, type SkillsRef, skillsRef } from "../rows/skills.ts";

/** What the rows of a fresh run are made of. */
export interface RowSources {
  /** Path of the input, `-` for standard input. */
  readonly input: string;
  /** Of `prompt_config`. */
  readonly prompt?: { readonly templates: Templates; readonly source: Source };
  /** Of `task_ids`. */
  readonly ids?: { readonly ids: ReadonlySet<string>; readonly source: Source };
  /** Of `skills`. */
  readonly skills?: { readonly skills: SkillsRef; readonly source: Source };
}

/** Finds and reads everything but the input itself. @throws {UsageFault} when something is missing or cannot be used */
export async function readRowSources(config: Config, paths: RunPaths, world: World): Promise<RowSources> {
  const input = findInput(config.input_jsonl_fpath, "input_jsonl_fpath", world);
  refuseAsOutput("input", input, paths, world);
  if (config.prompt_config !== null) {
    refuseAsOutput("prompt", findInput(config.prompt_config, "prompt_config", world), paths, world);
  }
  const prompt = config.prompt_config === null ? undefined : await readPrompt(config.prompt_config, world);
  const ids = config.task_ids === null ? undefined : await readTaskIds(config.task_ids, paths, world);
  const skills = config.skills?.path ? await readSkills(config.skills.path, world) : undefined;
  return { input, ...(prompt ? { prompt } : {}), ...(ids ? { ids } : {}), ...(skills ? { skills } : {}) };
}

/** Reads the file of `prompt_config`. @throws {UsageFault} when it cannot be found or used */
export async function readPrompt(
  path: string,
  world: World,
): Promise<{ readonly templates: Templates; readonly source: Source }> {
  const found = findInput(path, "prompt_config", world);
  let text: string;
  try {
    text = await world.disk.readText(found);
  } catch (error) {
    throw unreadable(path, "prompt_config", error);
  }
  return {
    templates: asTemplates(await readYaml(text, path), path),
    source: { path, sha256: sha256(new TextEncoder().encode(text)) },
  };
}

/** Reads the file of `task_ids`: an id on each line, spaces around it aside. @throws {UsageFault} when it cannot be found or used */
export async function readTaskIds(
  path: string,
  paths: RunPaths,
  world: World,
): Promise<{ readonly ids: ReadonlySet<string>; readonly source: Source }> {
  const found = findInput(path, "task_ids", world);
  if (found === "-") {
    throw new UsageFault("Cannot read the task ids (task_ids) from standard input: name a file.");
  }
  refuseAsOutput("list of task ids", found, paths, world);
  let text: string;
  try {
    text = await world.disk.readText(found);
  } catch (error) {
    throw unreadable(path, "task_ids", error);
  }
  const ids = new Set(text.split("\n").map((line) => line.trim()).filter((line) => line !== ""));
  if (ids.size === 0) throw new UsageFault(`Cannot use ${path} (task_ids): it has no ids, one on each line.`);
  return { ids, source: { path, sha256: sha256(new TextEncoder().encode([...ids].sort().join("\n"))) } };
}

/** Reads the folder of `skills.path`. @throws {UsageFault} when it cannot be found or used */
export async function readSkills(
  path: string,
  world: World,
): Promise<{ readonly skills: SkillsRef; readonly source: Source }> {
  const { default: { parse } } = await import("yaml");
  const { disk } = world;
  const folder = findInput(path, "skills.path", world, "folder");
  let files: SkillFile[], folders: string[];
  try {
    files = await Promise.all(
      (await disk.filesBelow(folder)).map(async (file) => ({
        path: file,
        bytes: await disk.readBytes(join(folder, file)),
      })),
    );
    folders = await disk.foldersIn(folder);
  } catch (error) {
    throw unreadable(path, "skills.path", error);
  }
  const skills = skillsRef(path, files, {
    folders,
    parseYaml: (text) => parse(text, { logLevel: "error", intAsBigInt: true }),
  });
  return { skills, source: { path, sha256: skills.hash } };
}

/**
 * The input as a source: the hash of the rows that a run with this limit uses, each with a line break. Where there are
 * no blank lines and no limit that is the hash of the whole (unpacked) file.
 *
 * @throws {UsageFault} when it cannot be found or read
 */
export async function hashInput(path: string, limit: number, world: World): Promise<Source> {
  const hash = new Sha256(), splitter = new LineSplitter();
  let left = limit || Infinity;
  const take = (lines: Iterable<TextLine>) => {
    for (const { bytes } of lines) {
      if (left <= 0) return;
      const text = rowText(bytes);
      if (!text) continue;
      hash.add(text);
      hash.add(NEWLINE);
      left--;
    }
  };
  for await (const chunk of readInput(findInput(path, "input_jsonl_fpath", world), world)) {
    take(splitter.push(chunk));
    if (left <= 0) break;
  }
  take(splitter.end());
  return { path, sha256: hash.hex() };
}

const NEWLINE = new Uint8Array([0x0a]);

function unreadable(path: string, key: string, error: unknown): UsageFault {
  return new UsageFault(`Cannot read ${path} (${key}): ${systemReason(error)}.`, { cause: error });
}
