/** The work of `rollcall filter`. */
import { basename, dirname, join } from "node:path";
import { list, RunFault, UsageFault } from "../kit/fault.ts";
import { readObject } from "../json/object.ts";
import { JsonFault } from "../json/scan.ts";
import { LineSplitter, type TextLine } from "../kit/lines.ts";
import { plural, whole } from "../kit/phrases.ts";
import { isSystemError, systemPlace, systemReason } from "../kit/system_error.ts";
import { type Manifest, Sha256, type Source } from "../plan/manifest.ts";
import type { World } from "../ports/world.ts";
import { readConfigFile } from "../prepare/config_files.ts";
import { findInput } from "../prepare/find_input.ts";
import { makeOutputFolder } from "../prepare/output_folder.ts";
import { readInput } from "../prepare/read_input.ts";
import { cleaned, printableJson } from "../report/text.ts";
import { passesOf } from "../results/passes.ts";
import { type Prices, pricesFrom } from "../results/prices.ts";
import { ProfileFold } from "../results/profile.ts";
import { Results } from "../results/results.ts";
import { inputPath, isOfPasses, taskField, VOCABULARY } from "../results/task_fields.ts";
import { taskRow } from "../results/task_row.ts";
import { TaskSet } from "../results/task_set.ts";
import { parseCondition, type Parsed } from "../results/where.ts";
import { RowFault } from "../rows/problems.ts";
import { rowText } from "../rows/read.ts";
import { Tasks } from "../rows/task_index.ts";
import { replaceFile } from "../store/whole_file.ts";
import type { FilterOptions } from "./commands/filter.ts";
import { breather } from "./breathe.ts";
import { findRunFiles, type RunFile } from "./run_files.ts";
import type { Signals } from "./signals.ts";

/** What was kept. */
interface Kept {
  readonly tasks: number;
  readonly kept_tasks: number;
  /** Of the input. */
  readonly lines: number;
  readonly kept_lines: number;
}

const NEWLINE = new Uint8Array([0x0a]);

/** Filters and returns the exit code. @throws {UsageFault} when nothing was written */
export async function filterCommand(options: FilterOptions, world: World, signals: Signals): Promise<number> {
  const { disk, terminal } = world, notes: string[] = [];
  const condition = parseCondition(options.where, VOCABULARY);
  const prices = options.prices === undefined
    ? undefined
    : pricesFrom((await readConfigFile(options.prices, world)).value, options.prices);
  if (condition.asks.has("cost") && !prices) {
    throw new UsageFault("The condition asks for the cost, which needs --prices.");
  }
  const found = await findRunFiles(options.files, world, (text) => notes.push(text));
  const source = sourceOf(found.files), input = locate(options.input, source, found.files[0]!, world);
  const output = outputOf(options, input, found.files, world);
  const breathe = breather(world, signals);
  signals.check();
  let results: Results | undefined;
  try {
    results = await Results.read(found.shards, { files: disk.files, index: found.index, breathe });
    const chosen = await choose(condition, results, { ...options, prices });
    if (chosen.graded > 0) {
      notes.push(
        `${plural(chosen.graded, "task")} ${
          chosen.graded === 1 ? "has" : "have"
        } rewards besides 0 and 1, so that it ` +
          `is unknown what passed, and a comparison with that is false: --pass-at X makes rewards of X and more passes.`,
      );
    }
    const kept = await write({ input, output, source, tasks: chosen.tasks }, world, breathe);
    const all = { tasks: chosen.all, kept_tasks: chosen.tasks.size, ...kept } satisfies Kept;
    for (const note of notes) terminal.err(`${cleaned(note)}\n`);
    if (options.json) terminal.out(`${printableJson({ output, input, ...all })}\n`);
    else terminal.err(`${sentence(all)}, in ${cleaned(options.output)}\n`);
    return 0;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new UsageFault(`Cannot filter: ${systemReason(error)}${systemPlace(error)}.`, { cause: error });
  } finally {
    results?.close();
  }
}

function sentence({ tasks, kept_tasks, lines, kept_lines }: Kept): string {
  return `${whole(kept_tasks)} of ${plural(tasks, "task")} kept: ${whole(kept_lines)} of ${
    plural(lines, "line")
  }`;
}

/** The input of a run, and how many of its rows the run used. */
interface UsedInput extends Source {
  readonly limit: number;
}

/** The one input that all runs had. @throws {UsageFault} when there is none, or more than one */
function sourceOf(files: readonly RunFile[]): UsedInput {
  const without = files.filter(({ manifest }) => !manifest).map(({ paths }) => paths.rollouts);
  if (without.length > 0) {
    throw new UsageFault(
      `Without a manifest that names the input, its lines cannot be found:${
        list(without)
      }\nOf merged rollouts, name the runs that they were merged from.`,
    );
  }
  const inputs = files.map(({ manifest, paths }) => ({ ...usedInput(manifest!), rollouts: paths.rollouts }));
  const [first] = inputs, other = inputs.find(({ sha256 }) => sha256 !== first!.sha256);
  if (other) {
    throw new UsageFault(
      `These runs had different inputs: ${first!.rollouts} had ${
        first!.path
      }, ${other.rollouts} had ${other.path}, or ` +
        `more or fewer rows of it. Filter them one by one.`,
    );
  }
  return first!;
}

function usedInput({ input, config }: Manifest): UsedInput {
  return { ...input, limit: typeof config.limit === "number" && config.limit > 0 ? config.limit : Infinity };
}

/** Where the input is. @throws {UsageFault} when it is gone, or was standard input */
function locate(
  given: string | undefined,
  { path }: UsedInput,
  { paths }: RunFile,
  world: World,
): string {
  if (given !== undefined) {
    const found = findInput(given, "--input", world);
    if (found === "-") throw new UsageFault("--input needs a file: it is read after the rollouts.");
    return found;
  }
  if (["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].includes(path)) {
    throw new UsageFault(
      "The run read its tasks from standard input, so there is no file to take lines from. If you have them in one, " +
        "name it with --input: its checksum tells whether it is the same.",
    );
  }
  const beside = join(paths.folder, basename(path));
  try {
    return findInput(path, "the input that the manifest names", world);
  } catch (error) {
    if (world.disk.isFile(beside)) return beside;
    if (!(error instanceof UsageFault)) throw error;
    throw new UsageFault(
      `The input ${path} that the manifest names is not there: call filter in the folder in which the run was started, ` +
        `or name the file with --input.`,
      { cause: error },
    );
  }
}

/** The output's path. @throws {UsageFault} when it must not be written */
function outputOf(
  { output, force }: FilterOptions,
  input: string,
  files: readonly RunFile[],
  { disk }: World,
): string {
  const path = disk.canonical(output);
  if (disk.isFolder(path)) throw new UsageFault(`${output} is a folder: name a file for the lines.`);
  const isOfRun = files.some(({ paths }) => Object.values(paths).includes(path));
  if (isOfRun || path === disk.canonical(input)) {
    throw new UsageFault(
      `${output} is ${isOfRun ? "a file of the run" : "the input itself"}: name another output.`,
    );
  }
  if (disk.exists(path) && !force) {
    throw new UsageFault(`${output} is there already: name another output, or replace it with --force.`);
  }
  return path;
}

/** The numbers of the tasks for which the condition holds, for some agent. */
async function choose(
  { holds, asks }: Parsed,
  results: Results,
  { passAt, prices }: { readonly passAt?: number | undefined; readonly prices?: Prices | undefined },
): Promise<{ readonly tasks: TaskSet; readonly all: number; readonly graded: number }> {
  const paths = [...asks].flatMap((field) => inputPath(field) ?? []);
  const fold = new ProfileFold({ passAt });
  // Only the shrunk rate of a task depends on the others.
  if (asks.has("shrunk_rate")) { for await (const task of results.tasks()) fold.add(task); }
  const spreads = new Map(fold.agents().map(({ agent, spread }) => [agent, spread]));
  const asksPasses = [...asks].some(isOfPasses), tasks = new TaskSet();
  let all = 0, graded = 0, last = NaN;
  for await (const task of results.tasks(undefined, paths)) {
    if (task.task !== last) all++;
    last = task.task;
    if (asksPasses && task.rewards.length > 0 && !passesOf(task.rewards, passAt)) graded++;
    const row = taskRow(task, { passAt, prices, spreadOf: (agent) => spreads.get(agent) });
    if (holds((field) => taskField(field, row, task, passAt))) tasks.add(task.task);
  }
  return { tasks, all, graded };
}

/** What is written. */
interface Writing {
  readonly input: string;
  readonly output: string;
  readonly source: UsedInput;
  readonly tasks: TaskSet;
}

/**
 * Writes the lines of these tasks, byte for byte. The output is there only when the input turned out to be the same.
 *
 * @throws {UsageFault} when it is not
 */
async function write(
  { input, output, source, tasks }: Writing,
  world: World,
  breathe: () => Promise<void>,
): Promise<Pick<Kept, "lines" | "kept_lines">> {
  const { disk } = world, hash = new Sha256(), numbers = new Tasks(), splitter = new LineSplitter();
  const made = makeOutputFolder(dirname(output), world);
  let lines = 0, kept = 0;
  const refused = (cause: unknown) =>
    new RunFault(`Cannot write ${output}: ${systemReason(cause)}.`, { cause });
  try {
    await replaceFile(disk.files, { path: output, temporary: `${output}.new`, refused }, async (sink) => {
      const take = (some: Iterable<TextLine>) => {
        for (const line of some) {
          if (lines >= source.limit) return;
          const text = rowText(line.bytes);
          if (!text) continue;
          lines++;
          hash.add(text);
          hash.add(NEWLINE);
          const task = taskOf(text, numbers);
          if (task === undefined || !tasks.has(task)) continue;
          kept++;
          sink(line.bytes[0] === 0xef ? text : line.bytes); // a byte-order mark is of the file, not of its first line
          sink(NEWLINE);
        }
      };
      for await (const chunk of readInput(input, world)) {
        take(splitter.push(chunk));
        if (lines >= source.limit) break;
        await breathe();
      }
      take(splitter.end());
    }, () => {
      if (hash.hex() === source.sha256) return Promise.resolve();
      throw new UsageFault(
        `${input} is not what the run read: its checksum is another one. It was changed since then, or is another file. ` +
          `Nothing was written.`,
      );
    });
    disk.syncFolder(dirname(output));
  } catch (error) {
    disk.removeFolders(made);
    throw error;
  }
  return { lines, kept_lines: kept };
}

/** A row's task; undefined for what is no row, which the run cannot have read: the checksum will say so. */
function taskOf(text: Uint8Array, numbers: Tasks): number | undefined {
  try {
    return numbers.indexOf(readObject(text));
  } catch (error) {
    if (error instanceof JsonFault || error instanceof RowFault) return undefined;
    throw error;
  }
}
