/** Which files a pattern of shards matches. */
import { basename, dirname, extname, join } from "node:path";
import { mergedFrom } from "./merge_manifest.ts";

/** What patterns match. */
export interface FoundShards {
  readonly shards: string[];
  /** Files left out because their rows are in the shards too. */
  readonly merged: string[];
}

/** What is needed from the disk. Folders that cannot be read count as empty. */
export interface Folders {
  /** Whether there is such a file or folder. */
  exists(path: string): boolean;
  /** The text of a file. */
  readText(path: string): Promise<string>;
  /** The names of the files in a folder. */
  filesIn(folder: string): Promise<string[]>;
  /** The names of the folders in a folder. */
  foldersIn(folder: string): Promise<string[]>;
}

/** Endings (before the extension) that Gym or rollcall gives to files next to rollouts. */
const BESIDE = new RegExp(
  "(?:^(?:rollout_verdicts|quality_summary)|" +
    "_(?:failures|materialized_inputs|aggregate_metrics|agent_metrics|repeat_level_metrics|reward_profiling|quarantine|manifest" +
    "|rollout_verdicts|quality_summary|health_findings))$",
);
/** Endings that rollcall gives to temporary and old files. */
const PASSING = /\.(old|new|lock|index|unordered|log)$/;

/**
 * The shards that patterns, separated by commas, match: sorted within each pattern, each file once, without the files
 * that a run keeps next to its rollouts, the output itself, and what was merged from the others. `*`, `?` and `[…]`
 * match within one name, and no leading dot, as in Gym.
 *
 * @param canonical returns the same path for two names of one file
 */
export async function findShards(
  patterns: string,
  output: string | undefined,
  folders: Folders,
  canonical: (path: string) => string,
): Promise<FoundShards> {
  const found = new Set<string>(), own = output === undefined ? undefined : canonical(output);
  for (const pattern of patterns.split(",").map((pattern) => pattern.trim()).filter(Boolean)) {
    for (const path of (await matches(pattern, folders)).sort()) {
      const name = basename(path);
      if (BESIDE.test(basename(name, extname(name))) || PASSING.test(name)) continue;
      const file = canonical(path);
      if (file !== own) found.add(file);
    }
  }
  return withoutMerged([...found], folders);
}

/**
 * Leaves out files that were merged from others, since their rows would count twice. If only some of those others are
 * there, they are left out instead, since the merged file has their rows and more.
 */
async function withoutMerged(found: readonly string[], folders: Folders): Promise<FoundShards> {
  const out = new Set<string>();
  for (const path of found) {
    const sources = await sourcesOf(path, folders);
    const there = sources.filter((source) => found.includes(source));
    if (there.length === 0) continue;
    for (const one of there.length === sources.length ? [path] : there) out.add(one);
  }
  return { shards: found.filter((path) => !out.has(path)), merged: [...out] };
}

async function sourcesOf(path: string, folders: Folders): Promise<string[]> {
  const manifest = join(dirname(path), `${basename(path, extname(path))}_manifest.json`);
  if (!folders.exists(manifest)) return [];
  try {
    return mergedFrom(path, await folders.readText(manifest)) ?? [];
  } catch {
    return []; // an unreadable manifest counts as none
  }
}

async function matches(pattern: string, folders: Folders): Promise<string[]> {
  const segments = pattern.split("/"), last = segments.pop()!;
  let paths = [""];
  for (const segment of segments) {
    if (!isPattern(segment)) {
      paths = paths.map((path) => `${path}${segment}/`);
      continue;
    }
    const matching = matcher(segment);
    const below = await Promise.all(
      paths.map(async (path) =>
        (await names(folders.foldersIn(path || "."))).filter(matching).map((name) => `${path}${name}/`)
      ),
    );
    paths = below.flat();
  }
  if (!isPattern(last)) return paths.map((path) => join(path, last)).filter((path) => folders.exists(path));
  const matching = matcher(last);
  const files = await Promise.all(
    paths.map(async (path) =>
      (await names(folders.filesIn(path || "."))).filter(matching).map((name) => join(path, name))
    ),
  );
  return files.flat();
}

async function names(listing: Promise<string[]>): Promise<string[]> {
  try {
    return await listing;
  } catch {
    return [];
  }
}

/** Whether a name has to be looked up with {@link findShards}. */
export function isPattern(segment: string): boolean {
  return /[*?[]/.test(segment);
}

/** Python's `fnmatch` for one name. */
function matcher(segment: string): (name: string) => boolean {
  let source = "";
  for (let at = 0; at < segment.length; at++) {
    const c = segment[at]!;
    const end = c === "[" ? segment.indexOf("]", at + (segment[at + 1] === "!" ? 3 : 2)) : -1;
    if (c === "*") source += ".*";
    else if (c === "?") source += ".";
    else if (end < 0) source += c.replace(/[\\^$.*+?()[\]{}|\/]/g, "\\$&");
    else {
      const inside = segment.slice(at + 1, end).replace(/[\\\]^[|]/g, "\\$&");
      source += `[${inside.startsWith("!") ? `^${inside.slice(1)}` : inside}]`;
      at = end;
    }
  }
  let expression: RegExp;
  try {
    expression = new RegExp(`^(?:${source})$`, "su");
  } catch {
    return () => false; // a backwards range matches nothing
  }
  return (name) => expression.test(name) && (!name.startsWith(".") || segment.startsWith("."));
}
