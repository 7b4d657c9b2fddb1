/** The value of a row's `skills_ref`: which skills an agent has, and a hash that distinguishes versions. */
import { createHash } from "node:crypto";
import { list, UsageFault } from "../kit/fault.ts";
import { float } from "./python.ts";

/** One skill, as its `SKILL.md` describes it. */
export interface Skill {
  /** Its name. */
  readonly name: string;
  /** What it is for. */
  readonly description: string | null;
  /** `metadata.version`, as text. */
  readonly version: string | null;
}

/** The value of `skills_ref`, as Gym writes it. */
export interface SkillsRef {
  /** The folder as it was given. */
  readonly path: string;
  /** The first 12 hex digits of a SHA-256 over all files. */
  readonly hash: string;
  /** In the order of their folders. */
  readonly skills: readonly Skill[];
}

/** A file below the skills folder. */
export interface SkillFile {
  /** Its path from the skills folder, with `/` between the parts. */
  readonly path: string;
  /** What it holds. */
  readonly bytes: Uint8Array;
}

/** What {@link skillsRef} needs besides the files. */
export interface SkillsOptions {
  /**
   * Reads YAML. Whole numbers must come as `bigint`, so that version 2.0 differs from 2.
   * Throws for text that is not YAML.
   */
  readonly parseYaml: (text: string) => unknown;
  /** The names of the skills folder's sub-folders, so that an empty one is noticed; by default those with files. */
  readonly folders?: readonly string[];
}

/**
 * The stamp of a folder of skills: each sub-folder is one, with a `SKILL.md` that starts with YAML front matter
 * (`name`, optionally `description` and `metadata.version`). The hash covers every file below the folder,
 * loose ones too, in the order of their paths compared part by part.
 *
 * @throws {UsageFault} listing every sub-folder that is not a skill, or when there is none.
 */
export function skillsRef(path: string, files: readonly SkillFile[], options: SkillsOptions): SkillsRef {
  const inFolders = files.filter((file) => file.path.includes("/")).map((file) => file.path.split("/")[0]!);
  const folders = [...new Set([...inFolders, ...options.folders ?? []])].sort(byCodePoint);
  if (folders.length === 0) {
    throw new UsageFault(`No skills in ${path}: every skill is a folder in it, with a SKILL.md.`);
  }
  const problems: string[] = [];
  const skills: Skill[] = [];
  for (const folder of folders) {
    const name = `${folder}/SKILL.md`;
    const file = files.find((file) => file.path === name);
    try {
      if (!file) throw new FrontMatterFault("there is no such file, and every folder must be a skill");
      skills.push(asSkill(frontMatter(file.bytes, options.parseYaml)));
    } catch (error) {
      if (!(error instanceof FrontMatterFault)) throw error;
      problems.push(`${path.replace(/\/+$/, "")}/${name}: ${error.message}`);
    }
  }
  if (problems.length > 0) throw new UsageFault(`Skills that cannot be used:${list(problems)}`);
  return { path, hash: hashOf(files), skills };
}

class FrontMatterFault extends Error {}

/** The front matter of a SKILL.md: the YAML between its first line, `---`, and the next such line. */
function frontMatter(bytes: Uint8Array, parseYaml: (text: string) => unknown): Record<string, unknown> {
  const lines = new TextDecoder().decode(bytes).split(/\r\n|\r|\n/);
  if (lines[0]!.trim() !== "---") {
    throw new FrontMatterFault('it must start with a line "---", YAML with a name, and another line "---"');
  }
  const end = lines.findIndex((line, i) => i > 0 && line.trim() === "---");
  if (end < 0) throw new FrontMatterFault('its front matter has no closing line "---"');
  let value: unknown;
  try {
    value = parseYaml(lines.slice(1, end).join("\n")) ?? {};
  } catch (error) {
    throw new FrontMatterFault(
      `its front matter is not YAML: ${error instanceof Error ? error.message : error}`,
    );
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new FrontMatterFault("its front matter must be a YAML mapping");
  }
  return value as Record<string, unknown>;
}

function asSkill({ name, description, metadata }: Record<string, unknown>): Skill {
  if (!name) throw new FrontMatterFault("its front matter has no name");
  if (description !== undefined && description !== null && typeof description !== "string") {
    throw new FrontMatterFault("the description in its front matter must be a string");
  }
  const version = typeof metadata === "object" && metadata !== null
    ? (metadata as { version?: unknown }).version
    : undefined;
  return {
    name: asText(name),
    description: description ?? null,
    version: version === undefined || version === null ? null : asText(version),
  };
}

/** A YAML scalar as Python's `str` writes it. */
function asText(value: unknown): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "number" ? float(value) : String(value);
}

function hashOf(files: readonly SkillFile[]): string {
  const hash = createHash("sha256");
  for (const { path, bytes } of [...files].sort((a, b) => byParts(a.path, b.path))) {
    hash.update(path).update("\0").update(bytes).update("\0");
  }
  return hash.digest("hex").slice(0, 12);
}

function byParts(a: string, b: string): number {
  const left = a.split("/"), right = b.split("/");
  for (let i = 0; i < left.length && i < right.length; i++) {
    const order = byCodePoint(left[i]!, right[i]!);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** Python's order of strings; JavaScript's puts U+10000 before U+FFFF. */
function byCodePoint(a: string, b: string): number {
  const left = Array.from(a), right = Array.from(b);
  for (let i = 0; i < left.length && i < right.length; i++) {
    const order = left[i]!.codePointAt(0)! - right[i]!.codePointAt(0)!;
    if (order !== 0) return order;
  }
  return left.length - right.length;
}
