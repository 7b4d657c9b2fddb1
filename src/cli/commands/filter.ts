/** `rollcall filter`: the tasks of a run by their results, as an input for the next one. */
import { UsageFault } from "../../kit/fault.ts";
import { anyNumber, type CliCommand, GROUPS } from "../command.ts";

/** What it is asked. */
export interface FilterOptions {
  /** Rollouts files and patterns of them. */
  readonly files: readonly string[];
  readonly where: string;
  readonly output: string;
  /** The input, where it is not where the manifest says. */
  readonly input?: string | undefined;
  readonly passAt?: number | undefined;
  readonly prices?: string | undefined;
  readonly force: boolean;
  readonly json: boolean;
}

/** The command. */
export const filter: CliCommand<FilterOptions> = {
  name: "filter",
  group: GROUPS.finished,
  about: "write the lines of a run's input whose tasks have such results, for the next round",
  examples: [
    [
      "Tasks that are neither too easy nor too hard",
      "rollcall filter runs/a.jsonl --where 'pass_rate > 0.1 and pass_rate < 0.9' \\\n    -o tasks.jsonl",
    ],
    [
      "Graded rewards, one subject",
      'rollcall filter runs/a.jsonl --pass-at 0.5 -o tasks.jsonl \\\n    --where \'solved != "always" and input.subject = "algebra"\'',
    ],
  ],
  exitCodes: [[0, "written, however many lines"], [1, "the machine failed"], [
    2,
    "wrong usage, or the input is gone or has changed",
  ]],
  define: (command, chosen) =>
    void command
      .argument("<rollouts...>", "rollouts files of runs over one input, or patterns of them")
      .option("--where <condition>", "which tasks; docs/profile.md has the grammar and all fields")
      .option("-o, --output <file>", "where the lines go")
      .option(
        "-i, --input <file>",
        "the input, if it is no longer where the manifest says; its checksum must be the same",
      )
      .option(
        "--pass-at <reward>",
        "from which reward on a rollout passes (default: rewards of 1, among 0 and 1)",
        anyNumber("--pass-at"),
      )
      .option("--prices <file>", "for the field cost: USD per million tokens by model")
      .option("--force", "replace the output if it is there")
      .option("--json", "what was kept, as one JSON object on standard output")
      .action((files, { where, output, input, passAt, prices, force, json }) => {
        if (where === undefined || output === undefined) {
          throw new UsageFault("filter needs --where CONDITION and -o FILE.");
        }
        chosen({ files, where, output, input, passAt, prices, force: force === true, json: json === true });
      }),
  async run(options, { world, signals }) {
    const { filterCommand } = await import("../filtering.ts");
    return await filterCommand(options, world, signals);
  },
};
