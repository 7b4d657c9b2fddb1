/** The command line: built from the list of commands, parsed, and the command that it names run. Knows none by name. */
import { Command, CommanderError, type CommandUnknownOpts, Option } from "commander";
import { UsageFault } from "../kit/fault.ts";
import { MASKED, withoutSecrets } from "../kit/secrets.ts";
import { VERSION } from "../kit/version.ts";
import type { World } from "../ports/world.ts";
import { type AnyCommand, type Context, isRepeatable, type Spelling } from "./command.ts";
import { EXIT_CODES, USAGE } from "./exit_code.ts";
import { unknownCommand, usageFault } from "./usage_error.ts";

const ABOUT = "Collects rollouts: reads tasks from JSONL, sends each to its agent or environment server " +
  "(POST /run), writes rollouts, a failures sidecar, materialized inputs and metrics. A drop-in for NeMo Gym's " +
  "collector: keys can also be given as Gym's overrides, +key=value.";

/** The version of NeMo Gym whose collector this one takes the place of. */
const GYM_VERSION = "0.7.0";

/**
 * Parses the arguments and runs the command they name. Returns its exit code.
 *
 * @throws {UsageFault} for arguments that cannot be used
 */
export async function runProgram(
  commands: readonly AnyCommand[],
  context: Omit<Context, "program" | "commands">,
): Promise<number> {
  const { world } = context;
  let run: (() => Promise<number>) | undefined;
  const program = root(world);
  const notes = [...context.notes];
  // In Gym's spelling it is as in Gym, but not silently.
  const twice = (text: string) => {
    if (!context.gymFiles) throw new UsageFault(`${text}. Give it once.`);
    notes.push(`${text}: the last one counts, as in Gym.`);
  };
  for (const each of commands) {
    program.commandsGroup(each.group);
    const command = program.command(each.name).description(each.about).summary(each.summary ?? each.about);
    each.define(
      command,
      (options) => run = () => each.run(options, { ...context, notes, commands, program }),
    );
    watchTwice(command, twice);
    const isSpelled = context.spelling && each.name === world.args[0];
    const examples = isSpelled ? spell(command, each, context.spelling) : each.examples;
    command.addHelpText("after", () => footer(command, each.exitCodes, examples));
  }
  try {
    checkNames(program, world.args);
    program.parse([...world.args], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0; // help or version, asked for
    if (error.code === "commander.help") return USAGE; // help, since no command was named
    throw usageFault(error, program, world.args);
  }
  return await run!();
}

/** Has help show a command as Gym's: its name and its flags. Returns the examples, spelled so. */
function spell(command: Command, { name, examples }: AnyCommand, spelling: Spelling): AnyCommand["examples"] {
  command.configureHelp({ commandUsage: () => `rollcall ${spelling.name} ${command.usage()}` });
  command.optionsGroup("Gym's own flags:");
  for (const [flags, about] of spelling.flags) {
    const option = new Option(flags, about), own = command.options.find(({ long }) => long === option.long);
    if (own) own.description = about;
    else command.addOption(option);
  }
  return examples.map((
    [about, line],
  ) => [about, line.replace(`rollcall ${name} `, `rollcall ${spelling.name} `)]);
}

/** Calls back with what to say of a flag that is given two values and keeps one. */
function watchTwice(command: CommandUnknownOpts | Command, say: (text: string) => void): void {
  for (const option of command.options) {
    if (!option.required || isRepeatable(option)) continue;
    let last: string | undefined;
    // A command line may hold anything.
    const shown = (text: string) => option.flags.includes("<command>") ? MASKED : withoutSecrets(text);
    command.on(`option:${option.name()}`, (text: string) => {
      if (last !== undefined && last !== text) {
        say(
          `${option.long} takes one value and was given two: ${shown(last)} and ${shown(text)}`,
        );
      }
      last = text;
    });
  }
}

/** Commander shows help for an unknown command and does not mention it. */
function checkNames(program: Command, [first, second]: readonly string[]): void {
  const name = first === "help" ? second : first;
  if (name === undefined || name.startsWith("-") || name === "help") return;
  if (!program.commands.some((command) => command.name() === name)) throw unknownCommand(name, program);
}

function root({ terminal, env, runtime }: World): Command {
  const version = [
    `rollcall ${VERSION} (commit ${env("ROLLCALL_COMMIT") ?? "unknown"})`,
    `takes the place of the collector of NeMo Gym ${GYM_VERSION}`,
    runtime,
  ];
  const program: Command = new Command("rollcall");
  return program
    .description(ABOUT)
    .version(version.join("\n"), "-V, --version", "show the versions: rollcall, Gym, runtime")
    .helpOption("-h, --help", "show this help")
    .helpCommand("help [command]", "show the help of a command")
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
    .addHelpText("after", () => footer(program, EXIT_CODES));
}

/** What help ends with. */
function footer(
  command: Command,
  exitCodes: AnyCommand["exitCodes"],
  examples: AnyCommand["examples"] = [],
): string {
  const help = command.createHelp();
  const { getOutHelpWidth } = command.configureOutput();
  help.prepareContext({ helpWidth: getOutHelpWidth!() });
  const shown = examples.map(([about, line]) => `  # ${about}\n  ${line}\n`);
  const codes = exitCodes.map(([code, meaning]) =>
    help.formatItem(String(code).padStart(3), 3, meaning, help)
  );
  return (shown.length ? `\nExamples:\n${shown.join("")}` : "") + `\nExit codes:\n${codes.join("\n")}`;
}
