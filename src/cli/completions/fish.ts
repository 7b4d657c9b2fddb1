/** Completions for fish. */
import type { CommandWords, FlagWords, Kind } from "./tree.ts";

/** The script, to be sourced. */
export function fishCompletions([program, ...commands]: readonly [CommandWords, ...CommandWords[]]): string {
  const lines = [`# fish completion for ${program.name}: ${program.name} completions fish | source`];
  const add = (...words: string[]) => lines.push(`complete -c ${program.name} ${words.join(" ")}`);
  add("-f");
  for (const flag of program.flags) add("-n __fish_use_subcommand", flagWords(flag));
  for (const { name, about, flags, argument } of commands) {
    add("-n __fish_use_subcommand", `-a ${name}`, `-d ${quoted(about)}`);
    const seen = `-n '__fish_seen_subcommand_from ${name}'`;
    for (const flag of flags) add(seen, flagWords(flag));
    if (argument) add(seen, valueWords(argument));
  }
  return `${lines.join("\n")}\n`;
}

function flagWords({ names, about, value }: FlagWords): string {
  const spelled = names.map((name) => name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`);
  return [...spelled, ...(value ? ["-r", valueWords(value)] : []), `-d ${quoted(about)}`].join(" ");
}

function valueWords(kind: Kind): string {
  switch (kind) {
    case "files":
      return "-F";
    case "folders":
      return "-a '(__fish_complete_directories)'";
    case "value":
      return "-f";
    default:
      return `-a ${quoted(kind.join(" "))}`;
  }
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
