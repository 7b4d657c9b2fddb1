/**
 * Running a case: all its steps, in one fresh folder, against a command.
 */
import { basename, dirname, join } from "node:path";
import { Cleaner } from "./clean.ts";
import { type CommandResult, runCommand } from "./command.ts";
import { compareStep } from "./compare.ts";
import type { Json } from "./json.ts";
import { filesUnder, readRecord, type SeenStep } from "./record.ts";
import { readCase, type Step } from "./script.ts";
import { World } from "./world.ts";

/** The program under test. */
export interface Program {
  /** A shell command; `collect`, `aggregate` or `health` and the arguments are added. It runs in another folder. */
  readonly command: string;
  /** Seconds a step may take. @default 90 */
  readonly timeout?: number;
}

/** The outcome of a case. */
export interface CaseReport {
  /** One line a difference; none if the program did what the recording says. */
  readonly differences: readonly string[];
  /** What the program wrote, step by step. */
  readonly outputs: readonly string[];
}

/**
 * Runs a case and compares every step with its record.
 *
 * @param folder the case's folder, with `case.json` in it
 */
export async function checkCase(folder: string, program: Program): Promise<CaseReport> {
  const { steps } = readCase(await Deno.readTextFile(join(folder, "case.json")));
  // The real name: the program may be told one name of a folder and print the other.
  const work = await Deno.realPath(await Deno.makeTempDir({ prefix: `${basename(folder)}-` }));
  const differences: string[] = [], outputs: string[] = [];
  try {
    await copyTree(join(folder, "files"), work);
    for (const [index, step] of steps.entries()) {
      const seen = await runStep(step, folder, work, program);
      const want = await readRecord(join(folder, "expected", String(index + 1)));
      const prefix = steps.length > 1 ? `step ${index + 1} ` : "";
      for (const line of compareStep(step, want, seen)) differences.push(prefix + line);
      outputs.push(seen.output);
    }
  } finally {
    await Deno.remove(work, { recursive: true });
  }
  return { differences, outputs };
}

/** The folders of cases in a folder, by name; all, or those that begin with one of the prefixes. */
export async function findCases(folder: string, prefixes: readonly string[] = []): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  const names = entries.filter((entry) => entry.isDirectory).map((entry) => entry.name).sort();
  const wanted = names.filter((name) =>
    !prefixes.length || prefixes.some((prefix) => name.startsWith(prefix))
  );
  return wanted.map((name) => join(folder, name));
}

async function runStep(step: Step, folder: string, work: string, program: Program): Promise<SeenStep> {
  for (const name of step.remove) await removeFile(join(work, name));
  if (step.plant !== undefined) await copyTree(join(folder, step.plant), work);
  const world = new World(step, { work });
  let result: CommandResult;
  try {
    const args = step.args.map((arg) => arg.replaceAll("{work}", work));
    if (step.command !== "health") {
      args.push("+head_server.host=127.0.0.1", `+head_server.port=${world.headPort}`);
    }
    result = await runCommand({
      command: program.command,
      args: [step.command, ...args],
      cwd: work,
      env: step.env,
      timeout: program.timeout ?? 90,
    });
  } finally {
    await world.close();
  }
  return await observe(step, work, world, result);
}

/** What a step did, with everything that changes from run to run replaced by placeholders. */
async function observe(step: Step, work: string, world: World, result: CommandResult): Promise<SeenStep> {
  const cleaner = new Cleaner({ folders: [work], volatile: step.volatile });
  const files = new Map<string, Json>();
  for await (const name of filesUnder(work, "out")) {
    if (basename(name).startsWith(".")) continue;
    const bytes = await Deno.readFile(join(work, name));
    if (bytes.length) files.set(name, cleaner.file(name, bytes)); // an empty file and no file are the same
  }
  const requests = world.requests.map((request) => ({ ...request, body: cleaner.value(request.body) }));
  return { ...result, peak: world.peak, requests, files };
}

async function copyTree(from: string, to: string): Promise<void> {
  for await (const name of filesUnder(from, ".")) {
    await Deno.mkdir(dirname(join(to, name)), { recursive: true });
    await Deno.copyFile(join(from, name), join(to, name));
  }
}

async function removeFile(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
