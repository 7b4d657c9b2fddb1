/**
 * Finds a few top-level members of lines, and proves on the way that each line is one strict JSON object. It builds
 * nothing, not even what `readObject` does: for files of millions of rows of which nothing but the identities is needed.
 */
import { JsonFault, skipKey, skipSpace, skipString, skipValue, unexpected } from "./scan.ts";
import { parse } from "./object.ts";

const QUOTE = 0x22, BACKSLASH = 0x5c, COMMA = 0x2c, OPEN_BRACE = 0x7b, CLOSE_BRACE = 0x7d;

/** Looks for members of certain names, line after line. */
export class MemberScan {
  readonly #names: readonly string[];
  /** Places in {@link #names} by length of name: most keys of a row are told apart by it. */
  readonly #byLength: number[][] = [];
  /** Per name, where its value begins and ends in the line that was scanned last; -1 where there is none. */
  readonly #spans: Int32Array;
  #line: Uint8Array = new Uint8Array();

  /**
   * A scan for these members.
   *
   * @param names of members, in ASCII
   */
  constructor(names: readonly string[]) {
    this.#names = names;
    this.#spans = new Int32Array(2 * names.length);
    names.forEach((name, place) => (this.#byLength[name.length] ??= []).push(place));
  }

  /** Looks at a line. Returns why it is not a strict JSON object, or `undefined`. */
  scan(line: Uint8Array): string | undefined {
    this.#line = line;
    this.#spans.fill(-1);
    const start = skipSpace(line, 0);
    if (line[start] !== OPEN_BRACE) {
      return start < line.length ? "it does not begin with a brace" : "it is empty";
    }
    try {
      const rest = skipSpace(line, this.#readMembers(start));
      return rest < line.length ? `there is more text after the object, at byte ${rest}` : undefined;
    } catch (fault) {
      if (!(fault instanceof JsonFault)) throw fault;
      return fault.offset >= line.length ? "it is cut off" : fault.message;
    }
  }

  /** The bytes of the member at `place` of the names, of the line that was scanned last; `undefined` without one. */
  raw(place: number): Uint8Array | undefined {
    const from = this.#spans[2 * place]!;
    return from < 0 ? undefined : this.#line.subarray(from, this.#spans[2 * place + 1]!);
  }

  /** A member's value as a whole number; `undefined` when there is none or it is something else. */
  wholeNumber(place: number): number | undefined {
    const from = this.#spans[2 * place]!;
    if (from < 0) return undefined;
    const line = this.#line, end = this.#spans[2 * place + 1]!;
    let i = from, number = 0;
    for (; i < end && i - from < 15; i++) {
      const digit = line[i]! - 0x30;
      if (digit < 0 || digit > 9) break;
      number = number * 10 + digit;
    }
    if (i === end) return number;
    // Signs, fractions, exponents: rare enough to be read the slow way.
    const value = Number(new TextDecoder().decode(this.raw(place)));
    return Number.isSafeInteger(value) ? value + 0 : undefined;
  }

  /** Notes where the wanted members of the object at `start` are. Returns the index after it. */
  #readMembers(start: number): number {
    const line = this.#line;
    let i = skipSpace(line, start + 1);
    if (line[i] === CLOSE_BRACE) return i + 1;
    for (;;) {
      const place = this.#placeOf(i);
      const value = skipKey(line, i);
      i = skipValue(line, value);
      if (place >= 0) {
        this.#spans[2 * place] = value;
        this.#spans[2 * place + 1] = i;
      }
      i = skipSpace(line, i);
      if (line[i] === CLOSE_BRACE) return i + 1;
      if (line[i] !== COMMA) throw unexpected(line, i);
      i = skipSpace(line, i + 1);
    }
  }

  /** The place in the names of the key whose quote stands at `i`, or -1. */
  #placeOf(i: number): number {
    const line = this.#line, from = i + 1;
    let to = from;
    while (line[to] !== QUOTE) {
      // The name may be one of those wanted, spelled otherwise. Also at the end of the line.
      if (line[to] === BACKSLASH) {
        return this.#names.indexOf(parse(line.subarray(i, skipString(line, i))) as string);
      }
      if (to++ >= line.length) return -1;
    }
    next: for (const place of this.#byLength[to - from] ?? []) {
      const name = this.#names[place]!;
      for (let k = 0; k < name.length; k++) {
        if (line[from + k] !== name.charCodeAt(k)) continue next;
      }
      return place;
    }
    return -1;
  }
}
