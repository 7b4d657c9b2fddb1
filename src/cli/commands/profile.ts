/** `rollcall profile`: what finished runs say, from their files alone. What does the work is loaded when it is called. */
import { UsageFault } from "../../kit/fault.ts";
import { anyNumber, type CliCommand, GROUPS } from "../command.ts";

/** What it is asked. */
export interface ProfileOptions {
  /** Rollouts files and patterns of them. */
  readonly files: readonly string[];
  readonly by?: string | undefined;
  readonly passAt?: number | undefined;
  readonly prices?: string | undefined;
  readonly format: "text" | "json" | "csv";
  /** The files of Gym's `eval profile`, which are written as well. */
  readonly gym?: GymProfile | undefined;
}

/** What Gym's `eval profile` is told. */
export interface GymProfile {
  readonly inputs: string;
  readonly rollouts: string;
  readonly partial: boolean;
}

/** The command. */
export const profile: CliCommand<ProfileOptions> = {
  name: "profile",
  group: GROUPS.finished,
  about: "means with intervals, pass@k and pass^k, solved tasks, durations, tokens and cost of finished runs",
  examples: [
    ["What a run says", "rollcall profile runs/a.jsonl"],
    [
      "By a field of the tasks, graded rewards as passes, with the cost",
      "rollcall profile 'runs/shard-*.jsonl' --by subject --pass-at 0.5 \\\n    --prices prices.jsonc",
    ],
    ["All tasks as a table", "rollcall profile runs/a.jsonl --csv > tasks.csv"],
  ],
  exitCodes: [[0, "printed"], [1, "the machine failed"], [2, "wrong usage, or no rollouts there"]],
  define: (command, chosen) =>
    void command
      .argument("[rollouts...]", "rollouts files, as given to --output, or patterns of them; repeats add up")
      .option("--by <field>", "also by the values of a field of the input rows; a.b is b in a")
      .option(
        "--pass-at <reward>",
        "from which reward on a rollout passes (default: rewards of 1, among 0 and 1)",
        anyNumber("--pass-at"),
      )
      .option(
        "--prices <file>",
        'USD per million tokens: {"MODEL": {"input": 2.5, "output": 10}}, "*" for others',
      )
      .option("--json", "one JSON object on standard output, with all tasks")
      .option("--csv", "comma-separated values on standard output: agents, groups and all tasks")
      .option("--inputs <file>", "the materialized inputs of --rollouts")
      .option(
        "--rollouts <file>",
        "with --inputs: write the files of Gym's eval profile beside the rollouts, too",
      )
      .action((files, { by, passAt, prices, json, csv, inputs, rollouts }) => {
        if (json && csv) throw new UsageFault("--json and --csv: choose one.");
        const { paths, overrides } = split(files);
        chosen({
          ...withGym(paths, { inputs, rollouts, ...overrides }),
          by,
          passAt,
          prices,
          format: json ? "json" : csv ? "csv" : "text",
        });
      }),
  async run(options, { world, signals }) {
    const { profileCommand } = await import("../profiling.ts");
    return await profileCommand(options, world, signals);
  },
};

interface GymFlags {
  readonly inputs?: string | undefined;
  readonly rollouts?: string | undefined;
  readonly partial?: boolean;
}

const OVERRIDE = /^\+{1,2}([\w.]+)=(.*)$/s;

/** Gym's overrides among the arguments. */
function split(args: readonly string[]): { readonly paths: string[]; readonly overrides: GymFlags } {
  const paths: string[] = [], overrides: { inputs?: string; rollouts?: string; partial?: boolean } = {};
  for (const arg of args) {
    const [, key, value] = OVERRIDE.exec(arg) ?? [];
    if (key === undefined || value === undefined) paths.push(arg);
    else if (key === "materialized_inputs_jsonl_fpath") overrides.inputs = value;
    else if (key === "rollouts_jsonl_fpath") overrides.rollouts = value;
    else if (key === "allow_partial_rollouts") overrides.partial = /^(true|1|yes|on)$/i.test(value);
    else {
      throw new UsageFault(
        `${arg}: profile takes the overrides materialized_inputs_jsonl_fpath, rollouts_jsonl_fpath and ` +
          `allow_partial_rollouts.`,
      );
    }
  }
  return { paths, overrides };
}

function withGym(
  files: readonly string[],
  { inputs, rollouts, partial = false }: GymFlags,
): Pick<ProfileOptions, "files" | "gym"> {
  if (inputs === undefined && rollouts === undefined) return { files };
  if (inputs === undefined || rollouts === undefined) {
    throw new UsageFault("--inputs and --rollouts belong together, as in Gym's eval profile.");
  }
  if (files.length > 0) {
    throw new UsageFault(`${files[0]}: with --inputs and --rollouts, profile takes no other files.`);
  }
  return { files: [], gym: { inputs, rollouts, partial } };
}
