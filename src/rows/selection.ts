/**
 * Which tasks of the input are run: those of `tasks` and `task_ids`, of these the ones that `sample` draws, and of these
 * the ones of the `shard`. What is selected are tasks, with all of their rows, so that numbers are those of the whole
 * input.
 */
import type { RowsConfig } from "../config/config.ts";
import type { JsonObject } from "../json/object.ts";
import { list, UsageFault } from "../kit/fault.ts";
import { findRange, parseRanges, type Range, rangesText } from "../kit/ranges.ts";
import { isInShard, parseShard, type Shard } from "../kit/shard.ts";
import { KEYS } from "../record/keys.ts";
import { ownId } from "../record/task_name.ts";
import { type Kind, RowFault } from "./problems.ts";
import { Sample } from "./sample.ts";

const TORN: Kind = {
  heading: "Rows of one task of which task_ids names some only",
  advice: `Rows with the same ${KEYS.task} are one task: name all of them, or none; or use tasks (--tasks).`,
};

/** What a selection is made of. */
export interface SelectionOptions {
  readonly config: Pick<RowsConfig, "tasks" | "task_ids" | "sample" | "sample_seed" | "shard">;
  /** What the file of `task_ids` names. */
  readonly ids?: ReadonlySet<string> | undefined;
}

/** Is asked for each row in order, then for its tasks. */
export class Selection {
  readonly #ranges: readonly Range[] | undefined;
  readonly #ids: ReadonlySet<string> | undefined;
  readonly #file: string | null;
  readonly #sample: Sample | undefined;
  readonly #shard: Shard | undefined;
  readonly #rangesSeen = new Set<number>();
  readonly #idsSeen = new Set<string>();
  /** By task whether `task_ids` names it. */
  readonly #named = new Map<number, boolean>();
  #last = -1;

  constructor({ config: { tasks, task_ids, sample, sample_seed, shard }, ids }: SelectionOptions) {
    this.#ranges = tasks === null ? undefined : parseRanges(tasks);
    this.#ids = ids;
    this.#file = task_ids;
    this.#sample = sample === null ? undefined : new Sample(sample, sample_seed);
    this.#shard = shard === null ? undefined : parseShard(shard);
  }

  /**
   * Whether the rollouts of a row are to be made. Where there is a sample, some of those made are not in it: {@link has}
   * tells, after the last row.
   *
   * @throws {RowFault} when another row of its task was decided differently
   */
  takes(task: number, row: JsonObject): boolean {
    this.#last = Math.max(this.#last, task);
    if (this.#ranges) {
      const range = findRange(this.#ranges, task);
      if (range < 0) return false;
      this.#rangesSeen.add(range);
    }
    if (this.#ids && !this.#isNamed(task, row, this.#ids)) return false;
    // The whole input's sample, whichever shard this is.
    if (this.#sample?.offer(task) === false) return false;
    return this.#shard === undefined || isInShard(task, this.#shard);
  }

  /** Whether a task whose rollouts were made is selected. */
  has(task: number): boolean {
    return this.#sample?.has(task) ?? true;
  }

  /** @throws {UsageFault} that lists what was named and is not there */
  finish(): void {
    const missing = [
      ...(this.#ranges ?? []).filter((_, k) => !this.#rangesSeen.has(k)).map((range) =>
        `tasks (--tasks): there is no task ${rangesText([range])}; ${
          this.#last < 0 ? "the input has no rows" : `the last one is ${this.#last}`
        }`
      ),
      ...[...this.#ids ?? []].filter((id) => !this.#idsSeen.has(id)).map((id) =>
        `task_ids (--task-ids ${this.#file}): no row has the id ${JSON.stringify(id)}`
      ),
    ];
    if (missing.length > 0) throw new UsageFault(`Cannot select these tasks:${list(missing)}`);
  }

  #isNamed(task: number, row: JsonObject, ids: ReadonlySet<string>): boolean {
    const id = ownId(row), isNamed = id !== undefined && ids.has(id);
    if (isNamed) this.#idsSeen.add(id);
    const before = this.#named.get(task);
    if (before !== undefined && before !== isNamed) throw new RowFault(TORN, `task ${task}`);
    this.#named.set(task, isNamed);
    return isNamed;
  }
}
