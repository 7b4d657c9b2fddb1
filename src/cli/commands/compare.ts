/** `rollcall compare`: is a run better than another? What does the work is loaded when it is called. */
import { Option } from "commander";
import { UsageFault } from "../../kit/fault.ts";
import { type CliCommand, GROUPS } from "../command.ts";

/** What it is asked. */
export interface CompareOptions {
  /** The rollouts file of the base, or a pattern of its shards. */
  readonly base: string;
  /** The same of each candidate. */
  readonly candidates: readonly string[];
  readonly passAt?: number | undefined;
  /** Metrics, and what the difference of each must not lie below. */
  readonly failBelow: readonly { readonly metric: string; readonly threshold: number }[];
  readonly seed: number;
  readonly format: "text" | "json" | "markdown";
  /** The report of Gym's `eval compare`, which is written as well. */
  readonly gym?: GymCompare | undefined;
}

/** What Gym's `eval compare` is told. */
export interface GymCompare {
  /** Aggregate metrics files, where they are not beside the rollouts. */
  readonly baselineMetrics?: string | undefined;
  readonly candidateMetrics?: string | undefined;
  readonly agent?: string | undefined;
  readonly baselineAgent?: string | undefined;
  readonly candidateAgent?: string | undefined;
  /** Where the report goes; beside the candidate's rollouts unless said otherwise. */
  readonly folder?: string | undefined;
  readonly format: "md" | "json" | "both";
}

/** The command. */
export const compare: CliCommand<CompareOptions> = {
  name: "compare",
  group: GROUPS.finished,
  about: "compare finished runs task by task: differences with intervals, tasks lost and won",
  examples: [
    ["Is b better than a?", "rollcall compare runs/a.jsonl runs/b.jsonl"],
    [
      "In CI: fail when b is surely worse by more than a point",
      "rollcall compare runs/a.jsonl runs/b.jsonl --fail-below mean/reward=-0.01",
    ],
    ["For a pull request", "rollcall compare runs/a.jsonl runs/b.jsonl --markdown >> comment.md"],
  ],
  exitCodes: [
    [0, "compared, and no --fail-below failed"],
    [1, "a --fail-below failed, or the machine did"],
    [2, "wrong usage, or no rollouts there"],
  ],
  define: (command, chosen) =>
    void command
      .argument("[base]", "the rollouts file to compare with, or a pattern of its shards")
      .argument("[candidates...]", "rollouts files, or patterns of shards, a run each")
      .option(
        "--pass-at <reward>",
        "from which reward on a rollout passes (default: rewards of 1, among 0 and 1)",
        number("--pass-at"),
      )
      .option(
        "--fail-below <metric=x>",
        "exit with 1 when the whole interval of the metric's difference lies below x; repeatable",
        (given: string, before: CompareOptions["failBelow"] = []) => [...before, gate(given)],
      )
      .option("--seed <n>", "decides draws of random signs (default: 0)", number("--seed"))
      .option("--baseline <file>", "with --candidates: also write the report of Gym's eval compare")
      .option("--candidates <file>", "the candidate's rollouts, as --baseline")
      .option(
        "--baseline-agg-metrics <file>",
        "the aggregate metrics of --baseline, where they are not beside it",
      )
      .option("--candidates-agg-metrics <file>", "the same of --candidates")
      .option("--agent <name>", "in Gym's report: this agent on both sides")
      .option("--baseline-agent <name>", "in Gym's report: the baseline's agent")
      .option("--candidate-agents <name>", "in Gym's report: the candidate's agent")
      .option(
        "-o, --output-dir <folder>",
        "where Gym's report goes (default: beside the candidate's rollouts)",
      )
      .addOption(
        new Option("--report-format <format>", "of Gym's report (default: both)").choices([
          "md",
          "json",
          "both",
        ]),
      )
      .option("--json", "one JSON object on standard output")
      .option("--markdown", "Markdown on standard output, for a pull request")
      .action((base, candidates, { passAt, failBelow, seed, json, markdown, ...gym }) => {
        if (json && markdown) throw new UsageFault("--json and --markdown: choose one.");
        if (seed !== undefined && !Number.isSafeInteger(seed)) {
          throw new UsageFault(`--seed: needs a whole number, got ${seed}`);
        }
        chosen({
          ...runsOf(base, candidates, gym),
          passAt,
          failBelow: failBelow ?? [],
          seed: seed ?? 0,
          format: json ? "json" : markdown ? "markdown" : "text",
        });
      }),
  async run(options, { world, signals }) {
    const { compareCommand } = await import("../comparing.ts");
    return await compareCommand(options, world, signals);
  },
};

interface GymFlags {
  readonly baseline?: string | undefined;
  readonly candidates?: string | undefined;
  readonly baselineAggMetrics?: string | undefined;
  readonly candidatesAggMetrics?: string | undefined;
  readonly agent?: string | undefined;
  readonly baselineAgent?: string | undefined;
  readonly candidateAgents?: string | undefined;
  readonly outputDir?: string | undefined;
  readonly reportFormat?: string | undefined;
}

function runsOf(
  base: string | undefined,
  candidates: readonly string[],
  flags: GymFlags,
): Pick<CompareOptions, "base" | "candidates" | "gym"> {
  const { baseline, candidates: candidate, ...others } = flags;
  if (baseline === undefined && candidate === undefined) {
    const [first] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
    if (first !== undefined) {
      const flag = `--${first.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
      throw new UsageFault(`${flag} is about Gym's report, which --baseline and --candidates ask for.`);
    }
    if (base === undefined || candidates.length === 0) {
      throw new UsageFault("Name the runs: rollcall compare BASE CANDIDATE…, the rollouts file of each.");
    }
    return { base, candidates };
  }
  if (baseline === undefined || candidate === undefined) {
    throw new UsageFault("--baseline and --candidates belong together, as in Gym's eval compare.");
  }
  if (base !== undefined) {
    throw new UsageFault(`${base}: with --baseline and --candidates, compare takes no other files.`);
  }
  if (candidate.includes(",")) {
    throw new UsageFault(
      `--candidates ${candidate}: Gym's report is about a single candidate. rollcall compare BASE CANDIDATE… takes several.`,
    );
  }
  return {
    base: baseline,
    candidates: [candidate],
    gym: {
      baselineMetrics: others.baselineAggMetrics,
      candidateMetrics: others.candidatesAggMetrics,
      agent: others.agent,
      baselineAgent: others.baselineAgent,
      candidateAgent: others.candidateAgents,
      folder: others.outputDir,
      format: (others.reportFormat ?? "both") as GymCompare["format"],
    },
  };
}

/** A parser of a flag's number. */
function number(flag: string): (text: string) => number {
  return (text) => {
    const number = text.trim() === "" ? NaN : Number(text);
    if (Number.isFinite(number)) return number;
    throw new UsageFault(`${flag}: needs a number, got ${JSON.stringify(text)}`);
  };
}

function gate(given: string): { readonly metric: string; readonly threshold: number } {
  const [, metric, threshold] = /^\s*([^=\s][^=]*?)\s*=\s*(\S+)\s*$/s.exec(given) ?? [];
  const x = Number(threshold);
  if (metric === undefined || !Number.isFinite(x)) {
    throw new UsageFault(
      `--fail-below: needs a metric and a number, as in mean/reward=-0.01; got ${JSON.stringify(given)}`,
    );
  }
  return { metric, threshold: x };
}
