/**
 * From everything that was given for a run (configuration files, flags, words; later ones win) to one complete
 * configuration, or to one error with everything that is wrong. It is long because all of it is one fold over the layers, whose problems are
 * gathered in one place.
 */
import { isExact } from "../kit/exact_number.ts";
import { list, UsageFault } from "../kit/fault.ts";
import { isHost } from "../kit/host.ts";
import { suggestion } from "../kit/nearest.ts";
import type { AggregateConfig, Config, Configs, ConfiguredCommand, KeyName, Value } from "./config.ts";
import { allFlags, longName, setFlag, type TypedFlag, usage } from "./flags.ts";
import { resolve } from "./interpolation.ts";
import type { Env } from "../ports/env.ts";
import { keyOf, KEYS, keysOf, RENAMED } from "./keys.ts";
import { notYet } from "./unavailable.ts";
import { Provenance } from "./provenance.ts";
import type { schemaOf } from "./schema.ts";
import { baseUrl, KINDS } from "./topology.ts";
import { shown, wrongsOf } from "./value_errors.ts";
import { applyWords, parseWord, type Word, WordError } from "./overrides.ts";

/** A configuration file, parsed. */
export interface ConfigFile {
  /** For errors. */
  readonly path: string;
  readonly value: unknown;
  /** Whether it is one of Gym's, in which anything may stand: unknown keys are ignored with a note. */
  readonly isGym?: boolean;
}

/** What was given, in the order of precedence, lowest first. */
export interface Given {
  /** Files in the order given. */
  readonly files: readonly ConfigFile[];
  /** Flags in the order given. */
  readonly flags: readonly TypedFlag[];
  /** Words (`key=value`, `+key=value`, …) in the order given. */
  readonly words: readonly string[];
  /** rollcall's own environment, for `${oc.env:…}`; by default an empty one. */
  readonly env?: Env;
}

/** Makes the schema of a key. */
export type SchemaOf = typeof schemaOf;

/** The outcome of {@link configure}. */
export interface Configured<C = Config> {
  /** Complete, defaults filled in. */
  readonly config: C;
  /** Things to tell the user. */
  readonly notes: readonly string[];
}

/** Top-level keys of Gym's own merged configuration: the servers' business, ignored with a note. */
const GYM_KEYS = new Set([
  "allow_openai_version_skew",
  "cache_dir",
  "component_name",
  "config_paths",
  "default_host",
  "disallowed_ports",
  "entrypoint",
  "error_on_agent_without_environment_server",
  "head_server_deps",
  "model_endpoint_readiness_timeout_seconds",
  "nemo_gym_log_dir",
  "pip_install_verbose",
  "port_range_high",
  "port_range_low",
  "python_version",
  "query",
  "results_dir",
  "reuse_existing_data_preparation",
  "skip_venv_if_present",
  "skip_verification",
  "skip_verification_reward",
  "split",
  "telemetry",
  "token_id_capture",
  "use_absolute_ip",
  "verbose",
]);
const GYM_PREFIXES = /^(policy_|ray_|uv_|uvicorn_|hf_|global_aiohttp_|hydra([./@]|$))/;

/** Thrown when a value cannot be judged without its schema. */
class NeedsSchema extends Error {}

/**
 * {@link configureWith} the schemas, which are loaded only where some value needs one: that takes longer than all the rest.
 *
 * @throws {UsageFault} with all problems at once, each with where it was given.
 */
export async function configure<C extends ConfiguredCommand>(
  given: Given,
  command: C,
): Promise<Configured<Configs[C]>> {
  const none = () => {
    throw new NeedsSchema();
  };
  try {
    return configureWith(none, given, command);
  } catch (error) {
    if (!(error instanceof NeedsSchema)) throw error;
    const { schemaOf } = await import("./schema.ts");
    return configureWith(schemaOf, given, command);
  }
}

/**
 * Maps of different layers are merged, everything else is replaced. `${…}` in a value is resolved: from the
 * environment, or from what else was given.
 *
 * @throws {UsageFault} with all problems at once, each with where it was given.
 */
export function configureWith<C extends ConfiguredCommand>(
  schemaOf: SchemaOf,
  given: Given,
  command: C,
): Configured<Configs[C]>;
export function configureWith(
  schemaOf: SchemaOf,
  given: Given,
  command: ConfiguredCommand,
): Configured<Config | AggregateConfig> {
  const layers = new Layers(command);
  for (const file of given.files) layers.addFile(file);
  for (const flag of given.flags) layers.addFlag(flag);
  for (const word of given.words) layers.addWord(word);
  const { problems, notes } = layers;
  const config = layers.check(given.env ?? (() => undefined), schemaOf);
  contradictions(config, layers);
  for (const [key, reason] of notYet(config)) layers.blame([key], reason);
  if (problems.length) throw new UsageFault(`Cannot use this configuration:${list(problems)}`);
  if (layers.ofServers.length) {
    notes.push(`Ignored, since they belong to the servers:${list(layers.ofServers)}`);
  }
  if (layers.ofOthers.length) {
    notes.push(`Ignored, since they are not keys of ${command}:${list(layers.ofOthers)}`);
  }
  const { ignored } = layers;
  if (ignored.length) notes.push(`Ignored, since there are no such keys:${list(ignored)}`);
  return { config, notes };
}

/** What Gym's files write for a value that somebody else has to give. */
const UNSET = "???";

/** What was given so far, each thing laid over those before it. */
class Layers {
  readonly problems: string[] = [];
  readonly notes: string[] = [];
  /** Who named keys that are the servers' business. */
  readonly ofServers: string[] = [];
  /** Who named keys of other commands, in files that are for several. */
  readonly ofOthers: string[] = [];
  /** Keys that nobody knows, in Gym's files. */
  readonly #unknown: { readonly name: string; readonly who: string }[] = [];
  /** The keys of the command. */
  readonly keys: readonly KeyName[];
  readonly #command: ConfiguredCommand;
  readonly #provenance = new Provenance();
  #values: Record<string, Value> = {};
  /** What was given for the servers' keys; references may point there. */
  #others: Record<string, Value> = {};
  /** Names of servers' keys in Gym's files. */
  readonly #named = new Set<string>();

  constructor(command: ConfiguredCommand) {
    this.#command = command;
    this.keys = keysOf(command);
  }

  addFile({ path, value, isGym = false }: ConfigFile): void {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      const what = value === undefined || value === null ? "is empty" : `is ${shown(value, [])}`;
      this.problems.push(`${path}: must hold a map of keys, but ${what}`);
      return;
    }
    for (const [name, item] of Object.entries(value)) {
      this.#lay(setting(name, item), `${name} (${path})`, { ofOthers: this.ofOthers, isGym });
    }
  }

  addFlag(typed: TypedFlag): void {
    this.keepingFaults(() => {
      const layer: Record<string, Value> = {};
      setFlag(layer, typed);
      this.#lay(setting(typed.key, layer[typed.key]), longName(typed.flag));
    });
  }

  addWord(text: string): void {
    // Named without its value, which may be a secret.
    const who = text.replace(/=.*/s, "=…");
    this.keepingFaults(() => this.#lay(readWord(text, who), who));
  }

  /** Every key as its schema has it; one that is wrong has its default, so that all the others are looked at too. */
  check(env: Env, schemaOf: SchemaOf): Config {
    for (const path of unsetIn(this.#gyms)) {
      this.problems.push(
        `${path}: is still ${UNSET}: it needs a value, in one of Gym's files or as an override`,
      );
    }
    const config: Record<string, unknown> = {};
    const context = { ...this.#others, ...this.#values };
    for (const key of this.keys) {
      const { type } = keyOf(key);
      config[key] = type.default;
      this.keepingFaults(() => {
        const value = resolveAll(this.#values[key], context, env, key);
        if (value === UNSET) return this.blame([key], `is still ${UNSET}: it needs a value`);
        if (value === undefined && type.default !== undefined) return;
        if (type.isPlain(value)) return void (config[key] = value);
        const parsed = schemaOf(key).safeParse(value);
        if (parsed.success) config[key] = parsed.data;
        else if (value === undefined) {
          this.problems.push(`${key}: is missing, give it with ${usage(keyOf(key).flags[0]!)}`);
        } else for (const { path, what } of wrongsOf(key, value, parsed.error)) this.blame(path, what);
      });
    }
    return config as unknown as Config;
  }

  /** The blocks of servers in Gym's files; the model that flags such as --model name is nothing that this run needs. */
  get #gyms(): Record<string, Value> {
    const entries = Object.entries(this.#others);
    return Object.fromEntries(entries.filter(([name]) => this.#named.has(name) && !/^policy_/.test(name)));
  }

  /** Who named keys that nobody knows and no reference needs. */
  get ignored(): string[] {
    return this.#unknown.filter(({ name }) => !refersTo([this.#values, this.#others], name)).map(({ who }) =>
      who
    );
  }

  /** Adds a problem with what stands at `path`, under the name of what set it. */
  blame(path: readonly string[], what: string): void {
    const origin = this.#provenance.of(path);
    const inner = path.slice(origin?.path.length ?? 1).join(".");
    this.problems.push(`${origin?.who ?? path[0]}: ${inner && `"${inner}" `}${what}`);
  }

  /** Makes a fault of `step` one of the problems. */
  keepingFaults(step: () => void): void {
    try {
      step();
    } catch (error) {
      if (!(error instanceof UsageFault)) throw error;
      this.problems.push(error.message.replace(/\.$/, "").replaceAll("\n", "\n  "));
    }
  }

  /** @param ofOthers takes those that are keys of other commands; without it they are a problem */
  #lay(
    word: Word,
    who: string,
    { ofOthers, isGym = false }: { ofOthers?: string[]; isGym?: boolean } = {},
  ): void {
    const [root = "", second] = word.path;
    const known = keyNamed(root, this.notes);
    if (known && !this.keys.includes(known)) {
      if (ofOthers) ofOthers.push(who);
      else this.problems.push(`${who}: ${known} is not a key of ${this.#command}`);
    } else if (known) {
      const path = [known, ...word.path.slice(1)];
      this.#values = applyWords(this.#values, [{ ...word, path }]);
      this.#provenance.add({ who, path, value: word.mode === "delete" ? undefined : word.value });
    } else if (isGymKey(root, word.value) || KINDS.includes(second as typeof KINDS[number])) {
      this.ofServers.push(who);
      if (isGym) this.#named.add(root);
      this.#others = applyWords(this.#others, [word]);
    } else if (isGym) {
      this.#unknown.push({ name: root, who: `${who}${meant(root, this.#command)}` });
      this.#others = applyWords(this.#others, [word]);
    } else {
      this.problems.push(`${who}: there is no such key${meant(root, this.#command)}`);
    }
  }
}

/** Whether a text in a value holds `${name}`, or a reference to something in it. */
function refersTo(value: unknown, name: string): boolean {
  if (typeof value === "string") return ["}", ".", "["].some((end) => value.includes(`\${${name}${end}`));
  return typeof value === "object" && value !== null &&
    Object.values(value).some((inner) => refersTo(inner, name));
}

/** Where values are left for somebody else to give. Gym's own directives move blocks around, so these are left alone. */
function unsetIn(value: Value, path: readonly string[] = []): string[] {
  if (value === UNSET) return [path.join(".")];
  if (typeof value !== "object" || value === null || isExact(value)) return [];
  const entries = Object.entries(value);
  if (entries.some(([name]) => DIRECTIVES.has(name))) return [];
  return entries.flatMap(([name, inner]) => unsetIn(inner, [...path, name]));
}

const DIRECTIVES = new Set(["_inherit_from", "_copy", "_delete_key"]);

/** What is wrong with values that each have the right type. */
function contradictions(config: Config, layers: Layers): void {
  const { dispatch_budget_s, num_samples_in_parallel, proxy, servers } = config;
  if (typeof dispatch_budget_s === "number" && num_samples_in_parallel === null) {
    layers.blame(
      ["dispatch_budget_s"],
      "needs num_samples_in_parallel (--concurrency) too: without it everything starts at once",
    );
  }
  if (config.extend && !config.resume_from_cache) {
    layers.blame(["extend"], "needs resume_from_cache (--resume) too: it adds to a run that is there");
  }
  if (config.extend && config.accept_drift) {
    layers.blame(["extend"], "does not go with accept_drift: what is added must be of the run that is there");
  }
  if (proxy !== null && !isProxy(proxy)) {
    layers.blame(["proxy"], `must be http://HOST:PORT or socks5://HOST:PORT, got ${shown(proxy, [])}`);
  }
  for (const [name, url] of Object.entries(servers)) layers.keepingFaults(() => baseUrl(name, url));
}

function isProxy(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^(https?|socks5h?):$/.test(url.protocol) && isHost(url.hostname);
}

function keyNamed(name: string, notes: string[]): KeyName | undefined {
  if (Object.hasOwn(KEYS, name)) return name as KeyName;
  const renamed = RENAMED.get(name);
  if (renamed) notes.push(`${name} is the old name of ${renamed}; it is understood for now.`);
  return renamed;
}

function isGymKey(name: string, value: unknown): boolean {
  return GYM_KEYS.has(name) || GYM_PREFIXES.test(name) ||
    (typeof value === "object" && value !== null && KINDS.some((kind) => Object.hasOwn(value, kind)));
}

/** A word, read. What is wrong with it is shown in place, unless its key is unknown: nobody knows what it holds. */
function readWord(text: string, who: string): Word {
  try {
    return parseWord(text);
  } catch (error) {
    const root = /^[+~]*([^.=]*)/.exec(text)![1]!;
    if (!(error instanceof WordError) || keyNamed(root, []) !== undefined) throw error;
    throw new UsageFault(`${who}: ${error.reason} (column ${error.column})`, { cause: error });
  }
}

/** A value set as a word would set it. */
function setting(key: string, value: unknown): Word {
  return { text: "", mode: "set", path: [key], value: value as Value };
}

/** What an unknown key may have been meant for: a key of a similar name, or the one that a flag of this name sets. */
function meant(name: string, command: ConfiguredCommand): string {
  const flag = allFlags(command).find(({ flag }) => longName(flag) === `--${name.replaceAll("_", "-")}`);
  if (!flag) return suggestion(name, keysOf(command));
  return ` (did you mean "${flag.key}${flag.flag.at ? `.${flag.flag.at}` : ""}"?)`;
}

/** A value with the references in it and in its members resolved. */
function resolveAll(value: unknown, config: Record<string, unknown>, env: Env, key: string): unknown {
  if (Array.isArray(value)) return value.map((item, at) => resolveAll(item, config, env, `${key}.${at}`));
  if (typeof value !== "object" || value === null || isExact(value)) return resolve(value, config, env, key);
  const entries = Object.entries(value).map(([name, item]) =>
    [name, resolveAll(item, config, env, `${key}.${name}`)] as const
  );
  return Object.fromEntries(entries);
}
