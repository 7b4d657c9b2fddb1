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
    /** For programs: the bytes are not JSON, or JSON of the wrong kind. */
    readonly code: "not_json" | "not_an_object" = "not_json",
  ) {
    super(`${reason} at byte ${offset}`);
  }
}

const QUOTE = 0x22, BACKSLASH = 0x5c, COMMA = 0x2c, COLON = 0x3a;
const OPEN_OBJECT = 0x7b, CLOSE_OBJECT = 0x7d, OPEN_ARRAY = 0x5b, CLOSE_ARRAY = 0x5d;

/** The first index at or after `i` that is not JSON white space. */
export function skipSpace(bytes: Uint8Array, i: number): number {
  for (;;) {
    const c = bytes[i];
    if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return i;
    i++;
  }
}

/** The index after the JSON value that starts at `i`. Nesting may be arbitrarily deep. */
export function skipValue(bytes: Uint8Array, i: number): number {
  // One entry per open container: the byte that closes it.
  const open: number[] = [];
  for (;;) {
    const c = bytes[i];
    if (c === QUOTE) {
      i = skipString(bytes, i);
    } else if (c === OPEN_OBJECT) {
      i = skipSpace(bytes, i + 1);
      if (bytes[i] !== CLOSE_OBJECT) {
        open.push(CLOSE_OBJECT);
        i = skipKey(bytes, i);
        continue;
      }
      i++;
    } else if (c === OPEN_ARRAY) {
      i = skipSpace(bytes, i + 1);
      if (bytes[i] !== CLOSE_ARRAY) {
        open.push(CLOSE_ARRAY);
        continue;
      }
      i++;
    } else {
      i = skipScalar(bytes, i);
    }
    for (;;) {
      const closer = open[open.length - 1];
      if (closer === undefined) return i;
      i = skipSpace(bytes, i);
      if (bytes[i] === COMMA) {
        i = skipSpace(bytes, i + 1);
        if (closer === CLOSE_OBJECT) i = skipKey(bytes, i);
        break;
      }
      if (bytes[i] !== closer) throw unexpected(bytes, i);
      open.pop();
      i++;
    }
  }
}

/** The index of the value that belongs to the object key at `i`: after the key, the colon and white space. */
export function skipKey(bytes: Uint8Array, i: number): number {
  if (bytes[i] !== QUOTE) throw unexpected(bytes, i);
  i = skipSpace(bytes, skipString(bytes, i));
  if (bytes[i] !== COLON) throw unexpected(bytes, i);
  return skipSpace(bytes, i + 1);
}

/** The index after the string whose opening quote is at `i`. */
export function skipString(bytes: Uint8Array, i: number): number {
  i++;
  for (;;) {
    const c = bytes[i];
    if (c === undefined) throw new JsonFault("a string that does not end", i);
    if (c === QUOTE) return i + 1;
    if (c === BACKSLASH) i = skipEscape(bytes, i);
    else if (c < 0x20) throw new JsonFault("a control character inside a string", i);
    else if (c < 0x80) i++;
    else i = skipUtf8(bytes, i);
  }
}

function skipEscape(bytes: Uint8Array, i: number): number {
  switch (bytes[i + 1]) {
    case 0x22: // "
    case 0x5c: // \
    case 0x2f: // /
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return i + 2;
    case 0x75: // u
      for (let k = i + 2; k < i + 6; k++) {
        if (!isHex(bytes[k])) throw new JsonFault("a broken \\u escape", i);
      }
      return i + 6;
    default:
      throw new JsonFault("an escape that JSON does not have", i);
  }
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
  const start = i;
  for (;;) {
    const c = bytes[i];
    if (c === undefined || c < 0x30 || c > 0x39) break;
    i++;
  }
  if (i === start) throw unexpected(bytes, i);
  return i;
}

/** A fault that quotes what is at `i`, so that "NaN" and a page of HTML are recognised at a glance. */
export function unexpected(bytes: Uint8Array, i: number): JsonFault {
  if (i >= bytes.length) return new JsonFault("unexpected end", bytes.length);
  if (bytes[i] === 0xef && bytes[i + 1] === 0xbb && bytes[i + 2] === 0xbf) {
    return new JsonFault("a byte-order mark", i); // invisible when quoted
  }
  const text = new TextDecoder().decode(bytes.subarray(i, i + 12));
  return new JsonFault(`unexpected ${JSON.stringify(text)}`, i);
}
