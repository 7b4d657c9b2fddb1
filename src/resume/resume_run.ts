/**
 * Resumes an earlier run: its files are repaired, what they hold is marked in the row index, and what is left is put in
 * order. Every step can be interrupted by a crash and repeated.
 */
import { readObject } from "../json/object.ts";
import { JsonFault } from "../json/scan.ts";
import type { EarlierRun } from "../events/run_event.ts";
import { RunFault } from "../kit/fault.ts";
import type { RunPaths } from "../plan/paths.ts";
import type { ResumePlan, RunPlan } from "../plan/run_plan.ts";
import type { RowIndex } from "../plan/row_index.ts";
import type { AppendFile, Files, ReadFile } from "../ports/files.ts";
import { replaceWithout, Spans } from "../store/remove_lines.ts";
import { writeAll } from "../store/write_all.ts";
import { gate } from "./standing.ts";
import { RowLookup } from "../plan/row_lookup.ts";
import { attemptKey, deliverablesOf, migrated, migratedKeys } from "./judge_migration.ts";
import { inOrder, longestFirst } from "../plan/order.ts";
import {
  type BadLines,
  type FailuresPast,
  readFailures,
  readRollouts,
  type RolloutsPast,
} from "./earlier_run.ts";
import { reading } from "./read_standing.ts";
import { repairTail } from "./tail.ts";

/** What a resume needs from outside. */
export interface ResumeTools {
  /** The file system. */
  readonly files: Files;
  /** Receives what was found and done. */
  readonly notice: (event: EarlierRun) => void;
  /** Told of each row of the index that is done, with its line. */
  readonly done?: (row: number, line: Uint8Array) => void;
}

/**
 * Repairs the files of the run and marks the index. Returns the rows to run, in the order in which they start.
 *
 * @throws {RunFault} when a file cannot be read or written; nothing that was in it is lost
 */
export async function resumeRun(
  plan: RunPlan & { readonly resume: ResumePlan },
  index: RowIndex,
  tools: ResumeTools,
): Promise<Iterable<number>> {
  try {
    return await new Resuming(plan, index, tools).run();
  } catch (error) {
    if (error instanceof RunFault) throw error;
    throw new RunFault(
      `Cannot resume ${plan.paths.rollouts}: ${(error as Error).message}. Nothing was sent and nothing ` +
        `is lost; fix the cause, then resume again.`,
      { cause: error },
    );
  }
}

class Resuming {
  readonly #plan: RunPlan & { readonly resume: ResumePlan };
  readonly #paths: RunPaths;
  readonly #index: RowIndex;
  readonly #tools: ResumeTools;

  constructor(plan: RunPlan & { readonly resume: ResumePlan }, index: RowIndex, tools: ResumeTools) {
    this.#plan = plan;
    this.#paths = plan.paths;
    this.#index = index;
    this.#tools = tools;
  }

  async run(): Promise<Iterable<number>> {
    const { rollouts, failures, manifest, manifestNew } = this.#paths;
    const { files } = this.#tools;
    if (this.#plan.resume.extends) extend(files, this.#paths);
    for (const path of [rollouts, failures]) await this.#repairTail(path);
    const identities = new RowLookup(this.#index);
    const done = reading(
      files,
      rollouts,
      (lines) =>
        readRollouts(lines, this.#index, identities, this.#plan.resume.retryInvalidJudge, this.#tools.done),
    );
    await this.#takeOutOfRollouts(done);
    this.#noteStrays(done);
    const failed = reading(
      files,
      failures,
      (lines) => readFailures(lines, this.#index, identities, this.#plan.resume.retryTerminalTimeouts),
    );
    await this.#takeOutOfFailures(failed);
    gate(this.#index, failed, { ...this.#plan.resume, cap: this.#plan.attempts });
    if (files.size(manifestNew) !== undefined) files.rename(manifestNew, manifest);
    return this.#plan.dispatch.dispatch_longest_first
      ? longestFirst(this.#index, failed.elapsed)
      : inOrder(this.#index);
  }

  async #repairTail(path: string): Promise<void> {
    const repair = await repairTail(this.#tools.files, path);
    if (repair.kind === "dropped") {
      this.#tools.notice({ kind: "tail_dropped", path, bytes: repair.bytes });
    }
  }

  /** Moves lines that are not rows to the quarantine, and rows to be judged again to the sidecar. */
  async #takeOutOfRollouts({ bad, invalid }: RolloutsPast): Promise<void> {
    const { rollouts, rolloutsNew, failures } = this.#paths;
    const { files, notice } = this.#tools;
    if (bad.spans.size + invalid.size === 0) return;
    const source = files.read(rollouts);
    try {
      await replaceWithout(files, rollouts, rolloutsNew, inOneOrder(bad.spans, invalid), async () => {
        await this.#setAside(source, bad.spans);
        if (invalid.size > 0) await this.#migrate(source, invalid);
      });
    } finally {
      source.close();
    }
    this.#noteBad(rollouts, bad);
    if (invalid.size > 0) notice({ kind: "invalid_judged_again", rollouts: invalid.size, failures });
  }

  async #takeOutOfFailures({ bad }: FailuresPast): Promise<void> {
    const { failures, failuresNew } = this.#paths;
    const { files } = this.#tools;
    if (bad.spans.size === 0) return;
    const source = files.read(failures);
    try {
      await replaceWithout(files, failures, failuresNew, bad.spans, () => this.#setAside(source, bad.spans));
    } finally {
      source.close();
    }
    this.#noteBad(failures, bad);
  }

  /** Copies lines to the quarantine as they are. */
  async #setAside(source: ReadFile, spans: Spans): Promise<void> {
    if (spans.size === 0) return;
    const { quarantine } = this.#paths;
    // Not JSON, so `repairTail` would drop what a crash left there.
    const torn = endsTorn(this.#tools.files, quarantine);
    await this.#appending(quarantine, (file) => {
      if (torn) writeAll(file, NEWLINE);
      for (const [offset, length] of spans) writeAll(file, bytesAt(source, offset, length));
    });
  }

  /** Copies rollouts to the sidecar as failed attempts, except those copied already before a crash. */
  async #migrate(source: ReadFile, spans: Spans): Promise<void> {
    const { failures, quarantine } = this.#paths;
    const deliverables = new Set(this.#plan.resume.deliverables);
    const there = reading(this.#tools.files, failures, migratedKeys);
    const unreadable = new Spans();
    await this.#appending(failures, (file) => {
      for (const [offset, length] of spans) {
        const line = bytesAt(source, offset, length);
        try {
          const row = readObject(line), key = attemptKey(row);
          if (there.has(key)) continue;
          there.add(key);
          const folder = deliverablesOf(row);
          const pieces = migrated(row, folder !== undefined && deliverables.has(folder));
          for (const piece of [...pieces, NEWLINE]) writeAll(file, piece);
        } catch (fault) {
          if (!(fault instanceof JsonFault)) throw fault;
          unreadable.push(offset, length);
        }
      }
    });
    await this.#setAside(source, unreadable);
    if (unreadable.size > 0) {
      this.#tools.notice({ kind: "invalid_unreadable", rows: unreadable.size, quarantine });
    }
  }

  async #appending(path: string, write: (file: AppendFile) => void): Promise<void> {
    const file = this.#tools.files.append(path);
    try {
      write(file);
      await file.sync();
    } finally {
      file.close();
    }
  }

  #noteBad(path: string, { spans, shown }: BadLines): void {
    if (spans.size === 0) return;
    const { quarantine } = this.#paths;
    this.#tools.notice({ kind: "lines_set_aside", path, quarantine, lines: spans.size, first: shown });
  }

  #noteStrays({ twice, strangers }: RolloutsPast): void {
    const { rollouts, inputs } = this.#paths;
    for (
      const [rows, why] of [[twice, "repeated"], [strangers, "unknown"]] as const
    ) {
      if (rows > 0) this.#tools.notice({ kind: "rows_ignored", path: rollouts, why, rows, inputs });
    }
  }
}

/**
 * Puts the manifest and the inputs of an extended run in place, in this order: a kill in between leaves a manifest that
 * tells by the hash of the inputs that they are those of before.
 */
function extend(files: Files, { inputs, inputsNew, manifest, manifestNew }: RunPaths): void {
  files.rename(manifestNew, manifest);
  if (files.size(inputsNew) !== undefined) files.rename(inputsNew, inputs);
}

const NEWLINE = new Uint8Array([0x0a]);

function bytesAt(file: ReadFile, offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  file.readAt(bytes, offset);
  return bytes;
}

function inOneOrder(a: Spans, b: Spans): Spans {
  const both = new Spans();
  for (const [offset, length] of [...a, ...b].sort(([x], [y]) => x - y)) both.push(offset, length);
  return both;
}

/** Whether a file's last line has no line break. */
function endsTorn(files: Files, path: string): boolean {
  const size = files.size(path) ?? 0;
  if (size === 0) return false;
  const file = files.read(path);
  try {
    return bytesAt(file, size - 1, 1)[0] !== NEWLINE[0];
  } finally {
    file.close();
  }
}
