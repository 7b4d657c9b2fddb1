/** Where dispatch takes its rows from. Rows are numbers, as in the scheduler. */
import type { RolloutId } from "../events/run_event.ts";
import { readObject } from "../json/object.ts";
import type { RowIndex } from "../plan/row_index.ts";
import { ownId } from "../record/task_name.ts";
import type { RowReader } from "./row_reader.ts";

/** A run's rows. */
export interface RowSource {
  /** The materialized row; valid until the next call. @throws when it cannot be read any more */
  read(row: number): Uint8Array<ArrayBuffer>;
  /** Which rollout it is. */
  id(row: number): RolloutId;
  /** The same with the task's own id, which is read from the row; without it where that cannot be read any more. */
  idRead(row: number): RolloutId;
  /** The number of its server in the plan. */
  route(row: number): number;
  /** Failed attempts on record. */
  attempts(row: number): number;
  /** Puts one more on record, and returns how many that are. */
  failedAgain(row: number): number;
  /** Whether an earlier attempt left a deliverable that is to be judged again. */
  reuses(row: number): boolean;
}

/** A task's own id is kept to so many characters. */
const OWN = 100;

/** An id with the task's own, where it has one. */
export function withOwn(id: RolloutId, own: string | undefined): RolloutId {
  if (own === undefined) return id;
  return { ...id, own: own.length > OWN ? `${own.slice(0, OWN).toWellFormed()}…` : own };
}

/** The rows of an index, read from the materialized inputs. */
export class IndexedRows implements RowSource {
  readonly #index: RowIndex;
  readonly #reader: RowReader;

  /** @param reader of the file that the index is about */
  constructor(index: RowIndex, reader: RowReader) {
    this.#index = index;
    this.#reader = reader;
  }

  read(row: number): Uint8Array<ArrayBuffer> {
    const { offset, length } = this.#index.columns;
    return this.#reader.read(offset[row]!, length[row]!);
  }

  id(row: number): RolloutId {
    const { task, rollout } = this.#index.columns;
    return { task: task[row]!, rollout: rollout[row]! };
  }

  idRead(row: number): RolloutId {
    try {
      return withOwn(this.id(row), ownId(readObject(this.read(row))));
    } catch {
      return this.id(row); // whoever sends the row tells what is wrong with the file
    }
  }

  route(row: number): number {
    return this.#index.columns.route[row]!;
  }

  attempts(row: number): number {
    return this.#index.columns.attempts[row]!;
  }

  failedAgain(row: number): number {
    return ++this.#index.columns.attempts[row]!;
  }

  reuses(row: number): boolean {
    return this.#index.columns.reuse[row] === 1;
  }
}
