/** The command line: commands, flags out of the table of keys, words, help. Parses; runs nothing itself. */
import { Command, CommanderError, Option } from "commander";
import { readConfigFiles } from "../prepare/config_files.ts";
import { EXIT_CODES, USAGE } from "./exit_code.ts";
import type { DemoOptions } from "./commands/demo.ts";
import type { HealthOptions } from "./commands/health.ts";
import { usageFault } from "./usage_error.ts";
import type { World } from "../ports/world.ts";
import type { AggregateConfig, Config, Configs, ConfiguredCommand } from "../config/config.ts";
import { allFlags, type TypedFlag } from "../config/flags.ts";
import { KEYS } from "../config/keys.ts";
import { configure } from "../config/layers.ts";
import { isWord } from "../config/overrides.ts";
import { list, UsageFault } from "../kit/fault.ts";
import { VERSION } from "../kit/version.ts";

/** The commands, each run with a complete configuration. */
export interface Commands {
  /** Collects. */
  collect(config: Config, notes: readonly string[]): Promise<number>;
  /** Says what collecting would do. */
  plan(config: Config, notes: readonly string[]): Promise<number>;
  /** Says where a run stands. */
  status(options: { readonly output: string; readonly json: boolean }): Promise<number>;
  /** Scores the rollouts of finished runs together. */
  aggregate(config: AggregateConfig, notes: readonly string[]): Promise<number>;
  /** Checks the rollouts of a finished run. */
  health(options: HealthOptions): Promise<number>;
  /** Shows a run against a built-in server. */
  demo(options: DemoOptions): Promise<number>;
}

const ABOUT = "Collects rollouts: reads tasks from JSONL, sends each to its agent or environment server " +
  "(POST /run), writes rollouts, a failures sidecar, materialized inputs and metrics. A drop-in for NeMo Gym's " +
  "collector: keys can also be given as Gym's words, +key=value.";

const GYM =
  "Gym's own spellings, for scripts that have them: eval run --no-serve is collect. What is for starting " +
  "servers (--config, --model, …) is passed over with a note. A link to rollcall with the name " +
  "ng_collect_rollouts takes what that command takes.";

/**
 * Parses the arguments and runs the command they name. Returns its exit code.
 *
 * @param before what to tell the user before everything else
 * @param interruption rejects to end the reading of configuration files
 * @throws {UsageFault} for arguments that cannot be used
 */
export async function runProgram(
  world: World,
  commands: Commands,
  before: readonly string[] = [],
  interruption?: Promise<never>,
): Promise<number> {
  let code = 0;
  const program = root(world);

  const configured = <C extends ConfiguredCommand>(
    name: string,
    keys: C,
    about: string,
    run: (config: Configs[C], notes: readonly string[]) => Promise<number>,
  ) => {
    const command = program.command(name).description(about).argument(
      "[words...]",
      "keys as Gym's words, +key=value",
    );
    const typed = withFlags(command, keys);
    command.addHelpText("after", footer());
    command.action(async (words: string[]) => {
      const reading = configuration(words, typed, world, keys);
      const { config, notes } = await (interruption ? Promise.race([reading, interruption]) : reading);
      code = await run(config, [...before, ...notes]);
    });
  };
  configured("collect", "collect", "collect rollouts", commands.collect);
  configured(
    "plan",
    "collect",
    "print what collect would do: rows, routes, files, permissions",
    commands.plan,
  );
  configured(
    "aggregate",
    "aggregate",
    "score the rollouts of finished runs together, and merge them",
    commands.aggregate,
  );
  program.command("status")
    .description("say where a run stands, running or not: done, failed, left; from its files alone")
    .argument("<output>", "the rollouts file, as given to --output")
    .option("--json", "one JSON object on standard output")
    .action(async (output, { json }) => {
      code = await commands.status({ output, json: json ?? false });
    });
  program.command("health")
    .description("check the rollouts of a finished run for empty turns, failed model calls and the like")
    .argument("<run_dir>", "the folder of the run; quality_summary.json and rollout_verdicts.jsonl go there")
    .option("--rollouts-file <name>", "the rollouts file in it", "rollouts.jsonl")
    .option("--ignore-checks <a,b>", "checks that are left out")
    .option("--ignore <a,b>", "the same")
    .option(
      "--workers <n>",
      "Gym's processes; one pass is fast enough here, so it changes nothing",
      (text) => positive("--workers", text),
    )
    .option("--json", "the content of quality_summary.json on standard output")
    .action(async (folder, { rolloutsFile, ignoreChecks, ignore, json }) => {
      const ignored = (ignoreChecks ?? ignore ?? "").split(",");
      code = await commands.health({ folder, rollouts: rolloutsFile, ignored, json: json ?? false });
    });
  program.command("demo")
    .description("collect a few hundred rollouts from a built-in server")
    .option("--count <n>", "how many tasks", (text) => positive("--count", text), 300)
    .option("--resume", "run what the last demo left and what failed in it")
    .option("-q, --quiet", "no progress; errors and the summary only")
    .option("--json", "the summary as one JSON object on standard output")
    .action(async ({ count, resume = false, quiet = false, json = false }) => {
      code = await commands.demo({ count, resume, quiet, json });
    });

  program.command("eval").summary("Gym's own spellings: eval run --no-serve, …").description(GYM);

  try {
    await program.parseAsync([...world.args], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0; // help or version, asked for
    if (error.code === "commander.help") return USAGE; // help, since no command was named
    throw usageFault(error, program, world.args);
  }
  return code;
}

function root(world: World) {
  const { terminal } = world;
  return new Command("rollcall")
    .description(ABOUT)
    .version(VERSION, "-V, --version")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => terminal.err(text),
      outputError: () => {}, // said by whoever catches what is thrown
      getOutHelpWidth: () => terminal.columns(),
      getErrHelpWidth: () => terminal.columns(),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({ minWidthToWrap: 24 })
    .addHelpText("after", footer());
}

/** Adds every flag of the table, under its heading; returns the list that typed flags are put in, in order. */
// deno-lint-ignore no-explicit-any -- the flags come out of a table, so their types cannot be inferred
function withFlags(command: Command<any, any, any>, keys: ConfiguredCommand) {
  const typed = { flags: [] as TypedFlag[], files: [] as string[] };
  command.optionsGroup("Configuration files:").option(
    "--config <file>",
    "keys from a JSON (with comments) or YAML file; repeatable, later ones and flags win",
    (path: string) => typed.files.push(path),
  );
  let group = "";
  for (const { key, flag, about, hidden } of allFlags(keys)) {
    if (KEYS[key].group !== group) command.optionsGroup(`${group = KEYS[key].group}:`);
    const option = new Option(flag.spelling, `${about} [${flag.at ? `${key}.${flag.at}` : key}]`);
    command.addOption(option.hideHelp(hidden ?? false));
    command.on(`option:${option.name()}`, (text?: string | null) => {
      if (text && command.options.some(({ short, long }) => text === short || text === long)) {
        throw new UsageFault(`${option.long} wants a value, and what follows it is the flag ${text}.`);
      }
      typed.flags.push({ key, flag, text: text ?? true });
    });
  }
  return typed;
}

async function configuration<C extends ConfiguredCommand>(
  words: readonly string[],
  typed: { readonly flags: readonly TypedFlag[]; readonly files: readonly string[] },
  world: World,
  command: C,
) {
  const strays = words.filter((word) => !isWord(word));
  if (strays.length) {
    throw new UsageFault(
      `Cannot make sense of these arguments:${list(strays)}\n` +
        `A word is key=value; ${PLACES[command]} with --output FILE.`,
    );
  }
  const files = await readConfigFiles(typed.files, world);
  return configure({ files, flags: typed.flags, words, env: world.env }, command);
}

/** How the files of a command are given, for those who give them without a flag. */
const PLACES: Readonly<Record<ConfiguredCommand, string>> = {
  collect: "tasks are given with --input FILE, where the rollouts go",
  aggregate: "shards are given with --input-glob PATTERN, where they are merged to",
};

function footer(): string {
  const codes = EXIT_CODES.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`);
  return `\nExit codes:\n${codes.join("\n")}\n`;
}

function positive(flag: string, text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new UsageFault(`${flag}: wants a whole number from 1 on, got ${text}`);
  }
  return number;
}
