/** `rollcall show`: one rollout as a person reads it, from the files of its run. Takes no lock and changes nothing. */
import { examine } from "../../health/examine.ts";
import { verdictOf } from "../../health/verdict.ts";
import { UsageFault } from "../../kit/fault.ts";
import type { RunPaths } from "../../plan/paths.ts";
import type { World } from "../../ports/world.ts";
import { findRun } from "../../prepare/find_run.ts";
import { KEYS } from "../../record/keys.ts";
import { inColumns } from "../../report/columns.ts";
import { type Checked, rolloutText } from "../../report/rollout_text.ts";
import { rolloutView } from "../../report/rollout_view.ts";
import { printableJson } from "../../report/text.ts";
import { type FoundRow, type Row, rowsOf, taskOfId } from "../../resume/find_rollout.ts";
import { type CliCommand, GROUPS } from "../command.ts";

/** What it is asked. */
interface ShowOptions {
  /** The rollouts file, as given to `--output`. */
  readonly output: string;
  readonly task?: string | undefined;
  readonly rollout?: string | undefined;
  readonly id?: string | undefined;
  readonly failures: boolean;
  readonly full: boolean;
  readonly json: boolean;
}

/** The command. */
export const show: CliCommand<ShowOptions> = {
  name: "show",
  group: GROUPS.finished,
  about: "show one rollout: conversation, tool calls, reward, verdict, model calls, tokens",
  examples: [
    ["Rollout 0 of task 17", "rollcall show runs/a.jsonl 17 0"],
    ["A task by its dataset's id", "rollcall show runs/a.jsonl --id gsm8k-0042"],
    ["What failed, one after the other", "rollcall show runs/a.jsonl --failures | less"],
  ],
  exitCodes: [[0, "shown"], [1, "the machine failed"], [2, "wrong usage, or no such rollout there"]],
  define: (command, chosen) =>
    void command
      .argument("<output>", "the rollouts file, as given to --output")
      .argument("[task]", "the number of the task, _ng_task_index")
      .argument("[rollout]", "the number of its rollout, _ng_rollout_index (default: the first in the file)")
      .option("--id <id>", "the task by its own id, of its input row")
      .option("--failures", "the attempts in the sidecar instead: all of them, or those of the task")
      .option("--full", "cut no text")
      .option("--json", "one JSON object a rollout, on standard output")
      .action((output, task, rollout, { id, failures, full, json }) =>
        chosen({
          output,
          task,
          rollout,
          id,
          failures: failures === true,
          full: full === true,
          json: json === true,
        })
      ),
  async run(options, { world, signals }) {
    signals.giveUp();
    return await showCommand(options, world);
  },
};

/** Shows it and returns the exit code. @throws {UsageFault} when there is no such rollout */
export async function showCommand(options: ShowOptions, world: World): Promise<number> {
  const { output, failures, id } = options, { disk } = world;
  const { paths, hasInputs } = findRun(output, world);
  if (id !== undefined && options.task !== undefined) {
    throw new UsageFault("Name the task by its number or by --id, not both.");
  }
  if (id !== undefined && !hasInputs) {
    throw new UsageFault(
      `--id needs the materialized inputs ${paths.inputs}, which hold the ids: they are not there.`,
    );
  }
  const task = id === undefined ? numberOf("TASK", options.task) : taskOfId(disk.files, paths.inputs, id);
  const rollout = numberOf("ROLLOUT", options.rollout);
  if (task === undefined && !failures) {
    throw new UsageFault("Name the task: its number, or --id ID. --failures shows all that failed.");
  }
  const path = failures ? paths.failures : paths.rollouts;
  let shown = 0;
  for (const found of disk.exists(path) ? rowsOf(disk.files, path, { task, rollout }) : []) {
    await print(found, paths, options, world, shown++);
    if (!failures) break;
  }
  if (shown === 0) throw new UsageFault(missing(options, task, path));
  return 0;
}

async function print(
  { line, value }: FoundRow,
  paths: RunPaths,
  { failures, full, json }: ShowOptions,
  world: World,
  before: number,
): Promise<void> {
  const { terminal, disk } = world;
  const asks = value.responses_create_params === undefined && value.ng_trajectory === undefined;
  const input = asks && disk.exists(paths.inputs) ? inputOf(value, paths, world) : undefined;
  const view = rolloutView(value, input), checked = failures ? null : checkedOf(line);
  if (json) return terminal.out(`${printableJson({ ...view, health: checked })}\n`);
  const how = { columns: terminal.columns(), colour: false, full };
  const text = await inColumns(() => rolloutText(view, checked, how));
  terminal.out(`${before > 0 ? "\n" : ""}${text}`);
}

function checkedOf(line: Uint8Array): Checked {
  const { findings, unobserved } = examine(line, { file: "", fileIndex: 0, line: 0, ordinal: 0 }, new Set());
  return { verdict: verdictOf(findings.length > 0, unobserved !== 0), findings };
}

/** The row that a rollout was sent as. */
function inputOf(
  { [KEYS.task]: task, [KEYS.rollout]: rollout }: Row,
  { inputs }: RunPaths,
  world: World,
): unknown {
  if (typeof task !== "number") return undefined;
  const wanted = { task, rollout: typeof rollout === "number" ? rollout : undefined };
  for (const { value } of rowsOf(world.disk.files, inputs, wanted)) return value;
  return undefined;
}

function numberOf(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const number = Number(given);
  if (/^\d+$/.test(given) && Number.isSafeInteger(number)) return number;
  throw new UsageFault(
    `${name} must be a whole number, got ${JSON.stringify(given)}. A task's own id is --id ID.`,
  );
}

function missing({ failures, rollout }: ShowOptions, task: number | undefined, path: string): string {
  const which = task === undefined
    ? "no line"
    : `nothing of task ${task}${rollout === undefined ? "" : `, rollout ${rollout}`}`;
  return `${path} has ${which}.` +
    (failures
      ? ""
      : " Rollouts that failed are in the sidecar: --failures shows them. rollcall status says what is left.");
}
