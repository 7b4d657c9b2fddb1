/**
 * Shapes of JSON values, read from their bytes in one pass: small values are parsed, large ones (prompts, responses) stay
 * spans, and what nobody reads is skipped.
 * A shape accepts what Gym's models accept: numbers may be strings, but a closed object may not have unknown members.
 */
import { numberAt } from "../json/number.ts";
import { parse } from "../json/object.ts";
import { skipKey, skipSpace, skipString, skipValue } from "../json/scan.ts";

/** Where in the bytes of a valid JSON value reading stands. */
export interface Cursor {
  readonly bytes: Uint8Array;
  /** Where the next value begins. */
  at: number;
}

/** Reads the value at the cursor, which stands behind it afterwards. @throws {ShapeFault} */
export type Shape<T> = (cursor: Cursor) => T;

/** A malformed value. */
export class ShapeFault extends Error {
  override name = "ShapeFault";
}

const QUOTE = 0x22, BACKSLASH = 0x5c, BRACE = 0x7b, BRACKET = 0x5b, COMMA = 0x2c, NULL = 0x6e;

/** The value of this shape in the bytes of one valid JSON value, without white space around it. @throws {ShapeFault} */
export function readShape<T>(raw: Uint8Array, shape: Shape<T>): T {
  return shape({ bytes: raw, at: 0 });
}

/** A string. */
export const text: Shape<string> = (cursor) => {
  const from = cursor.at;
  someText(cursor);
  return stringAt(cursor.bytes, from, cursor.at);
};

/** A string that nobody reads. */
export const someText: Shape<null> = (cursor) => {
  if (cursor.bytes[cursor.at] !== QUOTE) throw new ShapeFault("not a string");
  cursor.at = skipString(cursor.bytes, cursor.at);
  return null;
};

/** Any value but null, as its bytes. */
export const bytes: Shape<Uint8Array> = (cursor) => {
  const from = cursor.at;
  anything(cursor);
  return cursor.bytes.subarray(from, cursor.at);
};

/** Any value that nobody reads. */
export const anything: Shape<null> = (cursor) => {
  cursor.at = skipValue(cursor.bytes, cursor.at);
  return null;
};

/** A whole number, possibly in a string or as a boolean. */
export function whole(min = -Infinity): Shape<number> {
  const number = real(min);
  return (cursor) => {
    const value = number(cursor);
    if (!Number.isInteger(value)) throw new ShapeFault("not a whole number");
    return value + 0;
  };
}

/** A number, possibly in a string or as a boolean. */
export function real(min = -Infinity): Shape<number> {
  return (cursor) => {
    const { bytes, at } = cursor, first = bytes[at];
    if (first === BRACE || first === BRACKET) throw new ShapeFault("not a number, or too small");
    const end = cursor.at = skipValue(bytes, at);
    const number = first === QUOTE || first === NULL
      ? inText(bytes, at, end)
      : numberAt(bytes, at, end) ?? Infinity;
    if (Number.isNaN(number) || number < min) throw new ShapeFault("not a number, or too small");
    return number;
  };
}

function inText(bytes: Uint8Array, from: number, to: number): number {
  const text = bytes[from] === QUOTE ? stringAt(bytes, from, to).trim() : "";
  return text === "" ? NaN : Number(text);
}

const TRUE = new Set<unknown>([true, 1, "1", "true", "t", "yes", "y", "on"]);
const FALSE = new Set<unknown>([false, 0, "0", "false", "f", "no", "n", "off"]);

/** A boolean; 0, 1 and words for true and false count. */
export const flag: Shape<boolean> = (cursor) => {
  const given = scalar(cursor), value = typeof given === "string" ? given.toLowerCase() : given;
  if (!TRUE.has(value) && !FALSE.has(value)) throw new ShapeFault("neither true nor false");
  return TRUE.has(value);
};

/** One of these strings, which are of plain ASCII. */
export function oneOf<T extends string>(...texts: readonly T[]): Shape<T> {
  return (cursor) => {
    const { bytes, at } = cursor;
    if (bytes[at] === QUOTE) {
      const end = cursor.at = skipString(bytes, at);
      for (const text of texts) if (isText(bytes, at, end, text)) return text;
    }
    throw new ShapeFault(`not one of ${texts.join(", ")}`);
  };
}

/** A list. */
export function list<T>(of: Shape<T>): Shape<T[]> {
  return (cursor) => {
    const { bytes } = cursor, read: T[] = [];
    if (bytes[cursor.at] !== BRACKET) throw new ShapeFault("not a list");
    let at = skipSpace(bytes, cursor.at + 1);
    while (bytes[at] !== 0x5d) {
      cursor.at = at;
      read.push(of(cursor));
      at = skipSpace(bytes, cursor.at);
      if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
    }
    cursor.at = at + 1;
    return read;
  };
}

/** A member of an object. */
export interface Field<T> {
  /** Its shape. */
  readonly shape: Shape<T>;
  /** Its value when missing; without one, it is required. */
  readonly missing?: () => T;
}

/** A required member. */
export function required<T>(shape: Shape<T>): Field<T> {
  return { shape };
}

/** An optional member that may be null. */
export function nullable<T>(shape: Shape<T>): Field<T | null> {
  return { shape: orNull(shape), missing: () => null };
}

function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return (cursor) => {
    if (cursor.bytes[cursor.at] !== NULL) return shape(cursor);
    cursor.at += 4;
    return null;
  };
}

/** An optional member that may not be null. */
export function optional<T>(shape: Shape<T>, missing: () => T): Field<T> {
  return { shape, missing };
}

/** How an object is read. */
export interface ObjectOptions {
  /** Members that are validated but not kept. */
  readonly unread?: Readonly<Record<string, Field<unknown>>>;
  /** Whether other members are allowed. */
  readonly open?: boolean;
}

/** An object of these members, and no others unless it is `open`. Of members with one name the last counts. */
export function object<T>(
  fields: { readonly [K in keyof T]: Field<T[K]> },
  { unread = {}, open = false }: ObjectOptions = {},
): Shape<T> {
  const kept = Object.entries(fields) as [string, Field<unknown>][];
  const all = [...kept, ...Object.entries(unread)];
  /** The places of names of each length. */
  const byLength: number[][] = [];
  all.forEach(([name], place) => (byLength[name.length] ??= []).push(place));

  /** The place of the key between two quotes, or -1. */
  const placeOf = (bytes: Uint8Array, from: number, to: number): number => {
    for (const place of byLength[to - from - 2] ?? []) {
      if (isText(bytes, from, to, all[place]![0])) return place;
    }
    // Names are of plain ASCII; spelled with escapes, one is longer.
    return bytes.subarray(from, to).includes(BACKSLASH)
      ? all.findIndex(([name]) => name === stringAt(bytes, from, to))
      : -1;
  };

  return (cursor) => {
    const { bytes } = cursor;
    if (bytes[cursor.at] !== BRACE) throw new ShapeFault("not an object");
    const read: Record<string, unknown> = {};
    let seen = 0, at = skipSpace(bytes, cursor.at + 1);
    while (bytes[at] !== 0x7d) {
      const end = skipString(bytes, at), place = placeOf(bytes, at, end);
      cursor.at = skipKey(bytes, at);
      if (place >= 0) {
        const value = all[place]![1].shape(cursor);
        if (place < kept.length) read[kept[place]![0]] = value;
        seen |= 1 << place;
      } else if (open) anything(cursor);
      else throw new ShapeFault(`an unknown member: ${stringAt(bytes, at, end)}`);
      at = skipSpace(bytes, cursor.at);
      if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
    }
    cursor.at = at + 1;
    for (let place = 0; place < all.length; place++) {
      if ((seen & 1 << place) !== 0) continue;
      const [name, { missing }] = all[place]!;
      if (!missing) throw new ShapeFault(`${name} is missing`);
      if (place < kept.length) read[name] = missing();
    }
    return read as T;
  };
}

/** Whether the string between two quotes is this text, of plain ASCII. */
function isText(bytes: Uint8Array, from: number, to: number, text: string): boolean {
  if (to - from - 2 !== text.length) return false;
  for (let k = 0; k < text.length; k++) if (bytes[from + 1 + k] !== text.charCodeAt(k)) return false;
  return true;
}

const decoder = new TextDecoder();

/** Up to so many characters it is cheaper to take them one by one than to call the decoder. */
const SHORT = 48;

/** The string between two quotes. */
function stringAt(bytes: Uint8Array, from: number, to: number): string {
  if (to - from - 2 <= SHORT) {
    const short = shortAt(bytes, from + 1, to - 1);
    if (short !== undefined) return short;
  }
  const raw = bytes.subarray(from, to);
  return raw.includes(BACKSLASH) ? parse(raw) as string : decoder.decode(raw.subarray(1, -1));
}

/** Plain ASCII without escapes; `undefined` for anything else. */
function shortAt(bytes: Uint8Array, from: number, to: number): string | undefined {
  let text = "", at = from;
  for (; at + 4 <= to; at += 4) {
    const a = bytes[at]!, b = bytes[at + 1]!, c = bytes[at + 2]!, d = bytes[at + 3]!;
    if ((a | b | c | d) >= 0x80 || a === BACKSLASH || b === BACKSLASH || c === BACKSLASH || d === BACKSLASH) {
      return undefined;
    }
    text += String.fromCharCode(a, b, c, d);
  }
  for (; at < to; at++) {
    const c = bytes[at]!;
    if (c >= 0x80 || c === BACKSLASH) return undefined;
    text += String.fromCharCode(c);
  }
  return text;
}

/** The bytes of a list's elements. @throws {ShapeFault} when it is not a list */
export function elements(raw: Uint8Array): Uint8Array[] {
  if (raw[0] !== 0x5b) throw new ShapeFault("not a list");
  const found: Uint8Array[] = [];
  for (let i = skipSpace(raw, 1); raw[i] !== 0x5d;) {
    const end = skipValue(raw, i);
    found.push(raw.subarray(i, end));
    i = skipSpace(raw, end);
    if (raw[i] === 0x2c) i = skipSpace(raw, i + 1);
  }
  return found;
}

/** The number in up to 15 digits; `undefined` for anything else. */
export function digitsOf(raw: Uint8Array): number | undefined {
  if (raw.length > 15) return undefined;
  let number = 0;
  for (const byte of raw) {
    if (byte < 0x30 || byte > 0x39) return undefined;
    number = number * 10 + byte - 0x30;
  }
  return number;
}

/** A value that is neither object nor list, parsed; `undefined` for those. */
function scalar(cursor: Cursor): unknown {
  const { bytes, at } = cursor, first = bytes[at];
  if (first === BRACE || first === BRACKET) return undefined;
  cursor.at = skipValue(bytes, at);
  return parse(bytes.subarray(at, cursor.at));
}
