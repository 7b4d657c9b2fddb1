/** The health checks of finished rollouts: from files to both reports. */
import { isBlank } from "../kit/lines.ts";
import { RunFault } from "../kit/fault.ts";
import { isSystemError, systemPlace, systemReason } from "../kit/system_error.ts";
import type { Files } from "../ports/files.ts";
import { makeFile, textInto } from "../store/whole_file.ts";
import { readLines } from "../store/read_lines.ts";
import { Scratch } from "../store/scratch.ts";
import { type Batch, BatchBuilder, examineBatch, type Examiners } from "./batch.ts";
import type { Examined } from "./examine.ts";
import { rolloutDuplicateIdentity } from "./record_checks.ts";
import { summaryPieces, verdictLine } from "./report.ts";
import { runReport } from "./run_report.ts";
import { RunCounts } from "./run_counts.ts";
import { tasksOf } from "./tasks.ts";
import { VerdictBook } from "./verdict_book.ts";

/** The files that the checks write. Absolute. */
export interface HealthPaths {
  /** The summary. */
  readonly qualitySummary: string;
  /** The same while it is being written. */
  readonly qualitySummaryNew: string;
  /** One line per rollout. */
  readonly verdicts: string;
  /** The same while they are being written. */
  readonly verdictsNew: string;
  /** Findings until they are sorted; removed at the end. */
  readonly findings: string;
  /** Where verdicts are sorted if they do not fit in memory; removed at the end. */
  readonly verdictsIndex: string;
}

/** What to check. */
export interface HealthRequest {
  /** The rollouts files, each with the name to show the user. */
  readonly rollouts: readonly { readonly path: string; readonly shown: string }[];
  readonly paths: HealthPaths;
  /** Checks to skip. */
  readonly ignored: readonly string[];
}

/** What the checks work with. */
export interface HealthTools {
  /** Who examines the lines; this thread unless said otherwise. */
  readonly examiners?: Examiners;
  /** The file system. */
  readonly files: Files;
  /** Stops. */
  readonly signal: AbortSignal;
  /** Called now and then in long work, so that other work gets a turn. */
  readonly breathe?: () => Promise<void>;
  /** Told now and then how much of the files is read, from 0 to 1. */
  readonly progress?: (share: number) => void;
  /**
   * Told of a fault of rollcall's own in a check, which is a finding of the rollout as well; of the first one, as others
   * would look the same.
   */
  readonly fault?: (fault: OwnFault) => void;
}

/** A fault of rollcall's own. */
export interface OwnFault {
  /** What was being done. */
  readonly where: string;
  /** The stack. */
  readonly stack: string;
}

/** The outcome of the checks, for a summary. */
export interface HealthSummary {
  /** How many rollouts were checked. */
  readonly checked: number;
  /** Of these, with nothing found. */
  readonly healthy: number;
  /** Of these, with something found. */
  readonly unhealthy: number;
  /** Of these, with nothing found, but without evidence for some checks. */
  readonly unobserved: number;
  /** The checks that were skipped. */
  readonly ignored: readonly string[];
  /** Findings by check; only checks that found something. */
  readonly issues: Readonly<Record<string, number>>;
  /** The summary file. */
  readonly summary: string;
  /** The file with one line per rollout. */
  readonly verdicts: string;
}

/** Lines written between two calls of `breathe`. */
const LINES = 1 << 14;

/**
 * Checks every line of the files and writes both reports, each atomically; earlier ones stay until then.
 *
 * @throws {RunFault} when it was stopped, or a file cannot be read or written
 */
export async function checkHealth(request: HealthRequest, tools: HealthTools): Promise<HealthSummary> {
  try {
    return await check(request, tools);
  } catch (error) {
    if (error instanceof RunFault) throw error;
    const why = isSystemError(error)
      ? `${systemReason(error)}${systemPlace(error)}`
      : (error as Error).message;
    if (!isSystemError(error)) tools.fault?.({ where: "the health checks", stack: stackOf(error) });
    throw new RunFault(`The health checks could not finish: ${why}.`, { cause: error });
  }
}

async function check(
  { rollouts, paths, ignored }: HealthRequest,
  { files, signal, breathe, progress, fault, examiners = here(ignored) }: HealthTools,
): Promise<HealthSummary> {
  const pause = async () => {
    await breathe?.();
    if (signal.aborted) throw new RunFault("The health checks were stopped before they finished.");
  };
  const leftOut = new Set(ignored);
  const scratch = new Scratch(files, paths.findings);
  const book = new VerdictBook(
    { files, index: paths.verdictsIndex, scratch },
    !leftOut.has(rolloutDuplicateIdentity.id),
  );
  try {
    const counts = new RunCounts(),
      whole = rollouts.reduce((sum, { path }) => sum + (files.size(path) ?? 0), 0);
    let isTold = false, past = 0, ordinal = 0;
    const handed: { readonly batch: Batch; readonly examined: Promise<readonly Examined[]> }[] = [];
    const takeNext = async () => {
      const { batch: { file, lines }, examined } = handed.shift()!;
      for (const [k, each] of (await examined).entries()) {
        if (each.fault && !isTold) fault?.({ where: `${file}, line ${lines[k]}`, stack: each.fault });
        isTold ||= each.fault !== undefined;
        counts.add(each);
        book.add(each);
      }
    };
    for (const [fileIndex, { path, shown }] of rollouts.entries()) {
      const read = async (bytes: number) => {
        past += bytes;
        progress?.(Math.min(1, past / whole));
        await pause();
      };
      for (const [batch, bytes] of batchesOf(files, path, { file: shown, fileIndex, ordinal })) {
        ordinal += batch.lines.length;
        const examined = examiners.examine(batch);
        examined.catch(() => {}); // whoever takes it is told
        handed.push({ batch, examined });
        if (handed.length >= examiners.width) await takeNext();
        await read(bytes);
      }
    }
    while (handed.length > 0) await takeNext();
    book.finish();
    await makeFile(files, paths.verdictsNew, async (write) => {
      const text = textInto(write);
      let lines = 0;
      for (const judged of book.inOrder()) {
        text(verdictLine(judged));
        if (++lines % LINES === 0) await pause();
      }
    });
    const run = runReport({
      rollouts: book.inOrder(),
      tasks: tasksOf(book.inOrder()),
      counts,
      ignored: leftOut,
    });
    await makeFile(files, paths.qualitySummaryNew, async (write) => {
      const text = textInto(write);
      for (const piece of summaryPieces(run, tasksOf(book.inOrder()), leftOut)) text(piece);
      await pause();
    });
    files.rename(paths.verdictsNew, paths.verdicts);
    files.rename(paths.qualitySummaryNew, paths.qualitySummary);
    return {
      checked: run.artifacts.records,
      ...run.verdicts,
      ignored: run.ignored_checks,
      issues: Object.fromEntries(Object.entries(run.issues).filter(([, n]) => n > 0)),
      summary: paths.qualitySummary,
      verdicts: paths.verdicts,
    };
  } finally {
    book.close();
    scratch.close();
    for (const path of [paths.verdictsNew, paths.qualitySummaryNew]) {
      try {
        files.remove(path);
      } catch {
        // The first error is the one to report; the next checks start by removing the file.
      }
    }
  }
}

/** The lines of a file in batches, each with how many bytes of the file were read for it. */
function* batchesOf(
  files: Files,
  path: string,
  { file, fileIndex, ordinal }: Pick<Batch, "file" | "fileIndex" | "ordinal">,
): Generator<[Batch, number]> {
  const open = files.read(path);
  try {
    const builder = new BatchBuilder();
    let bytes = 0;
    const take = (): [Batch, number] => {
      const batch = builder.take({ file, fileIndex, ordinal });
      ordinal += batch.lines.length;
      return [batch, bytes];
    };
    for (const line of readLines(open)) {
      if (!isBlank(line.bytes)) builder.add(line.bytes, line.number);
      bytes += line.bytes.length + 1;
      if (!builder.isFull) continue;
      yield take();
      bytes = 0;
    }
    if (!builder.isEmpty) yield take();
  } finally {
    open.close();
  }
}

/** This thread. */
function here(ignored: readonly string[]): Examiners {
  const leftOut = new Set(ignored);
  return { width: 1, examine: (batch) => Promise.resolve(examineBatch(batch, leftOut)) };
}

/**
 * The same as part of a larger command, which must not fail with it.
 *
 * @param again how the user can run the checks later
 */
export async function tryCheckHealth(
  request: HealthRequest,
  tools: HealthTools,
  again: string,
): Promise<{ readonly health: HealthSummary | null; readonly notes: readonly string[] }> {
  try {
    return { health: await checkHealth(request, tools), notes: [] };
  } catch (error) {
    const note = `${
      (error as Error).message
    } Rollouts and metrics are complete; ${again} does the checks alone.`;
    return { health: null, notes: [note] };
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? error.stack ?? error.message : String(error);
}
