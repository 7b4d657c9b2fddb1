/**
 * Replays recordings of Gym's collector against a command, and says where the command does something else.
 *
 *     deno task conformance --cmd ./dist/rollcall
 *     deno task conformance --cmd ./dist/rollcall --only resume- health- -v
 */
import { basename, join, resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { LATER } from "./later.ts";
import { type CaseReport, checkCase, findCases } from "./case.ts";
import { missingProgram, shellWord } from "./command.ts";

const SHOWN = 5;

const { cases, cmd, only, jobs, timeout, verbose } = new Command("conformance")
  .description("Replay recordings of the real Gym against a command.")
  .requiredOption("--cmd <command>", "shell command of the program; `collect …` and so on is added to it")
  .option("--cases <folder>", "folder of cases", join(import.meta.dirname!, "../../testdata/cases"))
  .option("--only <prefix...>", "names of cases, or beginnings of names", [])
  .option("--timeout <seconds>", "seconds a step may take", positive, 90)
  .option("-j, --jobs <number>", "cases to run at the same time", positive, 1)
  .option("-v, --verbose", "all differences, and what the program wrote", false)
  .parse(["deno", "conformance", ...Deno.args])
  .opts();

const program = { command: await fromAnywhere(cmd), timeout };
const absent = await missingProgram(program.command);
if (absent !== undefined) {
  console.error(`There is no program ${absent}: --cmd ${cmd} cannot be run.`);
  Deno.exit(2);
}
const found = await findCases(cases, only);
// Those that wait for something are replayed only when they are asked for.
const folders = found.filter((folder) => only.length > 0 || !Object.hasOwn(LATER, basename(folder)));
for (const folder of found) {
  if (!folders.includes(folder)) console.log(`wait ${basename(folder)}: ${LATER[basename(folder)]}`);
}
let failed = 0;
for await (const { folder, report, seconds } of inOrder(folders, jobs)) {
  const lines = report.differences;
  if (lines.length) failed++;
  console.log(`${lines.length ? "FAIL" : "ok  "} ${basename(folder)} (${seconds.toFixed(1)}s)`);
  const shown = verbose ? lines : lines.slice(0, SHOWN);
  for (const line of shown) console.log(`       ${line}`);
  if (lines.length > shown.length) console.log(`       … and ${lines.length - shown.length} more`);
  if (!verbose || !lines.length) continue;
  for (const [index, output] of report.outputs.entries()) {
    console.log(`       --- output of step ${index + 1}\n${output}`);
  }
}
console.log(`${folders.length - failed} passed, ${failed} failed`);
if (!folders.length) console.error(`No case in ${cases} is called ${only.join(", ") || "anything"}`);
Deno.exitCode = failed || !folders.length ? 1 : 0; // a misspelt name must not look like success

interface TimedReport {
  readonly folder: string;
  readonly report: CaseReport;
  readonly seconds: number;
}

/** Runs the cases, several at a time, and hands out the reports in the order of the cases. */
async function* inOrder(folders: readonly string[], jobs: number): AsyncGenerator<TimedReport> {
  const reports = folders.map(() => Promise.withResolvers<TimedReport>());
  let next = 0;
  const worker = async () => {
    while (next < folders.length) {
      const index = next++;
      reports[index]!.resolve(await timed(folders[index]!));
    }
  };
  const workers = Array.from({ length: jobs }, worker);
  for (const { promise } of reports) yield await promise;
  await Promise.all(workers);
}

async function timed(folder: string): Promise<TimedReport> {
  const started = performance.now();
  const report = await checkCase(folder, program).catch((error): CaseReport => {
    return { differences: [String(error)], outputs: [] }; // a broken case must not stop the others
  });
  return { folder, report, seconds: (performance.now() - started) / 1000 };
}

/** The command with a relative path at its beginning made absolute: it will run in another folder. */
async function fromAnywhere(command: string): Promise<string> {
  const [first] = command.split(/\s/, 1);
  if (!first || !/^[^/'"$;&|<>()=]+\//.test(first)) return command;
  try {
    await Deno.stat(first);
  } catch {
    return command;
  }
  return shellWord(resolve(first)) + command.slice(first.length);
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError("Expected a number above 0.");
  return value;
}
