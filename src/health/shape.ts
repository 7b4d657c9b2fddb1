/**
 * Shapes of JSON values, read from their bytes in one pass: small values are parsed, large ones (prompts, responses) stay
 * spans, and what nobody reads is skipped.
 * A shape accepts what Gym's models accept: numbers may be strings, but a closed object may not have unknown members.
 */
import { numberAt } from "../json/number.ts";
import { parse } from "../json/object.ts";
import { skipColon, skipComma, skipName, skipSpace, skipString, skipValue } from "../json/scan.ts";
import { isAt, isText, stringAt } from "../json/text_at.ts";

/** Where in bytes of JSON reading stands. */
export interface Cursor {
  readonly bytes: Uint8Array;
  /** Where the next value begins. */
  at: number;
}

/**
 * Reads the value at the cursor, which stands behind it afterwards; what lies between is valid JSON then.
 *
 * @throws {ShapeFault} for another shape
 * @throws {JsonFault} for what is not JSON
 */
export type Shape<T> = (cursor: Cursor) => T;

/** A malformed value. */
export class ShapeFault extends Error {
  override name = "ShapeFault";
}

const QUOTE = 0x22,
  BACKSLASH = 0x5c,
  BRACE = 0x7b,
  CLOSE_BRACE = 0x7d,
  BRACKET = 0x5b,
  CLOSE_BRACKET = 0x5d,
  NULL = 0x6e;

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

/** A number that nobody reads. */
export function someReal(min = -Infinity): Shape<null> {
  const number = real(min);
  return (cursor) => {
    const first = cursor.bytes[cursor.at]!;
    if (first >= 0x30 && first <= 0x39) return anything(cursor); // is not below 0
    number(cursor);
    return null;
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
    while (bytes[at] !== CLOSE_BRACKET) {
      cursor.at = at;
      read.push(of(cursor));
      at = skipComma(bytes, cursor.at, CLOSE_BRACKET);
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
  return { shape: nullOr(shape), missing: () => null };
}

/** Null, or a value of this shape. */
export function nullOr<T>(shape: Shape<T>): Shape<T | null> {
  return (cursor) => {
    if (cursor.bytes[cursor.at] !== NULL) return shape(cursor);
    cursor.at = skipValue(cursor.bytes, cursor.at);
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
  const keys = all.map(([name]) => new TextEncoder().encode(`"${name}"`));
  /** The place of the member that came after each one lately, and of the first before them: mostly it does so again. */
  const next = new Uint8Array(all.length + 1);
  const everything = 2 ** all.length - 1;
  /** The places of names of each length. */
  const byLength: number[][] = [];
  all.forEach(([name], place) => (byLength[name.length] ??= []).push(place));

  /** The place of the key between two quotes, or -1. */
  const placeOf = (bytes: Uint8Array, from: number, to: number): number => {
    const places = byLength[to - from - 2];
    if (places) { for (const place of places) if (isText(bytes, from, to, all[place]![0])) return place; }
    // Names are of plain ASCII; spelled with escapes, one is longer.
    return bytes.subarray(from, to).includes(BACKSLASH)
      ? all.findIndex(([name]) => name === stringAt(bytes, from, to))
      : -1;
  };

  return (cursor) => {
    const { bytes } = cursor;
    if (bytes[cursor.at] !== BRACE) throw new ShapeFault("not an object");
    const read: Record<string, unknown> = {};
    let seen = 0, last = 0, at = skipSpace(bytes, cursor.at + 1);
    while (bytes[at] !== CLOSE_BRACE) {
      let place = next[last]!, end = at + keys[place]!.length;
      if (!isAt(bytes, at, keys[place]!)) {
        end = skipName(bytes, at);
        place = placeOf(bytes, at, end);
        if (place >= 0) next[last] = place;
      }
      last = place + 1;
      cursor.at = skipColon(bytes, at, end);
      if (place >= 0) {
        const value = all[place]![1].shape(cursor);
        if (place < kept.length) read[kept[place]![0]] = value;
        seen |= 1 << place;
      } else if (open) anything(cursor);
      else throw new ShapeFault(`an unknown member: ${stringAt(bytes, at, end)}`);
      at = skipComma(bytes, cursor.at, CLOSE_BRACE);
    }
    cursor.at = at + 1;
    for (let place = 0; seen !== everything && place < all.length; place++) {
      if ((seen & 1 << place) !== 0) continue;
      const [name, { missing }] = all[place]!;
      if (!missing) throw new ShapeFault(`${name} is missing`);
      if (place < kept.length) read[name] = missing();
    }
    return read as T;
  };
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
