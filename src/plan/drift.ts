/** What has changed since an output's rollouts were planned, of everything that determines them. */
import type { Value } from "../config/config.ts";
import { keyOf, NAMES } from "../config/keys.ts";
import type { Manifest, Source } from "./manifest.ts";

/**
 * The keys that determine what the rows of the input become. Their files are compared by content, so that they may move;
 * concurrency, endpoints, secrets and everything else is free to change.
 */
const DECIDING = NAMES.filter((name) => keyOf(name).decides);

/** What a resume is asked to run. */
export interface Asked {
  /** The configuration, in the manifest's form. */
  readonly config: Readonly<Record<string, Value>>;
  readonly input: Source | undefined;
  /** SHA-256 of the materialized inputs on disk; `undefined` when the manifest has none to compare. */
  readonly materialized_sha256?: string | undefined;
  readonly prompt: Source | null | undefined;
  /** The file of `task_ids`. */
  readonly task_ids?: Source | null | undefined;
  readonly skills: Source | null | undefined;
}

/** The differences, a line each; none when the resume may continue. */
export function drift(then: Manifest, now: Asked): string[] {
  const differences: string[] = [];
  const was = normalized(then.config), is = normalized(now.config);
  for (const key of DECIDING) {
    const { isGym, type } = keyOf(key), unset = isGym === false ? type.default as Value : null;
    // A later version added the key. Rollcall's own select rows: an older version ran them all, as their defaults do.
    if (!Object.hasOwn(then.config, key) && isGym !== false) continue;
    const before = canonical(was[key] ?? unset), after = canonical(is[key] ?? unset);
    if (before !== after) differences.push(`${key} was ${short(before)} and is ${short(after)} now`);
  }
  differences.push(...contents("the input", then.input, now.input));
  if (then.materialized_sha256 !== now.materialized_sha256) {
    differences.push("the materialized inputs were edited since the run wrote them");
  }
  differences.push(...contents("the prompt", then.prompt, now.prompt));
  differences.push(
    ...contents("the list of task ids", then.task_ids ?? null, "task_ids" in now ? now.task_ids : null),
  );
  differences.push(...contents("the skills folder", then.skills, now.skills));
  return differences;
}

type Settings = Readonly<Record<string, Value>>;

/** A configuration with one form for equal meanings: `num_repeats` null, 1 and `{_default: 1}` become the same. */
function normalized(config: Settings): Settings {
  const { _default = null, ...agents } = mapOf(config.agent_map);
  const legacy = config.environment_routing_mode === "legacy";
  return {
    ...config,
    // Two ways to write the same.
    agent_name: config.agent_name ?? _default,
    agent_map: agents,
    fan_out: mapOf(config.fan_out),
    environment_server_routes: mapOf(config.environment_server_routes),
    environment_server_name: legacy ? config.environment_server_name ?? null : null,
    responses_create_params: mapOf(config.responses_create_params),
    limit: config.limit ?? 0,
    num_repeats: repeatsOf(config.num_repeats ?? null),
  };
}

/** `null` counts as 1, and a map with nothing but `_default` is that number. */
function repeatsOf(repeats: Value): Value {
  if (typeof repeats !== "object" || repeats === null) return repeats ?? 1;
  const entries = Object.entries(repeats).map(([name, times]) => [name, times ?? 1] as const);
  const [first] = entries;
  return entries.length === 1 && first![0] === "_default" ? first![1] : Object.fromEntries(entries);
}

function mapOf(value: Value | undefined): Readonly<Record<string, Value>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Readonly<Record<string, Value>>
    : {};
}

function contents(what: string, then: Source | null, now: Source | null | undefined): string[] {
  if (now === undefined) return [`${what} cannot be read, so it cannot be compared`];
  if (then?.sha256 === now?.sha256) return [];
  if (!then) return [`${what} ${now!.path} is new`];
  if (!now) return [`${what} ${then.path} is no longer given`];
  return [
    `${what} ${now.path} has other content: its hash was ${then.sha256.slice(0, 12)} and is ` +
    `${now.sha256.slice(0, 12)} now`,
  ];
}

/** A value as JSON with the keys of its maps in order. */
function canonical(value: Value): string {
  return JSON.stringify(
    JSON.parse(JSON.stringify(value)),
    (_, item) =>
      typeof item === "object" && item !== null && !Array.isArray(item)
        ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
        : item,
  );
}

function short(json: string): string {
  return json.length <= 60 ? json : `${json.slice(0, 60)}…`;
}
