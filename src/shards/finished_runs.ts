/**
 * Finished runs as indexed lines. Every line of every shard is read once; what is kept of it is 32 bytes (`records.ts`),
 * in order of task and rollout. After that callers can walk the rollouts, learn what became of each, and read back any
 * line by its offset, in memory that does not grow with the runs.
 */
import type { JsonObject } from "../json/object.ts";
import { readObject } from "../json/object.ts";
import type { Counting, ShardPaths } from "../plan/score_plan.ts";
import type { Scorers } from "../plan/scorers.ts";
import type { Files } from "../ports/files.ts";
import { replaceFile, type Replacement, textInto } from "../store/whole_file.ts";
import { fates, type Rollout, type Rules, rulesOf } from "./fates.ts";
import { type Group, GroupBook } from "./group_book.ts";
import { merge } from "./merge.ts";
import { mergeManifest } from "./merge_manifest.ts";
import { type LineRecord, Records } from "./records.ts";
import { scan, type Scanned, type ScanOptions } from "./scan.ts";
import { ShardReader } from "./shard_reader.ts";

/** What reading works with. */
export interface ReadTools {
  readonly files: Files;
  /** A file for what does not fit in memory; removed by {@link FinishedRuns.close}. */
  readonly index: string;
  /** Called now and then; what it throws ends the work. */
  readonly breathe: () => Promise<void>;
}

/** What to find out about the runs. */
export interface ReadOptions extends ScanOptions {
  /** Which servers score which rollouts; null when only the lines themselves say so. */
  readonly scorers: Scorers | null;
}

export class FinishedRuns {
  readonly shards: readonly ShardPaths[];
  /** Servers and agents whose rollouts belong together. */
  readonly groups: readonly Group[];
  /** Failure classes, by the numbers in {@link LineRecord.failureClass}. */
  readonly classes: readonly string[];
  /** Rows of the rollouts files. */
  readonly rows: number;
  /** Of these, without a reward that counts. */
  readonly unscored: number;
  /** Which shards have materialized inputs: for the others it is unknown what was planned. */
  readonly hasInputs: readonly boolean[];
  readonly #records: Records;
  readonly #reader: ShardReader;
  readonly #book: GroupBook;
  readonly #groupOf: readonly number[];
  readonly #fields: Scanned["fields"];
  readonly #tools: ReadTools;

  private constructor(
    shards: readonly ShardPaths[],
    tools: ReadTools,
    { records, reader, book, scanned }: {
      readonly records: Records;
      readonly reader: ShardReader;
      readonly book: GroupBook;
      readonly scanned: Scanned;
    },
  ) {
    const { groups, groupIndexes } = book.close();
    this.shards = shards;
    this.groups = groups;
    this.classes = scanned.classes;
    this.rows = scanned.rows;
    this.unscored = scanned.unscored;
    this.hasInputs = scanned.hasInputs;
    this.#records = records;
    this.#reader = reader;
    this.#book = book;
    this.#groupOf = groupIndexes;
    this.#fields = scanned.fields;
    this.#tools = tools;
  }

  /**
   * Reads shards; close what it returns.
   *
   * @throws {UsageFault} naming file and line of anything that is not a JSON object or has no identity
   */
  static async read(
    shards: readonly ShardPaths[],
    tools: ReadTools,
    { scorers, ...options }: ReadOptions,
  ): Promise<FinishedRuns> {
    const { files, index, breathe } = tools;
    const records = new Records(files, index), reader = new ShardReader(files, shards);
    try {
      const book = new GroupBook(scorers);
      const scanned = await scan(shards, { files, records, book, breathe }, options);
      records.finish();
      return new FinishedRuns(shards, tools, { records, reader, book, scanned });
    } catch (error) {
      reader.close();
      records.close();
      throw error;
    }
  }

  /** What became of every rollout, by task, then rollout, then group. Can be iterated repeatedly. */
  rollouts(counting: Counting): Iterable<Rollout> {
    const rules: Rules = rulesOf(counting, {
      groupIndexes: this.#groupOf,
      classes: this.classes,
      hasInputs: this.hasInputs,
    });
    const records = this.#records;
    return { [Symbol.iterator]: () => fates(records, rules) };
  }

  /** Every line of every shard, by task, rollout and kind. Can be iterated repeatedly. */
  lines(): Iterable<LineRecord> {
    return this.#records;
  }

  /** A line's object. Its bytes are only valid until the next call. */
  row(line: LineRecord): JsonObject {
    return readObject(this.#reader.read(line));
  }

  /** The agent that a line names, if any. */
  agentOf(row: JsonObject): string | undefined {
    return this.#book.agentOf(row);
  }

  /** Names of the members in a group's results. Empty unless requested when reading. */
  fieldsOf(group: number): Set<string> {
    const all = new Set<string>();
    for (const [number, names] of this.#fields) {
      if (this.#groupOf[number - 1] !== group) continue;
      for (const name of names) all.add(name);
    }
    return all;
  }

  /**
   * Writes all rollouts into one file (see {@link merge}), and then the manifest that says what they are merged from.
   *
   * @param report the name of the summary of the health checks to come, if there are any
   */
  async merge(into: Replacement, manifest: Replacement, report?: string): Promise<void> {
    const { files, breathe } = this.#tools;
    await merge(this.#records, this.#reader, files, into, breathe);
    await replaceFile(files, manifest, (write) => {
      textInto(write)(mergeManifest(into.path, this.shards.map(({ rollouts }) => rollouts), report));
      return Promise.resolve();
    });
  }

  close(): void {
    this.#reader.close();
    this.#records.close();
  }
}
