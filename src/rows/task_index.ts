/**
 * Which task a row is, and which of its rollouts comes next. Takes a few bytes per task,
 * whatever the rows hold.
 */
import { createHash } from "node:crypto";
import type { JsonObject } from "../json/object.ts";
import { KeyTable, longer } from "./key_table.ts";
import { type Kind, RowFault } from "./problems.ts";
import { KEYS } from "../record/keys.ts";

const BAD_INDEX: Kind = {
  heading: `${KEYS.task} must be a whole number from -9007199254740991 to 9007199254740991`,
  advice: "Without it rows are numbered by themselves, and identical lines share a number.",
};

const text = new TextDecoder();

export class Tasks {
  /** Lines of rows without a number of their own; a line's number here is its task. */
  readonly #lines = new KeyTable();
  /** Rollouts so far of the tasks below `#lines.size`. */
  #rollouts = new Uint32Array(64);
  /** Numbers given by rows that no line has had yet. */
  readonly #given = new KeyTable();
  /** Rollouts so far of those; meaningless once a line has the number. */
  #givenRollouts = new Uint32Array(64);
  /** How many given numbers are also the number of a line, or the other way round. */
  #shared = 0;

  /** How many tasks there are. */
  get size(): number {
    return this.#lines.size + this.#given.size - this.#shared;
  }

  /**
   * The task of a row: the `_ng_task_index` it brings, else the number of its line among the different lines, in
   * order of first appearance. Lines are the same when their bytes are. A number that rows bring may be one that
   * a line has as well: then they are one task.
   *
   * @throws {RowFault} when the row's number is not a whole number.
   */
  indexOf(row: JsonObject): number {
    const given = row.raw(KEYS.task);
    return given ? this.#giveNumber(text.decode(given)) : this.#numberLine(row.bytes);
  }

  /** The next rollout of a task that {@link indexOf} returned, counted from 0. */
  nextRollout(task: number): number {
    if (this.#isLine(task)) return this.#rollouts[task]!++;
    return this.#givenRollouts[this.#given.find(...bitsOf(task))]!++;
  }

  #isLine(task: number): boolean {
    return task >= 0 && task < this.#lines.size;
  }

  #giveNumber(written: string): number {
    const task = /^-?\d+$/.test(written) ? Number(written) + 0 : NaN; // + 0: there is no task -0
    if (!Number.isSafeInteger(task)) {
      throw new RowFault(BAD_INDEX, `it is ${written.length > 60 ? `${written.slice(0, 60)}…` : written}`);
    }
    if (!this.#isLine(task)) {
      const at = this.#given.add(...bitsOf(task));
      if (at >= this.#givenRollouts.length) this.#givenRollouts = longer(this.#givenRollouts);
    }
    return task;
  }

  #numberLine(line: Uint8Array): number {
    const hash = createHash("sha256").update(line).digest();
    const before = this.#lines.size;
    const task = this.#lines.add(
      hash.readInt32LE(0),
      hash.readInt32LE(4),
      hash.readInt32LE(8),
      hash.readInt32LE(12),
    );
    if (task < before) return task;
    if (task >= this.#rollouts.length) this.#rollouts = longer(this.#rollouts);
    const given = this.#given.size === 0 ? -1 : this.#given.find(...bitsOf(task));
    if (given >= 0) {
      this.#rollouts[task] = this.#givenRollouts[given]!;
      this.#shared++;
    }
    return task;
  }
}

const float = new Float64Array(1), bits = new Uint32Array(float.buffer);

/** A number as a key. */
function bitsOf(n: number): [number, number, number, number] {
  float[0] = n;
  return [bits[0]!, bits[1]!, 0, 0];
}
