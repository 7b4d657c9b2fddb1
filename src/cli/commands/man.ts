/** `rollcall man`: prints the manual page. */
import { type CliCommand, GROUPS } from "../command.ts";
import { manPage } from "../man_page.ts";

/** The command. */
export const man: CliCommand<void> = {
  name: "man",
  group: GROUPS.shell,
  about: "print the manual page: every command with its flags, examples and exit codes",
  examples: [
    ["Read it", "rollcall man | man -l -"],
    ["Install it", "rollcall man > ~/.local/share/man/man1/rollcall.1"],
  ],
  exitCodes: [[0, "printed"]],
  define: (command, chosen) => void command.action(() => chosen()),
  run(_, { world, program, commands }) {
    world.terminal.out(manPage(program, commands));
    return Promise.resolve(0);
  },
};
