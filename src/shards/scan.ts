/** Reads every line of every shard once: its identity, who scores it, where it is. Changes nothing. */
import { isString } from "../json/kind.ts";
import { classNameOf } from "../record/failure.ts";
import { KEYS } from "../record/keys.ts";
import { rewardOf } from "../record/reward.ts";
import { type JsonObject, MEMBER, readObject } from "../json/object.ts";
import { JsonFault } from "../json/scan.ts";
import { list, LISTED, UsageFault } from "../kit/fault.ts";
import { isBlank } from "../kit/lines.ts";
import type { ShardPaths } from "../plan/score_plan.ts";
import type { Files } from "../ports/files.ts";
import { readLines } from "../store/read_lines.ts";
import { FieldNames, Layout } from "../json/field_names.ts";
import type { GroupBook } from "./group_book.ts";
import { numberAt } from "../json/number.ts";
import { type Kind, Kind as Kinds, type Records } from "./records.ts";
import { pathOf } from "./shard_reader.ts";

/** What the lines say besides their identities. */
export interface Scanned {
  /** The failure classes by their numbers in the records. */
  readonly classes: readonly string[];
  /** By the number of the group book: the names of the members in its rollouts. Empty unless requested. */
  readonly fields: ReadonlyMap<number, ReadonlySet<string>>;
  /** Rows of the rollouts files. */
  readonly rows: number;
  /** Of these, without a reward that counts; see `record/reward.ts`. */
  readonly unscored: number;
  /** Which shards have materialized inputs. */
  readonly hasInputs: readonly boolean[];
}

/** What {@link scan} works with. */
export interface ScanTools {
  /** The file system. */
  readonly files: Files;
  /** Where lines are recorded. */
  readonly records: Records;
  /** Who scores them. */
  readonly book: GroupBook;
  /** Called now and then; what it throws ends the work. */
  readonly breathe: () => Promise<void>;
}

/** What to read from the shards. */
export interface ScanOptions {
  /** Whether inputs and failures are read: without them nothing is known about missing rollouts. */
  readonly missing: boolean;
  /** Whether to collect the names of the rollouts' members. */
  readonly fields: boolean;
}

/** Bytes between two calls of `breathe`. */
const BREATH = 1 << 23;
/** Gym's class for lines that name none; also for those that do not fit in a record. */
const UNKNOWN = "unknown", MAX_CLASSES = 1 << 16;

/**
 * Reads the shards into `records`.
 *
 * @throws {UsageFault} naming file and line of anything that is not a JSON object or has no identity
 */
export async function scan(
  shards: readonly ShardPaths[],
  { files, records, book, breathe }: ScanTools,
  { missing, fields: wantsFields }: ScanOptions,
): Promise<Scanned> {
  const classes = new Map([[UNKNOWN, 0]]);
  const names = new FieldNames(), layout = new Layout(names), fields = new Map<number, Set<number>>();
  const problems: string[] = [];
  let wrong = 0, rows = 0, unscored = 0, unbreathed = 0;

  const line = (bytes: Uint8Array, offset: number, kind: Kind, shard: number) => {
    const object = readObject(bytes);
    const group = book.numberOf(object);
    if (kind === Kinds.ROLLOUT) {
      rows++;
      if (rewardOf(object) === undefined) unscored++;
      if (wantsFields) gather(object, layout, setOf(fields, group));
    }
    records.add({
      task: indexOf(object, KEYS.task, -Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
      rollout: indexOf(object, KEYS.rollout, 0, 0xffffffff),
      kind,
      shard,
      group,
      failureClass: kind === Kinds.FAILURE ? classOf(object, classes) : 0,
      offset: offset + object.start,
      length: object.end - object.start,
    });
  };

  const hasInputs: boolean[] = [];
  for (const [shard, paths] of shards.entries()) {
    hasInputs.push(missing && files.size(paths.inputs) !== undefined);
    for (const kind of missing ? [Kinds.ROLLOUT, Kinds.FAILURE, Kinds.INPUT] : [Kinds.ROLLOUT]) {
      const path = pathOf(paths, kind);
      // Only a shard's rollouts must exist.
      if (kind !== Kinds.ROLLOUT && files.size(path) === undefined) continue;
      const file = files.read(path);
      try {
        for (const { bytes, offset, number } of readLines(file)) {
          try {
            if (!isBlank(bytes)) line(bytes, offset, kind, shard);
          } catch (fault) {
            if (!(fault instanceof JsonFault) && !(fault instanceof NoIdentity)) throw fault;
            // Gym's sidecars may have failures of no particular rollout; there is nothing to score.
            const counts = fault instanceof JsonFault || kind !== Kinds.FAILURE;
            if (counts && wrong++ < LISTED) problems.push(`${path}:${number}: ${fault.message}`);
          }
          unbreathed += bytes.length;
          if (unbreathed > BREATH) {
            unbreathed = 0;
            await breathe();
          }
        }
      } finally {
        file.close();
      }
    }
  }
  if (wrong > 0) {
    throw new UsageFault(
      `Some lines of these files are not rollouts. Nothing was touched:${list(problems, wrong)}`,
    );
  }
  return {
    classes: [...classes.keys()],
    fields: new Map(
      [...fields].map(([group, numbers]) => [group, new Set([...numbers].map((n) => names.name(n)))]),
    ),
    rows,
    unscored,
    hasInputs,
  };
}

/** A line that does not identify its rollout. */
class NoIdentity extends Error {}

function indexOf(object: JsonObject, name: string, min: number, max: number): number {
  const raw = object.raw(name);
  const index = raw && raw[0] !== 0x74 && raw[0] !== 0x66 ? numberAt(raw, 0, raw.length) : undefined;
  if (index !== undefined && Number.isInteger(index) && index >= min && index <= max) return index + 0;
  throw new NoIdentity(raw ? `${name} is not a usable whole number` : `it has no ${name}`);
}

function classOf(object: JsonObject, classes: Map<string, number>): number {
  const raw = object.raw(KEYS.failureClass);
  const name = isString(raw) && classNameOf(raw) || UNKNOWN;
  let number = classes.get(name);
  if (number === undefined) {
    if (classes.size === MAX_CLASSES) return 0;
    classes.set(name, number = classes.size);
  }
  return number;
}

function gather(object: JsonObject, layout: Layout, into: Set<number>): void {
  for (let at = 0; at < object.members.length; at += MEMBER) {
    const number = layout.at(object, at);
    if (number >= 0) into.add(number);
  }
}

function setOf<K>(sets: Map<K, Set<number>>, key: K): Set<number> {
  let set = sets.get(key);
  if (!set) sets.set(key, set = new Set());
  return set;
}
