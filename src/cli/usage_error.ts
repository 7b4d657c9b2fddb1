/** What the parser of arguments has against them, in rollcall's words. */
import type { Command, CommanderError } from "commander";
import { usage } from "../config/flags.ts";
import { isWord } from "../config/overrides.ts";
import { UsageFault } from "../kit/fault.ts";
import { suggestion } from "../kit/nearest.ts";

/** Commands that are planned and not there yet. */
const LATER = new Set(["run", "stream"]);

/**
 * The error for the user. Values are left out of it: behind a flag that does not exist there may be a secret.
 *
 * @param args all arguments
 */
export function usageFault(error: CommanderError, program: Command, args: readonly string[]): UsageFault {
  const quoted = /'(.*?)'(?:\n|$| argument)/s.exec(error.message)?.[1] ?? "";
  return new UsageFault(messageOf(error, quoted, program, args), { cause: error });
}

function messageOf(error: CommanderError, quoted: string, program: Command, args: readonly string[]): string {
  const command = program.commands.find((command) => command.name() === args[0]);
  switch (error.code) {
    case "commander.unknownOption":
      return unknownFlag(quoted.replace(/=.*/s, ""), program, command);
    case "commander.optionMissingArgument":
      return `${/--[a-z-]+/.exec(quoted)?.[0]} needs a value: ${usage({ spelling: quoted, kind: "string" })}`;
    case "commander.missingArgument":
      return `rollcall ${args[0]} needs <${quoted}>. rollcall ${args[0]} --help says what that is.`;
    case "commander.invalidArgument":
      return error.message.replace(/^error: command-argument value /, "").replace(
        /is invalid for argument '(.*)'\. Allowed choices are (.*)\.$/,
        "is not a $1. There are: $2.",
      );
    default:
      return error.message.replace(/^error: /, "");
  }
}

function unknownFlag(flag: string, program: Command, command: { name(): string } | undefined): string {
  const of = program.commands.find((other) => other === command);
  if (!of) {
    const owner = program.commands.find(({ options }) =>
      options.some(({ short, long }) => flag === short || flag === long)
    );
    if (owner) return `${flag} is a flag of a command, which comes first: rollcall ${owner.name()} ${flag} …`;
  }
  const flags = (of ?? program).options.flatMap(({ long }) => long ?? []);
  if (flags.includes(flag)) return `${flag} takes no value.`;
  const help = `rollcall ${of ? `${of.name()} ` : ""}--help`;
  return `There is no flag ${flag}${suggestion(flag, [...flags, "--help"])}. ${help} lists all flags.`;
}

/** The error for an unknown command. */
export function unknownCommand(name: string, program: Command): UsageFault {
  const names = program.commands.map((command) => command.name());
  if (LATER.has(name)) return new UsageFault(`The command ${name} is not available yet in this version.`);
  if (isWord(name)) {
    return new UsageFault(`A command comes first: rollcall collect ${name.replace(/=.*/s, "=…")} …`);
  }
  return new UsageFault(
    `There is no command "${name}"${suggestion(name, names)}. The commands are ${names.join(", ")}.`,
  );
}
