/** Which files a pattern of shards means. */
import { basename, extname, join } from "node:path";

/** What is asked of the disk. Folders that cannot be read have nothing in them. */
export interface Folders {
  /** Whether there is such a file or folder. */
  exists(path: string): boolean;
  /** The names of the files in a folder. */
  filesIn(folder: string): Promise<string[]>;
  /** The names of the folders in a folder. */
  foldersIn(folder: string): Promise<string[]>;
}

/** Ends of names (before the extension) that are no rollouts, but lie beside them and match their patterns. */
const BESIDE = /(_failures|_materialized_inputs|_quarantine|rollout_verdicts)$/;
/** Ends of names that rollcall gives to files on their way in or out. */
const PASSING = /\.(old|new|lock|index)$/;

/**
 * The shards that patterns, separated by commas, match: sorted within each pattern, each file once, without the files
 * that a run keeps beside its rollouts and without the output itself. `*`, `?` and `[…]` match within one name, and
 * no leading dot, as Gym has it.
 *
 * @param canonical a path that is the same for two names of one file
 */
export async function findShards(
  patterns: string,
  output: string,
  folders: Folders,
  canonical: (path: string) => string,
): Promise<string[]> {
  const found = new Set<string>(), own = canonical(output);
  for (const pattern of patterns.split(",").map((pattern) => pattern.trim()).filter(Boolean)) {
    for (const path of (await matches(pattern, folders)).sort()) {
      const name = basename(path);
      if (BESIDE.test(basename(name, extname(name))) || PASSING.test(name)) continue;
      const file = canonical(path);
      if (file !== own) found.add(file);
    }
  }
  return [...found];
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

function isPattern(segment: string): boolean {
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
    else if (end < 0) source += c.replace(/[\\^$.*+?()[\]{}|\/-]/g, "\\$&");
    else {
      const inside = segment.slice(at + 1, end).replace(/[\\\]^[&~|]/g, "\\$&");
      source += `[${inside.startsWith("!") ? `^${inside.slice(1)}` : inside}]`;
      at = end;
    }
  }
  let expression: RegExp;
  try {
    expression = new RegExp(`^(?:${source})$`, "su");
  } catch {
    return () => false; // a range that runs backwards matches nothing
  }
  return (name) => expression.test(name) && (!name.startsWith(".") || segment.startsWith("."));
}
