/**
 * Finds a few top-level members of a line without reading the rest of it as JSON, several times faster than the strict
 * reader: a resume needs nothing but the identities of what may be millions of rows.
 */
import { JsonFault, skipSpace } from "./scan.ts";
import { MEMBER, readObject } from "./object.ts";

const QUOTE = 0x22, BACKSLASH = 0x5c, COLON = 0x3a, OPEN_BRACE = 0x7b, CLOSE_BRACE = 0x7d;

/** What a byte can be outside strings; 0 if JSON does not allow it there. */
const SPACE = 1, SCALAR = 2, OPEN = 3, CLOSE = 4, SEPARATOR = 5;
const OUTSIDE = new Uint8Array(256);
for (
  const [kind, characters] of [
    [SPACE, " \t\r:"],
    [SCALAR, "0123456789+-.eEtrufalsn"],
    [OPEN, "{["],
    [CLOSE, "}]"],
    [SEPARATOR, ","],
  ] as const
) {
  for (const character of characters) OUTSIDE[character.charCodeAt(0)] = kind;
}

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

  /**
   * Looks at a line. Returns what is wrong with it, or `undefined`.
   *
   * Detects a line that was cut off, runs into another one or was partly overwritten: braces, brackets and strings must
   * end, there may be no control characters, and outside strings only bytes that JSON allows. It does not prove that the
   * line is JSON in every detail.
   */
  scan(line: Uint8Array): string | undefined {
    this.#line = line;
    this.#spans.fill(-1);
    const end = line.length;
    let i = skipSpace(line, 0);
    if (line[i] !== OPEN_BRACE) return i < end ? "it does not begin with a brace" : "it is empty";
    let depth = 0, isKey = false, member = -1;
    while (i < end) {
      const c = line[i]!;
      if (c === QUOTE) {
        const from = ++i;
        let escapes = false;
        for (;;) {
          const q = line[i];
          if (q === QUOTE) break;
          if (q === undefined) return "it is cut off inside a string";
          if (q < 0x20) return `there is a control character at byte ${i}`;
          if (q === BACKSLASH) escapes = true;
          i += q === BACKSLASH ? 2 : 1;
        }
        if (isKey && depth === 1) {
          isKey = false;
          // Escapes may spell one of the names: left to the strict reader.
          if (escapes) return this.#scanStrictly();
          member = this.#indexOf(from, i);
          const value = skipSpace(line, i + 1);
          if (line[value] !== COLON) return `there is no colon after the key at byte ${from - 1}`;
          if (member >= 0) this.#spans[2 * member] = value + 1;
        }
        i++;
        continue;
      }
      switch (OUTSIDE[c]) {
        case OPEN:
          if (++depth === 1) isKey = true;
          break;
        case CLOSE:
          if (--depth > 0) break;
          if (c !== CLOSE_BRACE) return `there is an extra bracket at byte ${i}`;
          if (member >= 0) this.#spans[2 * member + 1] = i;
          i = skipSpace(line, i + 1);
          return i < end ? `there is more text after the object, at byte ${i}` : undefined;
        case SEPARATOR:
          if (depth > 1) break;
          isKey = true;
          if (member >= 0) this.#spans[2 * member + 1] = i;
          member = -1;
          break;
        case 0:
          return `there is a byte that is not JSON, at byte ${i}`;
      }
      i++;
    }
    return "it is cut off";
  }

  /** The bytes of the member named `names[index]` in the line scanned last; `undefined` if it has none. */
  raw(index: number): Uint8Array | undefined {
    const from = this.#spans[2 * index]!;
    if (from < 0) return undefined;
    let end = this.#spans[2 * index + 1]!;
    const start = skipSpace(this.#line, from);
    while (end > start && OUTSIDE[this.#line[end - 1]!] === SPACE) end--;
    return this.#line.subarray(start, end);
  }

  /** A member's value as a whole number; `undefined` when it is absent or something else. */
  wholeNumber(index: number): number | undefined {
    const from = this.#spans[2 * index]!;
    if (from < 0) return undefined;
    const line = this.#line, end = this.#spans[2 * index + 1]!;
    let i = skipSpace(line, from), number = 0;
    const start = i;
    for (; i < end && i - start < 15; i++) {
      const digit = line[i]! - 0x30;
      if (digit < 0 || digit > 9) break;
      number = number * 10 + digit;
    }
    if (i === end && i > start) return number;
    // Signs, fractions, exponents, trailing space: rare enough for the slow way.
    const value = Number(new TextDecoder().decode(this.raw(index)) || NaN);
    return Number.isSafeInteger(value) ? value + 0 : undefined;
  }

  #indexOf(from: number, to: number): number {
    next: for (const index of this.#byLength[to - from] ?? []) {
      const name = this.#names[index]!;
      for (let k = 0; k < name.length; k++) {
        if (this.#line[from + k] !== name.charCodeAt(k)) continue next;
      }
      return index;
    }
    return -1;
  }

  #scanStrictly(): string | undefined {
    this.#spans.fill(-1);
    try {
      const object = readObject(this.#line);
      for (let at = 0; at < object.members.length; at += MEMBER) {
        const index = this.#names.findIndex((name) => object.isNamed(at, name));
        if (index < 0) continue;
        this.#spans[2 * index] = object.members[at + 2]!;
        this.#spans[2 * index + 1] = object.members[at + 3]!;
      }
    } catch (fault) {
      if (!(fault instanceof JsonFault)) throw fault;
      return fault.message;
    }
  }
}
