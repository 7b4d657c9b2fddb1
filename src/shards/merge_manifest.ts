/** The manifest beside merged rollouts: which shards they were merged from. */
import { basename, dirname, join, relative } from "node:path";

/**
 * The text of a manifest. `shards` and `output` are absolute; names are kept relative, so that a folder can move.
 *
 * @param report the name of the summary of the health checks that is this output's, if they are checked
 */
export function mergeManifest(output: string, shards: readonly string[], report?: string): string {
  const merged_from = shards.map((path) => relative(dirname(output), path));
  const quality_summary = report === undefined ? {} : { quality_summary: report };
  return `${
    JSON.stringify({ manifest: 1, output: basename(output), ...quality_summary, merged_from }, null, 2)
  }\n`;
}

/** The shards that `output` was merged from, absolute; `undefined` when its manifest does not say that it was merged. */
export function mergedFrom(output: string, manifest: string): string[] | undefined {
  let value: { readonly merged_from?: unknown } | null;
  try {
    value = JSON.parse(manifest);
  } catch {
    return undefined;
  }
  const names = value?.merged_from;
  if (!Array.isArray(names) || !names.every((name) => typeof name === "string")) return undefined;
  return names.map((name) => join(dirname(output), name));
}
