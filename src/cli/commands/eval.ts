/** `rollcall eval`: says what of Gym's spellings rollcall takes. Calls in them are rewritten before (`gym.ts`). */
import { Argument } from "commander";
import { type CliCommand, GROUPS } from "../command.ts";

const ABOUT =
  "Gym's own spellings, for scripts that have them: eval run --no-serve is collect, eval aggregate is " +
  "aggregate, eval health-check is health, eval profile and eval compare are profile and compare, which write Gym's files too. --config, --benchmark and the like name Gym's configuration files: the " +
  "collector's keys in them take effect, as do those of env.yaml; what is for servers (--model, …) is ignored with " +
  "a note. A link to rollcall with the name ng_collect_rollouts takes what that command takes.";

/** The command. */
export const evalHelp: CliCommand<void> = {
  name: "eval",
  group: GROUPS.shell,
  about: ABOUT,
  summary: "Gym's own spellings: eval run --no-serve, eval aggregate, eval health-check, eval profile",
  examples: [
    ["What gym eval run --no-serve does", "rollcall eval run --no-serve -i tasks.jsonl -o runs/a.jsonl"],
    ["The same in a script of an older Gym", "ln -s $(which rollcall) ng_collect_rollouts"],
  ],
  exitCodes: [[0, "shown"]],
  define: (command, chosen) =>
    void command
      .addArgument(
        new Argument("[command]", "Gym's command; rollcall eval run --help shows its flags")
          .choices(["run", "aggregate", "health-check", "profile", "compare"]),
      )
      .action(() => chosen()),
  run(_, { world, program }) {
    world.terminal.out(program.commands.find((command) => command.name() === "eval")!.helpInformation());
    return Promise.resolve(0);
  },
};
