/**
 * What the files of finished runs say of their tasks, in memory that does not grow with the runs: the lines of all files
 * are indexed and sorted by `FinishedRuns`, and folded task by task.
 */
import type { ShardPaths } from "../plan/score_plan.ts";
import { KEYS } from "../record/keys.ts";
import { FinishedRuns, type ReadTools } from "../shards/finished_runs.ts";
import type { JsonObject } from "../json/object.ts";
import { stringOf } from "../json/object.ts";
import { type LeftOut, TaskFold } from "./task_fold.ts";
import type { TaskResults } from "./task_results.ts";

/** Tasks between two calls of `breathe`. */
const BREATH = 1 << 10;

export class Results {
  /** Rows of the rollouts files. */
  readonly rows: number;
  /** Which files have materialized inputs: for the others it is unknown what was planned, and what their tasks are. */
  readonly hasInputs: readonly boolean[];
  /** What {@link tasks} left out when it was iterated last. */
  leftOut: Readonly<LeftOut> = { duplicates: 0, unplanned: 0 };
  readonly #runs: FinishedRuns;
  readonly #breathe: () => Promise<void>;

  private constructor(runs: FinishedRuns, breathe: () => Promise<void>) {
    this.rows = runs.rows;
    this.hasInputs = runs.hasInputs;
    this.#runs = runs;
    this.#breathe = breathe;
  }

  /**
   * Reads the files once, each line's numbers and place; close what it returns.
   *
   * @throws {UsageFault} naming file and line of anything that is not a JSON object or has no identity
   */
  static async read(shards: readonly ShardPaths[], tools: ReadTools): Promise<Results> {
    const runs = await FinishedRuns.read(shards, tools, { scorers: null, missing: true, fields: false });
    return new Results(runs, tools.breathe);
  }

  /** The files behind the results. */
  get runs(): FinishedRuns {
    return this.#runs;
  }

  /**
   * The tasks, by number, then agent, then file. Can be iterated repeatedly; each time reads the files again.
   *
   * @param by a field of the input rows, its names joined by dots
   * @param fields further ones
   */
  async *tasks(by?: string, fields: readonly string[] = []): AsyncGenerator<TaskResults> {
    const leftOut = { duplicates: 0, unplanned: 0 }, runs = this.#runs;
    this.leftOut = leftOut;
    const agentOf = (row: JsonObject) => runs.agentOf(row) ?? stringOf(row.raw(KEYS.server)) ?? "";
    const fold = new TaskFold({
      row: (line) => runs.row(line),
      agentOf,
      hasInputs: runs.hasInputs,
      by,
      fields,
      leftOut,
    });
    let seen = 0;
    for (const line of runs.lines()) {
      const done = fold.add(line);
      if (done.length === 0) continue;
      yield* done;
      if (++seen % BREATH === 0) await this.#breathe();
    }
    yield* fold.close();
  }

  close(): void {
    this.#runs.close();
  }
}
