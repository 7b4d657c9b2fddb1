/**
 * Shapes of JSON values, read from their bytes: small values are parsed, large ones (prompts, responses) stay spans.
 * A shape accepts what Gym's models accept: numbers may be strings, but a closed object may not have unknown members.
 */
import { isNull } from "../json/kind.ts";
import { type JsonObject, parse, readObject } from "../json/object.ts";
import { skipSpace, skipValue } from "../json/scan.ts";

/** Reads a value of one shape from the bytes of one valid JSON value. @throws {ShapeFault} */
export type Shape<T> = (raw: Uint8Array) => T;

/** A malformed value. */
export class ShapeFault extends Error {
  override name = "ShapeFault";
}

/** A string. */
export const text: Shape<string> = (raw) => {
  const value = scalar(raw);
  if (typeof value !== "string") throw new ShapeFault("not a string");
  return value;
};

/** Any value but null, as its bytes. */
export const bytes: Shape<Uint8Array> = (raw) => raw;

/** A whole number, possibly in a string or as a boolean. */
export function whole(min = -Infinity): Shape<number> {
  return (raw) => {
    const value = real(min)(raw);
    if (!Number.isInteger(value)) throw new ShapeFault("not a whole number");
    return value + 0;
  };
}

/** A number, possibly in a string or as a boolean. */
export function real(min = -Infinity): Shape<number> {
  return (raw) => {
    const value = scalar(raw);
    const isNumber = typeof value === "number" || typeof value === "boolean" ||
      (typeof value === "string" && value.trim() !== "");
    const number = isNumber ? Number(value) : NaN;
    if (Number.isNaN(number) || number < min) throw new ShapeFault("not a number, or too small");
    return number;
  };
}

const TRUE = new Set<unknown>([true, 1, "1", "true", "t", "yes", "y", "on"]);
const FALSE = new Set<unknown>([false, 0, "0", "false", "f", "no", "n", "off"]);

/** A boolean; 0, 1 and words for true and false count. */
export const flag: Shape<boolean> = (raw) => {
  const given = scalar(raw), value = typeof given === "string" ? given.toLowerCase() : given;
  if (!TRUE.has(value) && !FALSE.has(value)) throw new ShapeFault("neither true nor false");
  return TRUE.has(value);
};

/** One of these strings. */
export function oneOf<T extends string>(...texts: readonly T[]): Shape<T> {
  return (raw) => {
    const value = scalar(raw);
    const found = texts.find((text) => text === value);
    if (found === undefined) throw new ShapeFault(`not one of ${texts.join(", ")}`);
    return found;
  };
}

/** A list. */
export function list<T>(of: Shape<T>): Shape<T[]> {
  return (raw) => elements(raw).map(of);
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
  return { shape: (raw) => isNull(raw) ? null : shape(raw), missing: () => null };
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

/** An object of these members, and no others unless it is `open`. */
export function object<T>(
  fields: { readonly [K in keyof T]: Field<T[K]> },
  { unread = {}, open = false }: ObjectOptions = {},
): Shape<T> {
  const kept = Object.entries(fields) as [string, Field<unknown>][], others = Object.entries(unread);
  const known = new Set([...kept, ...others].map(([name]) => name));
  return (raw) => {
    if (raw[0] !== 0x7b) throw new ShapeFault("not an object");
    const object = readObject(raw);
    if (!open) {
      const stranger = object.names().find((name) => !known.has(name));
      if (stranger !== undefined) throw new ShapeFault(`an unknown member: ${stranger}`);
    }
    const read: Record<string, unknown> = {};
    for (const [name, field] of kept) read[name] = member(object, name, field);
    for (const [name, field] of others) member(object, name, field);
    return read as T;
  };
}

function member<T>(object: JsonObject, name: string, { shape, missing }: Field<T>): T {
  const raw = object.raw(name);
  if (raw) return shape(raw);
  if (!missing) throw new ShapeFault(`${name} is missing`);
  return missing();
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
function scalar(raw: Uint8Array): unknown {
  return raw[0] === 0x7b || raw[0] === 0x5b ? undefined : parse(raw);
}
