/** The manual page, in roff, out of the commands as commander knows them. */
import type { Command, CommandUnknownOpts } from "commander";
import { VERSION } from "../kit/version.ts";
import type { AnyCommand } from "./command.ts";
import { EXIT_CODES } from "./exit_code.ts";

/** The page, for `man -l -`. */
export function manPage(program: Command, commands: readonly AnyCommand[]): string {
  const name = program.name();
  const lines = [
    `.TH ${name.toUpperCase()} 1 "" "${name} ${VERSION}" "User Commands"`,
    ".SH NAME",
    `${name} \\- collects rollouts`,
    ".SH SYNOPSIS",
    `.B ${name}`,
    ".I command",
    "[options] [overrides]",
    ".SH DESCRIPTION",
    text(program.description()),
    ".SH OPTIONS",
    ...flags(program),
    ".SH COMMANDS",
  ];
  for (const { name, about, examples, exitCodes } of commands) {
    const command = program.commands.find((command) => command.name() === name)!;
    lines.push(
      `.SS "${text(`${program.name()} ${name} ${command.usage()}`)}"`,
      text(about),
      ...flags(command),
    );
    lines.push(".PP", "Examples:", ".PP", ".nf", ".RS");
    for (const [about, line] of examples) lines.push(text(`# ${about}`), ...line.split("\n").map(text));
    lines.push(".RE", ".fi", ".PP", "Exit codes:", ...codes(exitCodes));
  }
  lines.push(".SH EXIT STATUS", ...codes(EXIT_CODES));
  return `${lines.join("\n")}\n`;
}

function flags(command: CommandUnknownOpts | Command): string[] {
  const lines: string[] = [];
  let group = "";
  for (const option of command.createHelp().visibleOptions(command)) {
    if (option.helpGroupHeading && option.helpGroupHeading !== group) {
      lines.push(".PP", text(group = option.helpGroupHeading));
    }
    lines.push(".TP", `.B ${text(option.flags)}`, text(option.description));
  }
  return lines;
}

function codes(codes: AnyCommand["exitCodes"]): string[] {
  return codes.flatMap(([code, meaning]) => [".TP", `.B ${code}`, text(meaning)]);
}

/** Spelled so that roff shows it unchanged; what would be a request at the start of a line is not one. */
function text(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll('"', "\\(dq")
    .replace(
      /[^\0-\x7f]/g,
      (one) => `\\[u${one.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`,
    )
    .replace(/^[.']/gm, "\\&$&");
}
