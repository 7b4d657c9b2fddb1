/**
 * Finds a few top-level members of lines, and proves on the way that each line is one strict JSON object. It builds
 * nothing, not even what `readObject` does: for files of millions of rows of which nothing but the identities is needed.
 */
import { JsonFault, skipKey, skipSpace, skipString, skipValue, unexpected } from "./scan.ts";
import { parse } from "./object.ts";

const QUOTE = 0x22, BACKSLASH = 0x5c, COMMA = 0x2c, OPEN_BRACE = 0x7b, CLOSE_BRACE = 0x7d;

/** Looks for members with certain names, line after line. */
export class MemberScan {
  readonly #names: readonly string[];
  /** Indexes into {@link #names} by the length of the name, which is enough to distinguish most keys of a row. */
  readonly #byLength: number[][] = [];
  /** Per name, where its value begins and ends in the line scanned last; -1 if absent. */
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
    names.forEach((name, index) => (this.#byLength[name.length] ??= []).push(index));
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

  /** The bytes of the member at `index` of the names, of the line that was scanned last; `undefined` without one. */
  raw(index: number): Uint8Array | undefined {
    const from = this.#spans[2 * index]!;
    return from < 0 ? undefined : this.#line.subarray(from, this.#spans[2 * index + 1]!);
  }

  /** A member's value as a whole number; `undefined` when it is absent or something else. */
  wholeNumber(index: number): number | undefined {
    const from = this.#spans[2 * index]!;
    if (from < 0) return undefined;
    const line = this.#line, end = this.#spans[2 * index + 1]!;
    let i = from, number = 0;
    for (; i < end && i - from < 15; i++) {
      const digit = line[i]! - 0x30;
      if (digit < 0 || digit > 9) break;
      number = number * 10 + digit;
    }
    if (i === end) return number;
    // Signs, fractions, exponents: rare enough to be read the slow way.
    const value = Number(new TextDecoder().decode(this.raw(index)));
    return Number.isSafeInteger(value) ? value + 0 : undefined;
  }

  /** Notes where the wanted members of the object at `start` are. Returns the index after it. */
  #readMembers(start: number): number {
    const line = this.#line;
    let i = skipSpace(line, start + 1);
    if (line[i] === CLOSE_BRACE) return i + 1;
    for (;;) {
      // Checks the key, which may be anything until then.
      const value = skipKey(line, i);
      const index = this.#indexOf_(i);
      i = skipValue(line, value);
      if (index >= 0) {
        this.#spans[2 * index] = value;
        this.#spans[2 * index + 1] = i;
      }
      i = skipSpace(line, i);
      if (line[i] === CLOSE_BRACE) return i + 1;
      if (line[i] !== COMMA) throw unexpected(line, i);
      i = skipSpace(line, i + 1);
    }
  }

  /** The index in the names of the key, a whole string, whose quote stands at `i`, or -1. */
  #indexOf_(i: number): number {
    const line = this.#line, from = i + 1;
    let to = from;
    while (line[to] !== QUOTE) {
      // The name may be one of those wanted, spelled otherwise.
      if (line[to] === BACKSLASH) {
        return this.#names.indexOf(parse(line.subarray(i, skipString(line, i))) as string);
      }
      to++;
    }
    next: for (const index of this.#byLength[to - from] ?? []) {
      const name = this.#names[index]!;
      for (let k = 0; k < name.length; k++) {
        if (line[from + k] !== name.charCodeAt(k)) continue next;
      }
      return index;
    }
    return -1;
  }
}
