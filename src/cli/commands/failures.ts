/** `rollcall failures`: what failed in a run, by class, from its files alone. Takes no lock and changes nothing. */
import { UsageFault } from "../../kit/fault.ts";
import { isSystemError, systemPlace, systemReason } from "../../kit/system_error.ts";
import type { World } from "../../ports/world.ts";
import { findRun, readIndex } from "../../prepare/find_run.ts";
import { inColumns } from "../../report/columns.ts";
import { failuresJson, failuresText, listed } from "../../report/failures_text.ts";
import { FailureBook, nameExamples } from "../../resume/failure_book.ts";
import { reading, readStanding } from "../../resume/read_standing.ts";
import { type CliCommand, GROUPS } from "../command.ts";

interface FailuresOptions {
  /** The rollouts file, as given to `--output`. */
  readonly output: string;
  readonly json: boolean;
}

/** The command. */
export const failures: CliCommand<FailuresOptions> = {
  name: "failures",
  group: GROUPS.finished,
  about: "list what failed by class: messages, counts, servers, examples",
  examples: [
    ["What failed", "rollcall failures runs/a.jsonl"],
    ["The same for a script", "rollcall failures runs/a.jsonl --json"],
  ],
  exitCodes: [[0, "listed, whatever there is"], [1, "the machine failed"], [
    2,
    "wrong usage, or no run there",
  ]],
  define: (command, chosen) =>
    void command
      .argument("<output>", "the rollouts file, as given to --output")
      .option("--json", "one JSON object on standard output")
      .action((output, { json = false }) => chosen({ output, json: json === true })),
  run(options, { world, signals }) {
    signals.giveUp();
    return failuresCommand(options, world);
  },
};

/** Lists the failures of the run whose rollouts are in `output`. Returns the exit code. @throws {UsageFault} */
export async function failuresCommand(options: FailuresOptions, world: World): Promise<number> {
  try {
    return await listFailures(options, world);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new UsageFault(
      `Cannot read the run at ${options.output}: ${systemReason(error)}${systemPlace(error)}.`,
      { cause: error },
    );
  }
}

/** What a resume would leave out does not matter here. */
const LOOKING = {
  cap: Infinity,
  retryInvalidJudge: false,
  retryExhausted: false,
  retryFailures: [],
  retryTerminalTimeouts: false,
};

async function listFailures({ output, json }: FailuresOptions, world: World): Promise<number> {
  const { disk, terminal } = world;
  const { paths, hasInputs } = findRun(output, world);
  const left = hasInputs
    ? readStanding(disk.files, paths, await readIndex(paths, world), LOOKING).standing.failed
    : null;
  const book = reading(disk.files, paths.failures, (lines) => {
    const book = new FailureBook();
    for (const line of lines) book.push(line);
    return book;
  });
  const { classes, more } = listed(book.classes, book.failures);
  reading(
    disk.files,
    paths.inputs,
    (lines) => nameExamples(classes.flatMap(({ examples }) => examples), lines),
  );
  const found = {
    sidecar: paths.failures,
    failures: book.failures,
    classes,
    more,
    left,
    bad: book.bad,
  };
  terminal.out(
    json
      ? `${failuresJson(found)}\n`
      : await inColumns(() => failuresText(found, { columns: terminal.columns() })),
  );
  return 0;
}
