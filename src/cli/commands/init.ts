/** `rollcall init`: writes a configuration file to begin with, from flags or from a few answers. */
import { Option } from "commander";
import type { Value } from "../../config/config.ts";
import { allFlags, type KeyFlag, setFlag } from "../../config/flags.ts";
import { keyOf } from "../../config/keys.ts";
import { configureWith } from "../../config/layers.ts";
import { STARTER, STARTER_VALUES, starterText } from "../../config/starter.ts";
import { UsageFault } from "../../kit/fault.ts";
import { systemReason } from "../../kit/system_error.ts";
import { inColumns } from "../../report/columns.ts";
import { wrap } from "../../report/text.ts";
import type { World } from "../../ports/world.ts";
import { type CliCommand, GROUPS } from "../command.ts";

interface InitOptions {
  /** The file to write. */
  readonly file: string;
  /** What flags have set. */
  readonly set: Readonly<Record<string, Value>>;
}

/** The flags of the keys that a starting configuration has. */
const FLAGS: readonly KeyFlag[] = allFlags("collect").filter(({ key, flag, hidden }) =>
  STARTER.has(key) && !hidden && flag.at === undefined && flag.kind !== "param"
);

/** What is asked, by the long name of the flag that it stands for, and what an empty answer means. */
const QUESTIONS: readonly (readonly [flag: string, question: string, proposed: string])[] = [
  ["--input", "Tasks, a JSONL file", "tasks.jsonl"],
  ["--output", "Rollouts, a file to write", "runs/rollouts.jsonl"],
  ["--agent", "Agent for every row", ""],
  ["--head", "Head server, HOST:PORT", "127.0.0.1:11000"],
  ["--num-repeats", "Rollouts per task", "1"],
  ["--concurrency", "Maximum requests in flight (none: no limit)", "64"],
];

/** The command. */
export const init: CliCommand<InitOptions> = {
  name: "init",
  group: GROUPS.collecting,
  about: "write a commented configuration file, from flags or a few questions",
  examples: [
    ["Ask, then write run.jsonc", "rollcall init"],
    ["Without questions", "rollcall init math.jsonc -i tasks.jsonl -o runs/math.jsonl --agent math -n 4"],
  ],
  exitCodes: [[0, "written"], [1, "the machine failed"], [
    2,
    "wrong usage, or the file is there already: it is not touched",
  ]],
  define(command, chosen) {
    const set: Record<string, Value> = {};
    command.argument("[file]", "the configuration file to write", "run.jsonc");
    for (const { key, flag } of FLAGS) {
      const option = new Option(flag.spelling, `${flag.about ?? keyOf(key).about} [${key}]`);
      command.addOption(option).on(`option:${option.name()}`, (text?: string | null) => {
        setFlag(set, { key, flag, text: text ?? true });
      });
    }
    command.action((file) => chosen({ file: String(file), set }));
  },
  run(options, { world, signals, touched }) {
    signals.giveUp();
    return initCommand(options, world, touched);
  },
};

/** Writes the file and returns the exit code. @throws {UsageFault} when it is there already, or would not be accepted */
export async function initCommand(
  { file, set }: InitOptions,
  world: World,
  touched: () => void,
): Promise<number> {
  const { disk, terminal, ask } = world;
  if (!/\.jsonc?$/i.test(file)) {
    throw new UsageFault(
      `rollcall init writes JSON with comments: the name must end in .jsonc, got ${file}.`,
    );
  }
  if (disk.exists(file)) throw there(file);
  const asks = Object.keys(set).length === 0;
  if (asks && !ask) {
    throw new UsageFault(
      "Nothing was written: without a terminal to ask on, rollcall init needs flags, at least " +
        `--input and --output: rollcall init ${file} -i tasks.jsonl -o runs/rollouts.jsonl.`,
    );
  }
  const { schemaOf } = await import("../../config/schema.ts");
  const complete = (set: Readonly<Record<string, Value>>) => {
    const value = { ...STARTER_VALUES, ...set };
    configureWith(schemaOf, { files: [{ path: file, value }], flags: [], words: [] }, "collect");
    return value;
  };
  const value = complete(asks && ask ? answers(ask, complete) : set);
  let made;
  try {
    made = disk.create(file, { isNew: true });
  } catch (error) {
    if (disk.exists(file)) throw there(file);
    throw new UsageFault(`Cannot write ${file}: ${systemReason(error)}.`, { cause: error });
  }
  touched();
  made.write(new TextEncoder().encode(starterText(value, file)));
  made.finish();
  const said =
    `Wrote ${file}. A failed request becomes a line in the failures sidecar, and the run continues; for ` +
    "Gym's default, which ends the run, take out route_failures_to_sidecar.";
  const lines = await inColumns(() => wrap(said, terminal.columns()));
  terminal.out(`${lines.join("\n")}\nNext: rollcall plan --config ${file}\n`);
  return 0;
}

function there(file: string): UsageFault {
  return new UsageFault(`${file} is there already and was not touched. Name another: rollcall init FILE.`);
}

/** Kinds of flags whose key can be left without a number. */
const NUMBERS: readonly string[] = ["number", "concurrency"];

/** Asks, each question until its answer can be used. @param check throws when what is set so far cannot be */
function answers(
  ask: NonNullable<World["ask"]>,
  check: (set: Readonly<Record<string, Value>>) => void,
): Record<string, Value> {
  const set: Record<string, Value> = {};
  for (const [name, question, proposed] of QUESTIONS) {
    const { key, flag } = FLAGS.find(({ flag }) => flag.spelling.includes(`${name} `))!;
    const whole = `${question} [${proposed || "the row's own"}]:`;
    for (let text = whole;;) {
      const given = ask(text)?.trim();
      if (given === undefined) throw new UsageFault("Nothing was written: the questions were not answered.");
      const answer = given || proposed;
      if (answer === "" || (answer === "none" && NUMBERS.includes(flag.kind))) break;
      try {
        setFlag(set, { key, flag, text: answer });
        check(set);
        break;
      } catch (error) {
        if (!(error instanceof UsageFault)) throw error;
        delete set[key];
        text = `${error.message}\n${whole}`;
      }
    }
  }
  return set;
}
