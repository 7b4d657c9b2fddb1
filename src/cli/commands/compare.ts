/** `rollcall compare`: is a run better than another? What does the work is loaded when it is called. */
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
      .argument("<base>", "the rollouts file to compare with, or a pattern of its shards")
      .argument("<candidates...>", "rollouts files, or patterns of shards, a run each")
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
      .option("--json", "one JSON object on standard output")
      .option("--markdown", "Markdown on standard output, for a pull request")
      .action((base, candidates, { passAt, failBelow, seed, json, markdown }) => {
        if (json && markdown) throw new UsageFault("--json and --markdown: choose one.");
        if (seed !== undefined && !Number.isSafeInteger(seed)) {
          throw new UsageFault(`--seed: needs a whole number, got ${seed}`);
        }
        chosen({
          base,
          candidates,
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
