/** The manifest next to merged rollouts: which shards they were merged from. */
import { dirname, join, relative } from "node:path";

/** The text of a manifest. `shards` and `output` are absolute; names are kept relative, so that a folder can move. */
export function mergeManifest(output: string, shards: readonly string[]): string {
  const merged_from = shards.map((path) => relative(dirname(output), path));
  return `${JSON.stringify({ manifest: 1, merged_from }, null, 2)}\n`;
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
