/** The command line: commands, flags out of the table of keys, words, help. Parses; runs nothing itself. */
import { Command, CommanderError, Option } from "commander";
import { readConfigFile } from "./config_files.ts";
import { EXIT_CODES } from "./exit_code.ts";
import type { World } from "./world.ts";
import type { Config } from "../config/config.ts";
import { allFlags, type TypedFlag } from "../config/flags.ts";
import { KEYS } from "../config/keys.ts";
import { configure } from "../config/layers.ts";
import { isWord } from "../config/words.ts";
import { list, UsageFault } from "../kit/fault.ts";
import { VERSION } from "./version.ts";

/** The commands, each run with a complete configuration. */
export interface Commands {
  /** Collects. */
  collect(config: Config, notes: readonly string[]): Promise<number>;
  /** Says what collecting would do. */
  plan(config: Config, notes: readonly string[]): Promise<number>;
  /** Shows a run against a built-in server. */
  demo(options: { readonly count: number; readonly quiet: boolean; readonly json: boolean }): Promise<number>;
}

const ABOUT =
  `Collects rollouts: reads tasks from JSONL, sends each to its agent or environment server (POST /run),
writes rollouts, a failures sidecar, materialized inputs and metrics. A drop-in for NeMo Gym's collector:
keys can also be given as Gym's words, +key=value.`;

/** Parses the arguments and runs the command they name. Returns its exit code. */
export async function runProgram(world: World, commands: Commands): Promise<number> {
  let code = 0;
  const program = root(world);

  const collecting = (name: string, about: string, run: Commands["collect"]) => {
    const command = program.command(name).description(about).argument(
      "[words...]",
      "keys as Gym's words, +key=value",
    );
    const typed = withFlags(command);
    command.addHelpText("after", footer());
    command.action(async (words: string[]) => {
      const { config, notes } = await configuration(words, typed, world);
      code = await run(config, notes);
    });
  };
  collecting("collect", "collect rollouts", commands.collect);
  collecting("plan", "print what collect would do: rows, routes, files, permissions", commands.plan);
  program.command("demo")
    .description("collect a few hundred rollouts from a built-in server")
    .option("--count <n>", "how many tasks", (text) => positive("--count", text), 300)
    .option("-q, --quiet", "no progress; errors and the summary only")
    .option("--json", "the summary as one JSON object on standard output")
    .action(async ({ count, quiet, json }) => {
      code = await commands.demo({ count, quiet: quiet ?? false, json: json ?? false });
    });

  try {
    await program.parseAsync([...world.args], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version end with 0; everything else is wrong usage, and commander has said what.
    return error.exitCode === 0 ? 0 : 2;
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
      getOutHelpWidth: () => terminal.columns(),
      getErrHelpWidth: () => terminal.columns(),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText("after", footer());
}

/** Adds every flag of the table, under its heading; returns the list that typed flags are put in, in order. */
// deno-lint-ignore no-explicit-any -- the flags come out of a table, so their types cannot be inferred
function withFlags(command: Command<any, any, any>): { flags: TypedFlag[]; files: string[] } {
  const typed = { flags: [] as TypedFlag[], files: [] as string[] };
  command.optionsGroup("Configuration files:").option(
    "--config <file>",
    "keys from a JSON (with comments) or YAML file; repeatable, later ones and flags win",
    (path: string) => typed.files.push(path),
  );
  let group = "";
  for (const { key, flag, says } of allFlags()) {
    if (KEYS[key].group !== group) command.optionsGroup(`${group = KEYS[key].group}:`);
    const option = new Option(flag.spelling, `${says} [${key}]`);
    command.addOption(option);
    command.on(`option:${option.name()}`, (text: string | null) => {
      typed.flags.push({ key, flag, text: text ?? true });
    });
  }
  return typed;
}

async function configuration(
  words: readonly string[],
  typed: { readonly flags: readonly TypedFlag[]; readonly files: readonly string[] },
  world: World,
) {
  const strays = words.filter((word) => !isWord(word));
  if (strays.length) {
    throw new UsageFault(`Cannot make sense of these arguments; a word is key=value:${list(strays)}`);
  }
  const files = [];
  for (const path of typed.files) files.push(await readConfigFile(path, world));
  return configure({ files, flags: typed.flags, words });
}

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
