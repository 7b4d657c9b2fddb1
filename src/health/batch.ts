/** Lines that are examined together: by the command's own thread, or by a Worker, to which they are handed over. */
import { examine, type Examined } from "./examine.ts";

/** Lines of one file, without the blank ones. */
export interface Batch {
  /** Their bytes, one line after another. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where each ends in {@link bytes}. */
  readonly ends: readonly number[];
  /** The number of each in the file, from 1. */
  readonly lines: readonly number[];
  /** The file, as shown to the user. */
  readonly file: string;
  readonly fileIndex: number;
  /** The number of non-blank lines before the first, over all files. */
  readonly ordinal: number;
}

/** Who examines batches. Results are those of the lines, in their order; a batch is not to be used again. */
export interface Examiners {
  /** How many batches are worth handing over before the result of the first is there. */
  readonly width: number;
  examine(batch: Batch): Promise<readonly Examined[]>;
}

/** What is found in each line, all checks run but the ignored ones. */
export function examineBatch(batch: Batch, ignored: ReadonlySet<string>): Examined[] {
  const { bytes, ends, lines, file, fileIndex, ordinal } = batch;
  return ends.map((end, k) => {
    const source = { file, fileIndex, line: lines[k]!, ordinal: ordinal + k };
    return examine(bytes.subarray(k > 0 ? ends[k - 1] : 0, end), source, ignored);
  });
}

/** Batches are handed over once they are so large. */
const BYTES = 1 << 20;

/** Gathers lines. */
export class BatchBuilder {
  #bytes = new Uint8Array(BYTES);
  #filled = 0;
  #ends: number[] = [];
  #lines: number[] = [];

  get isEmpty(): boolean {
    return this.#ends.length === 0;
  }

  get isFull(): boolean {
    return this.#filled >= BYTES / 2;
  }

  /** Copies a line. */
  add(bytes: Uint8Array, line: number): void {
    const end = this.#filled + bytes.length;
    if (end > this.#bytes.length) {
      const more = new Uint8Array(Math.max(end, BYTES));
      more.set(this.#bytes.subarray(0, this.#filled));
      this.#bytes = more;
    }
    this.#bytes.set(bytes, this.#filled);
    this.#filled = end;
    this.#ends.push(end);
    this.#lines.push(line);
  }

  /** The lines so far, which are forgotten here. */
  take(source: Pick<Batch, "file" | "fileIndex" | "ordinal">): Batch {
    const batch = { ...source, bytes: this.#bytes, ends: this.#ends, lines: this.#lines };
    this.#bytes = new Uint8Array(BYTES);
    this.#filled = 0;
    this.#ends = [];
    this.#lines = [];
    return batch;
  }
}
