/** What differs in what two runs were planned from, by their manifests. */
import { keyOf, NAMES } from "../config/keys.ts";
import type { Manifest, Source } from "../plan/manifest.ts";

/** One thing that differs; null where a run has none. */
export interface Difference {
  /** A key of the configuration, or `input`, `prompt`, `skills`, `task_ids`, `hosts`. */
  readonly what: string;
  readonly base: unknown;
  readonly candidate: unknown;
  /** Whether it determines what the rows become; the rest is how they were run. */
  readonly decides: boolean;
}

/** Where an output lies says nothing of its results. */
const PLACES = new Set(["output_jsonl_fpath"]);

/** The files' contents first, then the keys that decide, then the others. */
export function manifestDifferences(base: Manifest, candidate: Manifest): Difference[] {
  const decides = new Set<string>(NAMES.filter((name) => keyOf(name).decides));
  const names = [...new Set([...Object.keys(base.config), ...Object.keys(candidate.config)])].sort();
  const keys = names.filter((name) => !PLACES.has(name)).map((name) =>
    different(name, base.config[name] ?? null, candidate.config[name] ?? null, decides.has(name))
  );
  const contents = (["input", "prompt", "skills", "task_ids"] as const).map((what) =>
    base[what]?.sha256 === candidate[what]?.sha256
      ? undefined
      : different(what, shown(base[what]), shown(candidate[what]), true)
  );
  const all = [...contents, ...keys, different("hosts", base.hosts, candidate.hosts, false)]
    .filter((one) => one !== undefined);
  return [...all.filter(({ decides }) => decides), ...all.filter(({ decides }) => !decides)];
}

function different(
  what: string,
  base: unknown,
  candidate: unknown,
  decides: boolean,
): Difference | undefined {
  return JSON.stringify(base) === JSON.stringify(candidate) ? undefined : { what, base, candidate, decides };
}

function shown(source: Source | null | undefined): string | null {
  return source ? `${source.path} (SHA-256 ${source.sha256.slice(0, 12)}…)` : null;
}
