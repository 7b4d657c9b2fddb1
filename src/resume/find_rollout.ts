/** Finds the lines of a rollout in a file of its run, in one pass that keeps nothing. */
import { type JsonObject, parse, readObject } from "../json/object.ts";
import { JsonFault } from "../json/scan.ts";
import { UsageFault } from "../kit/fault.ts";
import { isBlank } from "../kit/lines.ts";
import type { Files } from "../ports/files.ts";
import { KEYS } from "../record/keys.ts";
import { ownId } from "../record/task_name.ts";
import { readLines } from "../store/read_lines.ts";

/** A row, parsed. */
export type Row = Readonly<Record<string, unknown>>;

/** A line that was found. */
export interface FoundRow {
  /** Its bytes, valid until the next is asked for. */
  readonly line: Uint8Array;
  readonly value: Row;
}

/** Which rows: of a task, of a rollout of it; undefined for any. */
export interface Wanted {
  readonly task: number | undefined;
  readonly rollout: number | undefined;
}

/** The rows of a file that are wanted, in its order. Lines that are no rows are left out. */
export function* rowsOf(
  files: Pick<Files, "read">,
  path: string,
  { task, rollout }: Wanted,
): Generator<FoundRow> {
  for (const [line, row] of objects(files, path)) {
    const fits = (task === undefined || row.value(KEYS.task) === task) &&
      (rollout === undefined || row.value(KEYS.rollout) === rollout);
    if (fits) yield { line, value: parse(line) as Row };
  }
}

/** The number of the task with this id of its dataset's. @throws {UsageFault} when no row has it */
export function taskOfId(files: Pick<Files, "read">, inputs: string, id: string): number {
  for (const [, row] of objects(files, inputs)) if (ownId(row) === id) return row.value(KEYS.task) as number;
  throw new UsageFault(`No row of ${inputs} has the id ${JSON.stringify(id)}.`);
}

function* objects(files: Pick<Files, "read">, path: string): Generator<[Uint8Array, JsonObject]> {
  const file = files.read(path);
  try {
    for (const { bytes } of readLines(file)) {
      const row = isBlank(bytes) ? undefined : objectIn(bytes);
      if (row) yield [bytes, row];
    }
  } finally {
    file.close();
  }
}

function objectIn(line: Uint8Array): JsonObject | undefined {
  try {
    return readObject(line);
  } catch (error) {
    if (error instanceof JsonFault) return undefined;
    throw error;
  }
}
