/** Cuts a stream of bytes into lines, however the bytes are chunked and however long a line is. */

/** One line, without its line break. */
export interface TextLine {
  /** The bytes; valid until the next chunk is pushed. */
  readonly bytes: Uint8Array;
  /** Where it begins in the stream. */
  readonly offset: number;
  /** Counts from 1, blank lines included. */
  readonly number: number;
  /** Whether a line break followed; only the last line can lack it. */
  readonly whole: boolean;
}

const NEWLINE = 0x0a;

/** Splits at LF only: a CR stays, and other Unicode line separators are ordinary text inside JSON strings. */
export class LineSplitter {
  /** The start of a line whose end has not arrived yet, in pieces, so that long lines cost no more than their length. */
  #pieces: Uint8Array[] = [];
  #kept = 0;
  #offset = 0;
  #number = 1;

  /** The lines that end in this chunk. What is left over is copied, so the chunk may be reused. */
  *push(chunk: Uint8Array): Generator<TextLine> {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const end = chunk.subarray(from, at);
      yield this.#line(this.#kept ? this.#joined(end) : end, true);
      from = at + 1;
    }
    if (from < chunk.length) {
      this.#pieces.push(chunk.slice(from));
      this.#kept += chunk.length - from;
    }
  }

  /** The last line, if the stream did not end in a line break. */
  *end(): Generator<TextLine> {
    if (this.#kept) yield this.#line(this.#joined(new Uint8Array()), false);
  }

  #line(bytes: Uint8Array, whole: boolean): TextLine {
    const line = { bytes, offset: this.#offset, number: this.#number, whole };
    this.#offset += bytes.length + 1;
    this.#number++;
    return line;
  }

  #joined(end: Uint8Array): Uint8Array {
    const whole = new Uint8Array(this.#kept + end.length);
    let at = 0;
    for (const piece of [...this.#pieces, end]) {
      whole.set(piece, at);
      at += piece.length;
    }
    this.#pieces = [];
    this.#kept = 0;
    return whole;
  }
}

/** Whether a line holds nothing but white space. */
export function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((c) => c === 0x20 || c === 0x0d || c === 0x09);
}
