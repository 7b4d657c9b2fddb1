/** What set each part of a configuration, so that an error names the place where the mistake is. */
import type { Value } from "./config.ts";

/** One place that set something. */
export interface Origin {
  /** The place as errors name it: `--limit`, `+limit=…`, `limit (runs.yaml)`. */
  readonly who: string;
  /** What it set, from the key on. */
  readonly path: readonly string[];
  /** To what; `undefined` when it took it away. */
  readonly value: Value | undefined;
}

/** All origins, in the order in which they took effect. */
export class Provenance {
  readonly #origins: Origin[] = [];

  /** Adds one that wins over those before it. */
  add(origin: Origin): void {
    this.#origins.push(origin);
  }

  /** The last one that set what stands at `path`, or something around or inside of it. */
  of(path: readonly string[]): Origin | undefined {
    return this.#origins.findLast((origin) => reaches(origin, path)) ??
      this.#origins.findLast((origin) => origin.path[0] === path[0]);
  }
}

function reaches({ path, value }: Origin, wanted: readonly string[]): boolean {
  const shared = Math.min(path.length, wanted.length);
  if (path.slice(0, shared).some((part, k) => part !== wanted[k])) return false;
  let at: unknown = value;
  for (const part of wanted.slice(shared)) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) return false;
    at = (at as Record<string, unknown>)[part];
  }
  return true;
}
