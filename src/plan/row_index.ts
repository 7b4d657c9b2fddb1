/**
 * Where each materialized row is in its file, its identity, and where it goes: a few bytes per rollout in typed
 * arrays, which is all that a run keeps of its inputs. Resume, interleaving, longest-first and shards are orders
 * over this index.
 */

/** The arrays of a {@link RowIndex}, as they travel to the Worker. All have the same length. */
export interface IndexColumns {
  /** Byte offset in the materialized inputs. */
  readonly offset: Float64Array<ArrayBuffer>;
  /** Length in bytes, without the line break. */
  readonly length: Uint32Array<ArrayBuffer>;
  /** `_ng_task_index`. */
  readonly task: Float64Array<ArrayBuffer>;
  /** `_ng_rollout_index`. */
  readonly rollout: Uint32Array<ArrayBuffer>;
  /** Index into the plan's routes. */
  readonly route: Uint16Array<ArrayBuffer>;
  /** Recorded failures so far. */
  readonly attempts: Uint16Array<ArrayBuffer>;
  /** 1 if an earlier attempt left a deliverable that can be judged again, otherwise 0. */
  readonly reuse: Uint8Array<ArrayBuffer>;
  readonly state: Uint8Array<ArrayBuffer>;
}

/** What a row is to this run. */
export const State = {
  /** Still has to run. */
  OWED: 0,
  /** Is in the rollouts file. */
  DONE: 1,
  /** Has failed permanently, and is not run again. */
  TERMINAL: 2,
  /** Is at the attempt limit, and is not run again. */
  AT_CAP: 3,
} as const;

const FIRST_CAPACITY = 1024, GROWTH = 1.5;

/** A row that does not exist yet, for {@link RowIndex.add}. */
export interface IndexEntry {
  readonly offset: number;
  readonly length: number;
  readonly task: number;
  readonly rollout: number;
  readonly route: number;
}

/** A growing index; rows are numbered from 0 in file order. */
export class RowIndex {
  size = 0;
  /** The arrays; only their first {@link size} entries are used. */
  columns: IndexColumns = columnsOf(FIRST_CAPACITY);

  /** An index over columns that came from another thread. */
  static over(columns: IndexColumns): RowIndex {
    const index = new RowIndex();
    index.columns = columns;
    index.size = columns.offset.length;
    return index;
  }

  /** How many rows are to be run. */
  get owed(): number {
    let owed = 0;
    for (let row = 0; row < this.size; row++) if (this.columns.state[row] === State.OWED) owed++;
    return owed;
  }

  /** Adds an owed row without attempts. */
  add(entry: IndexEntry): void {
    if (this.size === this.columns.offset.length) {
      this.#resize(Math.max(FIRST_CAPACITY, Math.ceil(this.size * GROWTH)));
    }
    const { columns, size } = this;
    columns.offset[size] = entry.offset;
    columns.length[size] = entry.length;
    columns.task[size] = entry.task;
    columns.rollout[size] = entry.rollout;
    columns.route[size] = entry.route;
    this.size++;
  }

  /** Trims the arrays and hands them over; the index is empty afterwards. */
  take(): IndexColumns {
    this.#resize(this.size);
    const columns = this.columns;
    this.columns = columnsOf(0);
    this.size = 0;
    return columns;
  }

  /** Transfers instead of copying, so that the old memory is freed at once rather than at the next collection. */
  #resize(capacity: number): void {
    for (const name of Object.keys(this.columns) as (keyof IndexColumns)[]) {
      const old = this.columns[name];
      const Column = old.constructor as new (buffer: ArrayBuffer) => typeof old;
      this.columns = {
        ...this.columns,
        [name]: new Column(old.buffer.transfer(capacity * old.BYTES_PER_ELEMENT)),
      };
    }
  }
}

/** The buffers of columns, to be transferred instead of copied. */
export function buffersOf(columns: IndexColumns): ArrayBuffer[] {
  return Object.values(columns).map((column) => column.buffer);
}

function columnsOf(capacity: number): IndexColumns {
  return {
    offset: new Float64Array(capacity),
    length: new Uint32Array(capacity),
    task: new Float64Array(capacity),
    rollout: new Uint32Array(capacity),
    route: new Uint16Array(capacity),
    attempts: new Uint16Array(capacity),
    reuse: new Uint8Array(capacity),
    state: new Uint8Array(capacity),
  };
}

/** Rows in rounds: all first rollouts, then all second ones, each round in the order of `rows`, by default the file's. */
export function byRollout(index: RowIndex, rows: Iterable<number> = numbers(index.size)): Uint32Array {
  const { rollout } = index.columns, all = Uint32Array.from(rows);
  const order = new Uint32Array(all.length);
  let last = 0;
  for (const row of all) last = Math.max(last, rollout[row]!);
  // A counting sort: stable and linear.
  const starts = new Uint32Array(last + 2);
  for (const row of all) starts[rollout[row]! + 1]!++;
  for (let round = 0; round <= last; round++) starts[round + 1]! += starts[round]!;
  for (const row of all) order[starts[rollout[row]!]!++] = row;
  return order;
}

function* numbers(below: number): Generator<number> {
  for (let n = 0; n < below; n++) yield n;
}
