/** `rollcall completions`: prints the completions of a shell. */
import { Argument } from "commander";
import { type CliCommand, GROUPS } from "../command.ts";
import { bashCompletions } from "../completions/bash.ts";
import { fishCompletions } from "../completions/fish.ts";
import { treeOf } from "../completions/tree.ts";
import { zshCompletions } from "../completions/zsh.ts";

const SHELLS = { bash: bashCompletions, zsh: zshCompletions, fish: fishCompletions } as const;

type Shell = keyof typeof SHELLS;

/** The command. */
export const completions: CliCommand<Shell> = {
  name: "completions",
  group: GROUPS.shell,
  about: "print what completes commands, flags and files in bash, zsh or fish",
  examples: [
    ["In ~/.bashrc", 'eval "$(rollcall completions bash)"'],
    ["In ~/.zshrc, once compinit has run", "source <(rollcall completions zsh)"],
    ["For fish", "rollcall completions fish > ~/.config/fish/completions/rollcall.fish"],
  ],
  exitCodes: [[0, "printed"], [2, "another shell"]],
  define: (command, chosen) =>
    void command
      .addArgument(new Argument("<shell>").choices(Object.keys(SHELLS) as Shell[]))
      .action((shell) => chosen(shell)),
  run(shell, { world, program }) {
    world.terminal.out(SHELLS[shell](treeOf(program)));
    return Promise.resolve(0);
  },
};
