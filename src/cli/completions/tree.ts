/**
 * What shells can complete, out of the commands as commander knows them. The scripts hold it as plain text: nothing
 * is started while somebody types, and no word on the line is ever evaluated. (Libraries for this ask the program at
 * each press of the key.)
 */
import type { Command, CommandUnknownOpts } from "commander";
import { allFlags, longName } from "../../config/flags.ts";
import { keyOf } from "../../config/keys.ts";

/** What stands behind a flag or in an argument's place. */
export type Kind = "files" | "folders" | "value" | readonly string[];

/** A flag. */
export interface FlagWords {
  /** `["-i", "--input"]` */
  readonly names: readonly string[];
  readonly about: string;
  /** What its value is; `null` without one. */
  readonly value: Kind | null;
}

/** A command. */
export interface CommandWords {
  readonly name: string;
  readonly about: string;
  readonly flags: readonly FlagWords[];
  /** What its arguments are; `null` without any. */
  readonly argument: Kind | null;
}

/** Everything, the program itself first, with the names of its commands as its argument. */
export function treeOf(program: Command): [CommandWords, ...CommandWords[]] {
  const commands = program.commands.map((command): CommandWords => {
    const [first] = command.registeredArguments;
    return {
      name: command.name(),
      about: command.summary(),
      flags: flagsOf(command),
      argument: first ? first.argChoices ?? kindOf(first.name()) : null,
    };
  });
  const names = commands.map(({ name }) => name);
  const help = { name: "help", about: "show the help of a command", flags: [], argument: names };
  const all = [...commands, help];
  return [
    { name: program.name(), about: "", flags: flagsOf(program), argument: all.map(({ name }) => name) },
    ...all,
  ];
}

/** The values of flags that take one of a few. */
const CHOICES: ReadonlyMap<string | undefined, readonly string[]> = new Map(
  allFlags().flatMap(({ key, flag }) => {
    const { choices } = keyOf(key).type;
    return choices ? [[longName(flag), choices] as const] : [];
  }),
);

function flagsOf(command: CommandUnknownOpts | Command): FlagWords[] {
  return command.createHelp().visibleOptions(command).map((option) => ({
    names: [option.short, option.long].filter((name) => name !== undefined),
    // Without the default and the key behind it.
    about: option.description.replace(/ (\((default: .*|required)\) )?\[[^\]]*\]$/, ""),
    value: option.required
      ? CHOICES.get(option.long) ?? kindOf(/<(.*)>/.exec(option.flags)?.[1] ?? "")
      : null,
  }));
}

/** By the name that help gives a value. */
function kindOf(name: string): Kind {
  if (/^(file|output|pattern)$/.test(name)) return "files";
  return /^(folder|run_dir)$/.test(name) ? "folders" : "value";
}
