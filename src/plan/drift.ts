/** What has changed since the rollouts of an output were planned, of all that determines what is run. */
import type { RowsConfig, Value } from "../config/config.ts";
import type { Manifest, Source } from "./manifest.ts";

/**
 * The keys that determine what the rows of the input become. Their files are compared by content, so that they may move;
 * concurrency, endpoints, secrets and everything else is free to change.
 */
const DECIDING: readonly Exclude<
  keyof RowsConfig,
  "input_jsonl_fpath" | "prompt_config" | "skills" | "allow_unsupported_pairing"
>[] = [
  "agent_name",
  "agent_map",
  "fan_out",
  "limit",
  "num_repeats",
  "num_repeats_add_seed",
  "interleave_repeats",
  "responses_create_params",
  "environment_routing_mode",
  "environment_server_name",
  "environment_server_routes",
];

/** What a resume is asked to run. */
export interface Asked {
  /** The configuration, as for the manifest. */
  readonly config: Readonly<Record<string, Value>>;
  readonly input: Source | undefined;
  readonly prompt: Source | null | undefined;
  readonly skills: Source | null | undefined;
}

/** The differences, one a line for people; none when the resume may continue. */
export function drift(then: Manifest, now: Asked): string[] {
  const differences: string[] = [];
  for (const key of DECIDING) {
    // A key that the manifest does not know came with a later version; nothing is known to have changed.
    if (!Object.hasOwn(then.config, key)) continue;
    const before = canonical(then.config[key]!), after = canonical(now.config[key] ?? null);
    if (before !== after) differences.push(`${key} was ${short(before)} and is ${short(after)} now`);
  }
  differences.push(...contents("the input", then.input, now.input));
  differences.push(...contents("the prompt", then.prompt, now.prompt));
  differences.push(...contents("the skills folder", then.skills, now.skills));
  return differences;
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
