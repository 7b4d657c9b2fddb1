/**
 * JSON whose numbers keep the text they were written with, so that 1 and 1.0 stay apart and
 * 12345678901234567890 keeps every digit.
 */

/** Any JSON value; numbers are {@linkcode Num}. */
export type Json = null | boolean | string | Num | Json[] | JsonObject;

/** A JSON object. Only own properties are members. */
export interface JsonObject {
  [key: string]: Json;
}

/** A JSON number as it was written. */
export class Num {
  constructor(readonly text: string) {}

  /** Whether it is written as a float. NaN and Infinity, which Python writes and reads, are floats too. */
  get isFloat(): boolean {
    return /[.eEnN]/.test(this.text);
  }

  /** The value in one spelling: two numbers are equal when their keys are. */
  get key(): string {
    return this.isFloat ? `f${Number(this.text)}` : `i${BigInt(this.text)}`;
  }

  /** Same kind (whole number or float) and exactly the same value; the spelling is free. */
  equals(other: Num): boolean {
    return this.key === other.key;
  }
}

const NON_FINITE = /"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g;
const MARK = "\0number:";

/**
 * Reads JSON, and like Python's reader also the bare words NaN, Infinity and -Infinity.
 *
 * @throws {SyntaxError} if the text is not JSON
 */
export function parseJson(text: string): Json {
  try {
    return JSON.parse(text, keepText as Reviver);
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) throw error;
    const marked = text.replace(NON_FINITE, (it) => it[0] === '"' ? it : JSON.stringify(MARK + it));
    return JSON.parse(marked, (key, value, context?: { source: string }) => {
      const isMarked = typeof value === "string" && value.startsWith(MARK);
      return isMarked ? new Num(value.slice(MARK.length)) : keepText(key, value, context);
    });
  }
}

/** Reads JSON; undefined if the text is none. */
export function tryParseJson(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The JSON value of a string, or the string itself if it is not JSON. */
export function parseOrText(text: string): Json {
  const value = tryParseJson(text);
  return value === undefined ? text : value; // null is a value
}

/** Bytes as text; what is not UTF-8 becomes U+FFFD, and a byte order mark stays. */
export function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

type Reviver = (key: string, value: unknown) => unknown;

function keepText(_key: string, value: unknown, context?: { source: string }): unknown {
  return typeof value === "number" ? new Num(context!.source) : value;
}

/** The value on one line, with ", " and ": " between the parts, and every number as it was written. */
export function dumps(value: Json): string {
  if (value instanceof Num) return value.text;
  if (Array.isArray(value)) return `[${value.map(dumps).join(", ")}]`;
  if (isObject(value)) {
    return `{${
      Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${dumps(item)}`).join(", ")
    }}`;
  }
  return JSON.stringify(value);
}

/** Whether the value is a JSON object. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Num);
}

/** The object with each member's value replaced. */
export function mapValues(object: JsonObject, change: (value: Json, key: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}

/** The kind of a value; kinds are never equal to each other. */
export function kindOf(value: Json): "null" | "boolean" | "string" | "number" | "array" | "object" {
  if (value === null) return "null";
  if (value instanceof Num) return "number";
  if (Array.isArray(value)) return "array";
  return typeof value as "boolean" | "string" | "object";
}

/** Python's idea of an empty value, which the recordings follow; a number never counts as empty here. */
export function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === false || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

/** The non-blank lines of a string, split at newlines only. */
export function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}
