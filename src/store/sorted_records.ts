/**
 * Records of 32 bytes, put in order in memory that does not grow with their number: sorted in runs; if there is more
 * than one run, they are on disk and merged.
 */
import { writeAll } from "./write_all.ts";
import type { AppendFile, Files, ReadFile } from "../ports/files.ts";

/** What is kept of a record. The first three decide the order, one after the other. */
export interface Packed {
  /** Any number. */
  readonly major: number;
  /** 32 bits, without sign. */
  readonly minor: number;
  /** 16 bits. */
  readonly rank: number;
  /** Any number. */
  readonly offset: number;
  /** 32 bits. */
  readonly length: number;
  /** 16 bits each. */
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

/** How records of one kind are kept. */
export interface Packing<T> {
  pack(record: T): Packed;
  unpack(packed: Packed): T;
}

/** Bytes of a record: two doubles (major, offset), then words: minor, length, a and b, rank and c. */
const BYTES = 32, DOUBLES = BYTES / 8, WORDS = BYTES / 4;
const FIRST_CAPACITY = 1024;
/** Records of a block that is read back from the disk. */
const BLOCK = 2048;

/** Records sorted in memory: 4 MB. */
const RUN_RECORDS = 1 << 17;

/** Records, as words and as doubles; only the first `size` are used. */
interface Table {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly doubles: Float64Array<ArrayBuffer>;
  readonly words: Uint32Array<ArrayBuffer>;
}

function tableOf(capacity: number): Table {
  const buffer = new ArrayBuffer(capacity * BYTES);
  return {
    bytes: new Uint8Array(buffer),
    doubles: new Float64Array(buffer),
    words: new Uint32Array(buffer),
  };
}

/** Add, then {@link finish}, then iterate repeatedly, then {@link close}. */
export class SortedRecords<T> {
  readonly #packing: Packing<T>;
  readonly #files: Files;
  readonly #path: string;
  readonly #capacity: number;
  #table = tableOf(FIRST_CAPACITY);
  #size = 0;
  #total = 0;
  /** Whether what is in the table was added in order. */
  #inOrder = true;
  /** How many records each run on the disk has. */
  readonly #runs: number[] = [];
  #out: AppendFile | undefined;
  #in: ReadFile | undefined;

  /**
   * @param path of the file for what does not fit in memory; removed at the end
   * @param capacity records that are kept in memory
   */
  constructor(packing: Packing<T>, files: Files, path: string, capacity: number = RUN_RECORDS) {
    this.#packing = packing;
    this.#files = files;
    this.#path = path;
    this.#capacity = capacity;
  }

  /** How many there are. */
  get size(): number {
    return this.#total;
  }

  /** Adds one. Records of the same place in the order stay in the order in which they were added. */
  add(record: T): void {
    if (this.#size === this.#capacity) this.#spill();
    if (this.#size * DOUBLES === this.#table.doubles.length) this.#grow();
    const { doubles, words } = this.#table, at = this.#size, packed = this.#packing.pack(record);
    doubles[at * DOUBLES] = packed.major;
    doubles[at * DOUBLES + 1] = packed.offset;
    words[at * WORDS + 4] = packed.minor;
    words[at * WORDS + 5] = packed.length;
    words[at * WORDS + 6] = packed.a << 16 | packed.b;
    words[at * WORDS + 7] = packed.rank << 16 | packed.c;
    this.#inOrder &&= at === 0 || compare(this.#table, at - 1, this.#table, at) <= 0;
    this.#size++;
    this.#total++;
  }

  /** Ends adding. */
  finish(): void {
    if (this.#runs.length === 0) return this.#sort();
    this.#spill();
    this.#table = tableOf(0);
    this.#mergeRuns();
  }

  /** All records in order. */
  *[Symbol.iterator](): Generator<T> {
    const { unpack } = this.#packing;
    if (!this.#in) {
      for (let at = 0; at < this.#size; at++) yield unpack(packedAt(this.#table, at));
      return;
    }
    // Merged records follow the runs that they were merged from.
    const run = new RunReader(this.#in, this.#total * BYTES, this.#total);
    for (; run.left > 0; run.next()) yield unpack(packedAt(run.table, run.at));
  }

  /** Removes the file, if there is one. */
  close(): void {
    this.#out?.close();
    this.#in?.close();
    if (this.#out) this.#files.remove(this.#path);
    this.#out = this.#in = undefined;
  }

  #grow(): void {
    const grown = tableOf(Math.min(this.#capacity, this.#size * 2));
    grown.bytes.set(this.#table.bytes);
    this.#table = grown;
  }

  #sort(): void {
    if (this.#inOrder) return;
    const table = this.#table, sorted = tableOf(this.#size);
    const order = Uint32Array.from({ length: this.#size }, (_, at) => at)
      .sort((a, b) => compare(table, a, table, b) || a - b);
    for (let to = 0; to < order.length; to++) {
      const from = order[to]! * DOUBLES;
      for (let k = 0; k < DOUBLES; k++) sorted.doubles[to * DOUBLES + k] = table.doubles[from + k]!;
    }
    this.#table = sorted;
    this.#inOrder = true;
  }

  /** Writes what is in memory as a sorted run. */
  #spill(): void {
    if (!this.#out) {
      this.#files.remove(this.#path);
      this.#out = this.#files.append(this.#path);
      this.#in = this.#files.read(this.#path);
    }
    this.#sort();
    writeAll(this.#out, this.#table.bytes.subarray(0, this.#size * BYTES));
    this.#runs.push(this.#size);
    this.#table = tableOf(FIRST_CAPACITY);
    this.#size = 0;
    this.#inOrder = true;
  }

  /** Merges all runs into one, after them in the file. */
  #mergeRuns(): void {
    let offset = 0;
    const readers = this.#runs.map((size) => {
      const reader = new RunReader(this.#in!, offset, size);
      offset += size * BYTES;
      return reader;
    });
    const heap = new Heap(readers);
    const block = tableOf(BLOCK);
    let filled = 0;
    for (let first = heap.first; first; first = heap.first) {
      const from = first.at * DOUBLES;
      for (let k = 0; k < DOUBLES; k++) block.doubles[filled * DOUBLES + k] = first.table.doubles[from + k]!;
      if (++filled === BLOCK) {
        writeAll(this.#out!, block.bytes);
        filled = 0;
      }
      heap.next();
    }
    writeAll(this.#out!, block.bytes.subarray(0, filled * BYTES));
  }
}

/** By major, then minor, then rank. */
function compare(a: Table, i: number, b: Table, k: number): number {
  return a.doubles[i * DOUBLES]! - b.doubles[k * DOUBLES]! ||
    a.words[i * WORDS + 4]! - b.words[k * WORDS + 4]! ||
    (a.words[i * WORDS + 7]! >>> 16) - (b.words[k * WORDS + 7]! >>> 16);
}

function packedAt({ doubles, words }: Table, at: number): Packed {
  const ab = words[at * WORDS + 6]!, rc = words[at * WORDS + 7]!;
  return {
    major: doubles[at * DOUBLES]!,
    minor: words[at * WORDS + 4]!,
    rank: rc >>> 16,
    offset: doubles[at * DOUBLES + 1]!,
    length: words[at * WORDS + 5]!,
    a: ab >>> 16,
    b: ab & 0xffff,
    c: rc & 0xffff,
  };
}

/** Reads a run back block by block. */
class RunReader {
  readonly table: Table = tableOf(BLOCK);
  /** Where the current record is in the table. */
  at = 0;
  /** How many records are left, the current one included. */
  left: number;
  readonly #file: ReadFile;
  #offset: number;

  constructor(file: ReadFile, offset: number, size: number) {
    this.#file = file;
    this.#offset = offset;
    this.left = size;
    this.#fill();
  }

  next(): void {
    this.left--;
    if (++this.at === BLOCK && this.left > 0) this.#fill();
  }

  #fill(): void {
    const bytes = this.table.bytes.subarray(0, Math.min(BLOCK, this.left) * BYTES);
    if (this.#file.readAt(bytes, this.#offset) < bytes.length) {
      throw new Error("A temporary file was cut short.");
    }
    this.#offset += bytes.length;
    this.at = 0;
  }
}

/** Runs by their current record; of equal ones the earlier run comes first. */
class Heap {
  readonly #runs: { readonly reader: RunReader; readonly run: number }[] = [];

  constructor(readers: readonly RunReader[]) {
    readers.forEach((reader, run) => {
      if (reader.left === 0) return;
      this.#runs.push({ reader, run });
      for (let at = this.#runs.length - 1; at > 0;) {
        const up = (at - 1) >> 1;
        if (this.#before(up, at)) break;
        this.#swap(up, at);
        at = up;
      }
    });
  }

  /** The run whose turn it is. */
  get first(): RunReader | undefined {
    return this.#runs[0]?.reader;
  }

  /** The first record has been taken. */
  next(): void {
    const { reader } = this.#runs[0]!;
    reader.next();
    if (reader.left === 0) {
      const last = this.#runs.pop()!;
      if (this.#runs.length === 0) return;
      this.#runs[0] = last;
    }
    for (let at = 0;;) {
      const left = at * 2 + 1, right = left + 1;
      if (left >= this.#runs.length) return;
      const smaller = right < this.#runs.length && this.#before(right, left) ? right : left;
      if (this.#before(at, smaller)) return;
      this.#swap(at, smaller);
      at = smaller;
    }
  }

  #before(i: number, k: number): boolean {
    const a = this.#runs[i]!, b = this.#runs[k]!;
    return (compare(a.reader.table, a.reader.at, b.reader.table, b.reader.at) || a.run - b.run) < 0;
  }

  #swap(i: number, k: number): void {
    [this.#runs[i], this.#runs[k]] = [this.#runs[k]!, this.#runs[i]!];
  }
}
