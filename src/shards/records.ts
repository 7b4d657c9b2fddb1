/**
 * What is known about every line of every shard, ordered by identity, in memory that does not grow with the shards.
 */
import type { Files } from "../ports/files.ts";
import { type Packing, SortedRecords } from "../store/sorted_records.ts";

/** What a line is: a rollout, a failed attempt of the sidecar, or a row of the materialized inputs. */
export const Kind = { ROLLOUT: 0, FAILURE: 1, INPUT: 2 } as const;

/** One of {@link Kind}. */
export type Kind = typeof Kind[keyof typeof Kind];

/** A line: its identity, and where it is. */
export interface LineRecord {
  /** `_ng_task_index`. */
  readonly task: number;
  /** `_ng_rollout_index`. */
  readonly rollout: number;
  readonly kind: Kind;
  /** Its shard; below 65,536. */
  readonly shard: number;
  /** Who scores it, as a number of the group book; below 65,536. */
  readonly group: number;
  /** The failure's class, as its number; below 65,536. */
  readonly failureClass: number;
  /** Where the line's object begins in its file. */
  readonly offset: number;
  /** The object's length in bytes. */
  readonly length: number;
}

const PACKING: Packing<LineRecord> = {
  pack: ({ task, rollout, kind, shard, group, failureClass, offset, length }) => ({
    major: task,
    minor: rollout,
    rank: kind,
    offset,
    length,
    a: group,
    b: shard,
    c: failureClass,
  }),
  unpack: ({ major, minor, rank, offset, length, a, b, c }) => ({
    task: major,
    rollout: minor,
    kind: rank as Kind,
    shard: b,
    group: a,
    failureClass: c,
    offset,
    length,
  }),
};

/** By task, rollout, kind, and the order in which they were added. */
export class Records extends SortedRecords<LineRecord> {
  /**
   * @param path of the file for what does not fit in memory; removed at the end
   * @param capacity records that are kept in memory
   */
  constructor(files: Files, path: string, capacity?: number) {
    super(PACKING, files, path, capacity);
  }
}
