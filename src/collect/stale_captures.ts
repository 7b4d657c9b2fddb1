/** Captures that earlier runs have left of the rows that are about to run: the model servers would append to them. */
import { RowReader } from "../dispatch/row_reader.ts";
import { readObject } from "../json/object.ts";
import { type RowIndex, State } from "../plan/row_index.ts";
import type { RunPlan } from "../plan/run_plan.ts";
import type { CaptureFiles } from "../ports/captures.ts";
import type { ReadFile } from "../ports/files.ts";
import { captureId, rolloutIdOf } from "../record/rollout_id.ts";

/** So many rows are read at a time. */
const BREATH = 10_000;

/**
 * The names of files in the folder of captures that belong to rows about to run, whichever attempt they are of. Files of
 * other rollouts are not among them, nor is anything else. What is remembered depends on the folder, not on the run, and
 * rows are only read when there are captures.
 */
export async function staleCaptures(
  { captures, paths, attempts: cap }: RunPlan,
  index: RowIndex,
  { files, inputs, breathe }: {
    readonly files: CaptureFiles;
    readonly inputs: ReadFile;
    /** Lets other things have their turn. */
    readonly breathe?: (() => Promise<void>) | undefined;
  },
): Promise<string[]> {
  const there = Map.groupBy(captures === null ? [] : files.namesIn(captures), captureOf);
  there.delete(undefined);
  if (there.size === 0) return [];
  const { offset, length, attempts, state } = index.columns, rows = new RowReader(inputs, paths.inputs);
  const mine = new Set<string>(), perhaps = new Set<string>(), others = new Set<string>();
  for (let row = 0; row < index.size; row++) {
    if (row % BREATH === BREATH - 1) await breathe?.();
    const id = rolloutIdOf(readObject(rows.read(offset[row]!, length[row]!)));
    if (state[row] !== State.OWED) {
      if (there.has(id)) others.add(id);
      continue;
    }
    for (let attempt = 0; attempt <= Math.max(cap, attempts[row]!); attempt++) {
      const name = captureId(id, attempt);
      if (there.has(name)) (attempt === 0 || attempt === attempts[row] ? mine : perhaps).add(name);
    }
  }
  // x-a1 is the second attempt of x, unless there is a rollout of that name that is not about to run.
  for (const name of perhaps) if (!others.has(name)) mine.add(name);
  return [...mine].flatMap((name) => there.get(name)!);
}

/** The attempt that a file is a capture of; undefined for any other file. */
function captureOf(file: string): string | undefined {
  return /^([A-Za-z0-9][\w.-]*)\.capture\.(?:jsonl|incomplete)$/.exec(file)?.[1];
}
