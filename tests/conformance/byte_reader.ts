/**
 * Reading a byte stream up to a mark or for a number of bytes.
 */

/** What can be read: the read half of a connection. */
export interface ByteSource {
  read(into: Uint8Array): Promise<number | null>;
}

/** A buffer over a {@linkcode ByteSource}. */
export class ByteReader {
  readonly #source: ByteSource;
  #buffer: Uint8Array<ArrayBuffer> = new Uint8Array(16 * 1024);
  #start = 0;
  #end = 0;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /**
   * The text (one character a byte) up to the mark, which is skipped; undefined if the stream ends
   * before it.
   */
  async until(mark: string): Promise<string | undefined> {
    let from = 0; // where in the unread bytes the mark could still begin
    while (true) {
      const unread = this.#buffer.subarray(this.#start, this.#end);
      const at = indexOf(unread, mark, from);
      if (at >= 0) {
        this.#start += at + mark.length;
        return String.fromCharCode(...unread.subarray(0, at));
      }
      from = Math.max(0, unread.length - mark.length + 1);
      if (!await this.#fill()) return undefined;
    }
  }

  /**
   * A copy of the next `length` bytes.
   *
   * @throws {Deno.errors.UnexpectedEof} if the stream ends before
   */
  async exactly(length: number): Promise<Uint8Array<ArrayBuffer>> {
    while (this.#end - this.#start < length) {
      if (!await this.#fill()) throw new Deno.errors.UnexpectedEof(`the stream ends inside ${length} bytes`);
    }
    const bytes = this.#buffer.slice(this.#start, this.#start + length);
    this.#start += length;
    return bytes;
  }

  async #fill(): Promise<boolean> {
    if (this.#end === this.#buffer.length) {
      const unread = this.#buffer.subarray(this.#start, this.#end);
      const larger = unread.length * 2 > this.#buffer.length;
      const buffer = larger ? new Uint8Array(this.#buffer.length * 2) : this.#buffer;
      buffer.set(unread);
      [this.#buffer, this.#start, this.#end] = [buffer, 0, unread.length];
    }
    const count = await this.#source.read(this.#buffer.subarray(this.#end));
    this.#end += count ?? 0;
    return count !== null;
  }
}

function indexOf(bytes: Uint8Array, mark: string, from: number): number {
  const first = mark.charCodeAt(0);
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    let same = 1;
    while (same < mark.length && bytes[at + same] === mark.charCodeAt(same)) same++;
    if (same === mark.length) return at;
  }
  return -1;
}
