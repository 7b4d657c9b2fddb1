/**
 * A strict, single-pass reader of JSON bytes that builds nothing: it checks that bytes are valid JSON
 * (RFC 8259, so no NaN, no raw control characters, no invalid UTF-8) and finds where values end.
 *
 * rollcall keeps rows and results as the bytes it was given, so `JSON.parse` would be the wrong tool: it
 * costs several times more, allocates the whole value, ends at V8's string limit near 512 MB, and its
 * numbers are not the numbers that were sent.
 *
 * All functions take bytes that end where the text ends (`subarray` beforehand), and throw {@link JsonFault}.
 */

/** Bytes that are not the JSON they should be. `offset` counts bytes from the start of the given array. */
export class JsonFault extends Error {
  override name = "JsonFault";
  constructor(
    /** What was found, as the end of a sentence: "unexpected end". */
    readonly reason: string,
    /** Bytes from the start. */
    readonly offset: number,
    /** For programs: the bytes are not JSON, JSON of another kind than wanted, nested deeper than allowed, or with too long a name. */
    readonly code: "not_json" | "not_an_object" | "too_deep" | "long_name" = "not_json",
  ) {
    super(`${reason} at byte ${offset}`);
  }
}

/** In bytes. Names become strings, and one of some hundred megabytes ends the process when V8 writes it. */
const LONGEST_NAME = 1 << 24;

const QUOTE = 0x22, BACKSLASH = 0x5c, COMMA = 0x2c, COLON = 0x3a;
const OPEN_OBJECT = 0x7b, CLOSE_OBJECT = 0x7d, OPEN_ARRAY = 0x5b, CLOSE_ARRAY = 0x5d;

/**
 * What a byte can be, as flags: a character of a string that stands for itself, a digit, what follows a backslash. One
 * look-up tells what several comparisons would; beyond the end of the bytes nothing is set.
 */
const PLAIN = 1, DIGIT = 2, ESCAPED = 4;
const CLASS = new Uint8Array(256).fill(PLAIN, 0x20, 0x80);
CLASS[QUOTE] = CLASS[BACKSLASH] = 0;
for (const c of "0123456789") CLASS[c.charCodeAt(0)]! |= DIGIT;
for (const c of '"\\/bfnrt') CLASS[c.charCodeAt(0)]! |= ESCAPED;

/** The first index at or after `i` that is not JSON white space. */
export function skipSpace(bytes: Uint8Array, i: number): number {
  for (;;) {
    const c = bytes[i]!;
    if (c > 0x20 || (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09)) return i;
    i++;
  }
}

/**
 * The index after the JSON value that starts at `i`.
 *
 * @param deepest how many objects and lists may stand inside one another; by default any number
 */
export function skipValue(bytes: Uint8Array, i: number, deepest = Infinity): number {
  // What closes the innermost container that is open, and one entry for each around it.
  let closer = 0;
  const outer: number[] = [];
  for (;;) {
    const c = bytes[i];
    if (c === QUOTE) {
      i = skipString(bytes, i);
    } else if (c === OPEN_OBJECT) {
      if (outer.length >= deepest) throw tooDeep(i);
      i = skipSpace(bytes, i + 1);
      if (bytes[i] !== CLOSE_OBJECT) {
        outer.push(closer);
        closer = CLOSE_OBJECT;
        i = skipKey(bytes, i);
        continue;
      }
      i++;
    } else if (c === OPEN_ARRAY) {
      if (outer.length >= deepest) throw tooDeep(i);
      i = skipSpace(bytes, i + 1);
      if (bytes[i] !== CLOSE_ARRAY) {
        outer.push(closer);
        closer = CLOSE_ARRAY;
        continue;
      }
      i++;
    } else {
      i = skipScalar(bytes, i);
    }
    for (;;) {
      if (closer === 0) return i;
      i = skipSpace(bytes, i);
      const c = bytes[i];
      if (c === COMMA) {
        i = skipSpace(bytes, i + 1);
        if (closer === CLOSE_OBJECT) i = skipKey(bytes, i);
        break;
      }
      if (c !== closer) throw unexpected(bytes, i);
      closer = outer.pop()!;
      i++;
    }
  }
}

/** The index of the value that belongs to the object key at `i`: after the key, the colon and white space. */
export function skipKey(bytes: Uint8Array, i: number): number {
  return skipColon(bytes, i, skipName(bytes, i));
}

/** The index after the object key that must stand at `i`. */
export function skipName(bytes: Uint8Array, i: number): number {
  if (bytes[i] !== QUOTE) throw unexpected(bytes, i);
  return skipString(bytes, i);
}

/** The index of the value that belongs to the key from `i` to `end`: after the colon and white space. */
export function skipColon(bytes: Uint8Array, i: number, end: number): number {
  if (end - i > LONGEST_NAME) throw new JsonFault("a member's name of more than 16 MB", i, "long_name");
  end = skipSpace(bytes, end);
  if (bytes[end] !== COLON) throw unexpected(bytes, end);
  return skipSpace(bytes, end + 1);
}

/**
 * Where the next element begins in a list, or the next member in an object, whose last one ended at `i`; the index of
 * `close` when there is none.
 */
export function skipComma(bytes: Uint8Array, i: number, close: number): number {
  i = skipSpace(bytes, i);
  if (bytes[i] === close) return i;
  if (bytes[i] !== COMMA) throw unexpected(bytes, i);
  i = skipSpace(bytes, i + 1);
  if (bytes[i] === close) throw unexpected(bytes, i);
  return i;
}

/** The index after the string whose opening quote is at `i`. */
export function skipString(bytes: Uint8Array, i: number): number {
  i++;
  for (;;) {
    let c = bytes[i]!;
    while ((CLASS[c]! & PLAIN) !== 0) c = bytes[++i]!;
    if (c === QUOTE) return i + 1;
    if (c === BACKSLASH) i = skipEscape(bytes, i);
    else if (c >= 0x80) {
      do i = skipUtf8(bytes, i); while (bytes[i]! >= 0x80);
    } else if (c === undefined) throw new JsonFault("a string that does not end", i);
    else throw new JsonFault("a control character inside a string", i);
  }
}

function skipEscape(bytes: Uint8Array, i: number): number {
  const c = bytes[i + 1]!;
  if ((CLASS[c]! & ESCAPED) !== 0) return i + 2;
  if (c !== 0x75) throw new JsonFault("an escape that JSON does not have", i);
  for (let k = i + 2; k < i + 6; k++) {
    if (!isHex(bytes[k])) throw new JsonFault("a broken \\u escape", i);
  }
  return i + 6;
}

function isHex(c: number | undefined): boolean {
  return c !== undefined &&
    ((c >= 0x30 && c <= 0x39) || (c >= 0x41 && c <= 0x46) || (c >= 0x61 && c <= 0x66));
}

/** The index after one UTF-8 sequence of two to four bytes; over-long forms and surrogates are refused. */
function skipUtf8(bytes: Uint8Array, i: number): number {
  const c = bytes[i] as number;
  const second = bytes[i + 1] ?? 0;
  if (c >= 0xc2 && c <= 0xdf) {
    if ((second & 0xc0) === 0x80) return i + 2;
  } else if (c >= 0xe0 && c <= 0xef) {
    const min = c === 0xe0 ? 0xa0 : 0x80, max = c === 0xed ? 0x9f : 0xbf;
    if (second >= min && second <= max && isTail(bytes[i + 2])) return i + 3;
  } else if (c >= 0xf0 && c <= 0xf4) {
    const min = c === 0xf0 ? 0x90 : 0x80, max = c === 0xf4 ? 0x8f : 0xbf;
    if (second >= min && second <= max && isTail(bytes[i + 2]) && isTail(bytes[i + 3])) return i + 4;
  }
  throw new JsonFault("invalid UTF-8", i);
}

function isTail(c: number | undefined): boolean {
  return c !== undefined && (c & 0xc0) === 0x80;
}

const TRUE = [0x74, 0x72, 0x75, 0x65],
  FALSE = [0x66, 0x61, 0x6c, 0x73, 0x65],
  NULL = [0x6e, 0x75, 0x6c, 0x6c];

function skipScalar(bytes: Uint8Array, i: number): number {
  switch (bytes[i]) {
    case 0x74:
      return skipWord(bytes, i, TRUE);
    case 0x66:
      return skipWord(bytes, i, FALSE);
    case 0x6e:
      return skipWord(bytes, i, NULL);
    default:
      return skipNumber(bytes, i);
  }
}

function skipWord(bytes: Uint8Array, i: number, word: readonly number[]): number {
  for (let k = 0; k < word.length; k++) {
    if (bytes[i + k] !== word[k]) throw unexpected(bytes, i);
  }
  return i + word.length;
}

function skipNumber(bytes: Uint8Array, start: number): number {
  let i = start;
  if (bytes[i] === 0x2d) i++;
  if (bytes[i] === 0x30) i++;
  else i = skipDigits(bytes, i);
  if (bytes[i] === 0x2e) i = skipDigits(bytes, i + 1);
  if (bytes[i] === 0x65 || bytes[i] === 0x45) {
    i++;
    if (bytes[i] === 0x2b || bytes[i] === 0x2d) i++;
    i = skipDigits(bytes, i);
  }
  return i;
}

/** The index after one or more digits. */
function skipDigits(bytes: Uint8Array, i: number): number {
  if ((CLASS[bytes[i]!]! & DIGIT) === 0) throw unexpected(bytes, i);
  do i++; while ((CLASS[bytes[i]!]! & DIGIT) !== 0);
  return i;
}

function tooDeep(i: number): JsonFault {
  return new JsonFault("too many values inside one another", i, "too_deep");
}

/** A fault that quotes what stands at `i`, so that "NaN" and a page of HTML are recognised at a glance. */
export function unexpected(bytes: Uint8Array, i: number): JsonFault {
  if (i >= bytes.length) return new JsonFault("unexpected end", bytes.length);
  if (bytes[i] === 0xef && bytes[i + 1] === 0xbb && bytes[i + 2] === 0xbf) {
    return new JsonFault("a byte-order mark", i); // invisible when quoted
  }
  const text = new TextDecoder().decode(bytes.subarray(i, i + 12));
  return new JsonFault(`unexpected ${JSON.stringify(text)}`, i);
}
