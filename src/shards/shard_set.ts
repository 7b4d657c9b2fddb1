/** Rollouts files that are shards of one run by their names: which of a run's shards are there, and which are not. */
import { basename, dirname, extname, join } from "node:path";
import { parseRanges, rangesText } from "../kit/ranges.ts";
import { shardOfName, shardSuffix } from "../kit/shard.ts";

/** The shards of one run. */
export interface ShardSet {
  /** The output of the run that they are shards of; no such file need exist. */
  readonly output: string;
  /** How many shards the run has. */
  readonly count: number;
  /** The files that are there, by shard. */
  readonly files: ReadonlyMap<number, string>;
}

/** The sets that files are of, in the order in which the first file of each comes. Files that are no shards are left out. */
export function shardSets(paths: readonly string[]): ShardSet[] {
  const sets = new Map<string, { output: string; count: number; files: Map<number, string> }>();
  for (const path of paths) {
    const ending = extname(path), named = shardOfName(basename(path, ending));
    if (!named) continue;
    const { stem, shard: { index, count } } = named, output = join(dirname(path), stem + ending);
    const key = `${count} ${output}`, set = sets.get(key) ?? { output, count, files: new Map() };
    sets.set(key, set);
    if (!set.files.has(index)) set.files.set(index, path);
  }
  return [...sets.values()];
}

/** What is to be said of shards that are not there, as `0-1,3-7`; undefined when all are. */
export function missingShards({ count, files }: ShardSet): string | undefined {
  const missing = Array.from({ length: count }, (_, index) => index).filter((index) => !files.has(index));
  return missing.length === 0 ? undefined : numbersText(missing);
}

/** Whole numbers, 1 or more of them, as `0-1,3-7`. */
export function numbersText(numbers: readonly number[]): string {
  return rangesText(parseRanges(numbers.join(","))!);
}

/** The names of a set's files as a pattern. */
export function patternOf({ output, count }: ShardSet): string {
  const ending = extname(output), width = shardSuffix({ index: 0, count }).split("-of-")[1]!;
  return `${output.slice(0, output.length - ending.length)}-shard-*-of-${width}${ending}`;
}
