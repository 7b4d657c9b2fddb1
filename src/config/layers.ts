/**
 * From everything that was said about a run (configuration files, flags, words; later ones win) to one complete
 * configuration, or to one error with everything that is wrong.
 */
import { suggestion } from "../kit/nearest.ts";
import { list, UsageFault } from "../kit/fault.ts";
import { isSecret, MASKED } from "../kit/secrets.ts";
import type { Config, Value } from "./config.ts";
import { longName, setFlag, type TypedFlag } from "./flags.ts";
import { KEYS, RENAMED, schema } from "./keys.ts";
import { notYet } from "./later.ts";
import { KINDS } from "./topology.ts";
import { applyWords, parseWord, type Word, WordError } from "./words.ts";

/** A configuration file, parsed. */
export interface ConfigFile {
  /** Its path, for errors. */
  readonly path: string;
  /** What stands in it. */
  readonly value: unknown;
}

/** What was said, in the order of precedence, lowest first. */
export interface Given {
  /** Files in the order given. */
  readonly files: readonly ConfigFile[];
  /** Flags in the order given. */
  readonly flags: readonly TypedFlag[];
  /** Words (`key=value`, `+key=value`, …) in the order given. */
  readonly words: readonly string[];
}

/** The outcome of {@link configure}. */
export interface Configured {
  /** Complete, defaults filled in. */
  readonly config: Config;
  /** Things to tell the user. */
  readonly notes: readonly string[];
}

/** Top-level keys of Gym's own merged configuration: the servers' business, passed over with a note. */
const GYM_KEYS = new Set([
  "allow_openai_version_skew",
  "cache_dir",
  "config_paths",
  "default_host",
  "disallowed_ports",
  "head_server_deps",
  "model_endpoint_readiness_timeout_seconds",
  "pip_install_verbose",
  "port_range_high",
  "port_range_low",
  "python_version",
  "results_dir",
  "skip_venv_if_present",
  "use_absolute_ip",
]);
const GYM_PREFIXES = /^(policy_|ray_|uv_|hf_|global_aiohttp_|hydra$|hydra\.)/;

/**
 * @throws {UsageFault} with all problems at once, each with where it was said.
 */
export function configure(given: Given): Configured {
  const problems: string[] = [], notes: string[] = [];
  /** Who said the last word on a key, for messages. */
  const saidBy = new Map<string, string>();
  let values: Record<string, Value> = {};

  for (const { path, value } of given.files) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      problems.push(`${path}: must hold a map of keys`);
      continue;
    }
    for (const [name, item] of Object.entries(value)) {
      const known = keyNamed(name, notes);
      if (known) {
        values[known] = item as Value;
        saidBy.set(known, `${known} (${path})`);
      } else if (isGymKey(name, item)) {
        notes.push(`${name} (${path}) belongs to the servers' side and is passed over.`);
      } else {
        problems.push(`${name} (${path}): there is no such key${suggestion(name, Object.keys(KEYS))}`);
      }
    }
  }

  const flags: Record<string, Value> = {};
  for (const typed of given.flags) {
    try {
      setFlag(flags, typed);
      saidBy.set(typed.key, longName(typed.flag));
    } catch (error) {
      if (!(error instanceof UsageFault)) throw error;
      problems.push(error.message);
    }
  }
  values = { ...values, ...flags };

  const words: Word[] = [];
  for (const text of given.words) {
    let word: Word;
    try {
      word = parseWord(text);
    } catch (error) {
      problems.push((error as Error).message);
      continue;
    }
    const [root = "", second] = word.path;
    const known = keyNamed(root, notes);
    if (known) {
      words.push({ ...word, path: [known, ...word.path.slice(1)] });
      saidBy.set(known, text);
    } else if (isGymKey(root, word.value) || KINDS.includes(second as typeof KINDS[number])) {
      notes.push(`${text} belongs to the servers' side and is passed over.`);
    } else {
      problems.push(`${text}: there is no key ${root}${suggestion(root, Object.keys(KEYS))}`);
    }
  }
  try {
    values = applyWords(values, words) as Record<string, Value>;
  } catch (error) {
    if (!(error instanceof WordError)) throw error;
    problems.push(error.message);
  }

  const parsed = schema.safeParse(values);
  for (const issue of parsed.error?.issues ?? []) {
    const name = String(issue.path[0] ?? "");
    const said = saidBy.get(name);
    const inner = issue.path.slice(1).map(String).join(".");
    const what = said === undefined && values[name] === undefined
      ? `is missing (${KEYS[name as keyof Config]?.flags.map(longName).join(", ")})`
      : `${inner ? `${inner}: ` : ""}${plain(issue.message)}, got ${
        isSecret(name) ? MASKED : short(values[name])
      }`;
    problems.push(
      `${said && said !== name ? (said.startsWith(name) ? said : `${name} (${said})`) : name}: ${what}`,
    );
  }
  if (parsed.success) {
    problems.push(...contradictions(parsed.data));
    for (const [name, reason] of notYet(parsed.data)) problems.push(`${saidBy.get(name) ?? name}: ${reason}`);
  }
  if (problems.length) throw new UsageFault(`Cannot use this configuration:${list(problems)}`);
  return { config: parsed.data!, notes };
}

/** Keys that do not go together. */
function contradictions(config: Config): string[] {
  const problems: string[] = [];
  if (config.dispatch_budget_s !== null && config.num_samples_in_parallel === null) {
    problems.push(
      "dispatch_budget_s needs num_samples_in_parallel (--concurrency): without it everything starts at once",
    );
  }
  return problems;
}

function keyNamed(name: string, notes: string[]): keyof Config | undefined {
  if (Object.hasOwn(KEYS, name)) return name as keyof Config;
  if (!Object.hasOwn(RENAMED, name)) return undefined;
  notes.push(`${name} is the old name of ${RENAMED[name]}; it is understood for now.`);
  return RENAMED[name];
}

function isGymKey(name: string, value: unknown): boolean {
  return GYM_KEYS.has(name) || GYM_PREFIXES.test(name) ||
    (typeof value === "object" && value !== null && KINDS.some((kind) => Object.hasOwn(value, kind)));
}

/** zod's sentence without its opening. */
function plain(message: string): string {
  return message.replace(/^Invalid input: /, "").replace(/^Too (small|big): /, "");
}

/** A value for a message. Secrets sit in texts, so long ones are cut and no map is spelled out. */
function short(value: Value | undefined): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}
