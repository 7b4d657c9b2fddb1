/** Commands with a configuration: their flags out of the table of keys, configuration files, words. */
import { type Command, Option } from "commander";
import type { Configs, ConfiguredCommand, KeyName } from "../config/config.ts";
import { allFlags, type TypedFlag } from "../config/flags.ts";
import { keyOf } from "../config/keys.ts";
import { configure } from "../config/layers.ts";
import { isWord } from "../config/overrides.ts";
import { list, UsageFault } from "../kit/fault.ts";
import { chooseShard } from "../prepare/choose_shard.ts";
import { readConfigFiles } from "../prepare/config_files.ts";
import { joinConfigPaths, readGymConfigs } from "../prepare/gym_configs.ts";
import type { Context } from "./command.ts";

/** What was given, in the order in which it was. */
export interface Given {
  readonly files: readonly string[];
  readonly flags: readonly TypedFlag[];
  readonly words: readonly string[];
}

/** The flags that say nothing to a command that collects nothing: accepted, and not in its help. */
const IDLE: ReadonlySet<KeyName> = new Set<KeyName>(["dry_run", "quiet"]);

/**
 * Adds the flags of a command's keys, each under its heading.
 *
 * @param printed what `--json` prints, for commands that print something else than the summary of a run
 */
export function defineKeys(
  command: Command,
  keys: ConfiguredCommand,
  chosen: (given: Given) => void,
  printed?: string,
): void {
  const flags: TypedFlag[] = [], files: string[] = [];
  command.optionsGroup("Configuration files:").option(
    "--config <file>",
    "keys from a JSON (with comments) or YAML file; repeatable, later files win, and flags and overrides win over files",
    (path: string) => files.push(path),
  );
  for (const { key, flag, about, hidden } of allFlags(keys)) {
    const does = key === "json" && printed ? `${printed} as one JSON object on standard output` : about;
    const option = new Option(flag.spelling, `${does} [${flag.at ? `${key}.${flag.at}` : key}]`);
    option.hideHelp(hidden || (printed !== undefined && IDLE.has(key)));
    command.optionsGroup(`${keyOf(key).group}:`).addOption(option);
    command.on(`option:${option.name()}`, (text?: string | null) => {
      if (text && command.options.some(({ short, long }) => text === short || text === long)) {
        throw new UsageFault(`${option.long} needs a value, and what follows it is the flag ${text}.`);
      }
      flags.push({ key, flag, text: text ?? true });
    });
  }
  command
    .argument("[overrides...]", "keys as Gym's overrides, +key=value")
    .addHelpText(
      "after",
      "\nIn brackets: the key, for configuration files and overrides (+key=value).\n" +
        "The key works as a flag too: --output-jsonl-fpath is --output.",
    )
    .action((words) => chosen({ files, flags, words }));
}

/**
 * The configuration that was given, and what to tell the user of it.
 *
 * @throws {UsageFault} with everything that is wrong with it
 * @throws {Interrupted} when a signal comes before it is read
 */
export async function readConfiguration<C extends ConfiguredCommand>(
  { files, flags, words }: Given,
  command: C,
  { world, signals, notes, gymFiles }: Pick<Context, "world" | "signals" | "notes" | "gymFiles">,
): Promise<{ readonly config: Configs[C]; readonly notes: readonly string[] }> {
  const strays = words.filter((word) => !isWord(word));
  if (strays.length) {
    throw new UsageFault(
      `rollcall does not understand these arguments:${list(strays)}\n` +
        `An override is key=value; ${PLACES[command]} with --output FILE.`,
    );
  }
  const gym = joinConfigPaths(gymFiles ?? [], words);
  const reading = Promise.all([
    readGymConfigs(gym.files, world, gymFiles !== undefined),
    readConfigFiles(files, world),
  ]);
  const read = (await Promise.race([reading, signals.interruption])).flat();
  const configured = await configure({ files: read, flags, words: gym.words, env: world.env }, command);
  return { config: configured.config, notes: [...notes, ...configured.notes] };
}

/**
 * The configuration of a run: {@link readConfiguration} for `collect`, with the shard that it is.
 *
 * @throws {UsageFault} with everything that is wrong with it
 * @throws {Interrupted} when a signal comes before it is read
 */
export async function readRunConfiguration(
  given: Given,
  context: Pick<Context, "world" | "signals" | "notes" | "gymFiles">,
): Promise<{ readonly config: Configs["collect"]; readonly notes: readonly string[] }> {
  const { config, notes } = await readConfiguration(given, "collect", context);
  const chosen = chooseShard(config, context.world.env);
  return { config: chosen.config, notes: chosen.note === undefined ? notes : [...notes, chosen.note] };
}

/** How the files of a command are given, for those who give them without a flag. */
const PLACES: Readonly<Record<ConfiguredCommand, string>> = {
  collect: "name the tasks with --input FILE and the rollouts",
  aggregate: "name the shards with --input-glob PATTERN and what they are merged into",
};
