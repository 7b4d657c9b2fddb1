/**
 * Values as Gym's records take them. Its models convert what is close to the wanted type: 3.0 and "3" are the whole
 * number 3, 1000 is the float 1000.0, "yes" is true. Anything else makes the whole record invalid.
 */
import { float, number as written } from "../rows/python.ts";
import { isText, type LongText, NumberText, type Tree } from "../rows/tree.ts";

/** A value that a record cannot hold. */
export class Misfit extends Error {
  override readonly name = "Misfit";

  constructor(
    message: string,
    /** The class that Gym's error would have: gaps name it. */
    readonly kind: "ValidationError" | "TypeError" | "AttributeError" = "ValidationError",
  ) {
    super(message);
  }
}

/** Takes a value that is there and not null, in the form in which it is written. @throws {Misfit} */
export type Taker<T extends Tree = Tree> = (value: Tree) => T;

/** What `take` makes of a value; null for one that is absent or null. */
export function optional<T extends Tree>(value: Tree | undefined, take: Taker<T>): T | null {
  return value === undefined || value === null ? null : take(value);
}

/** A string that is an id, a name or a word: none is so long that it keeps its bytes. */
export const string: Taker<string> = (value) => {
  if (typeof value !== "string") throw new Misfit("not a string");
  return value;
};

/** A string that says something, of whatever length. */
export const text: Taker<string | LongText> = (value) => {
  if (!isText(value)) throw new Misfit("not a string");
  return value;
};

/** A whole number. */
export const whole: Taker<NumberText> = (value) => {
  if (typeof value === "boolean") return new NumberText(value ? "1" : "0");
  if (value instanceof NumberText) {
    if (/^-?\d+$/.test(value.text)) return new NumberText(String(BigInt(value.text)));
    const n = Number(value.text);
    if (Number.isInteger(n)) return new NumberText(String(BigInt(n)));
  }
  const [, digits] = typeof value === "string" ? /^\s*([+-]?\d+)(?:\.0*)?\s*$/.exec(value) ?? [] : [];
  if (digits === undefined) throw new Misfit("not a whole number");
  return new NumberText(String(BigInt(digits.replace("+", ""))));
};

/** A float. */
export const decimal: Taker<NumberText> = (value) => {
  const text = typeof value === "boolean"
    ? String(Number(value))
    : value instanceof NumberText
    ? value.text
    : typeof value === "string"
    ? value.trim()
    : "";
  const n = isDecimal(text) ? Number(text) : NaN;
  if (!Number.isFinite(n)) throw new Misfit("not a number");
  return new NumberText(float(n));
};

/** A float that is not negative. */
export const amount: Taker<NumberText> = (value) => notNegative(decimal(value));

/** A whole number that is not negative. */
export const count: Taker<NumberText> = (value) => notNegative(whole(value));

const TRUE = new Set(["1", "on", "t", "true", "y", "yes"]),
  FALSE = new Set(["0", "off", "f", "false", "n", "no"]);

/** True or false. */
export const truth: Taker<boolean> = (value) => {
  if (typeof value === "boolean") return value;
  const text = value instanceof NumberText
    ? String(Number(value.text))
    : typeof value === "string"
    ? value.toLowerCase()
    : "";
  if (TRUE.has(text)) return true;
  if (FALSE.has(text)) return false;
  throw new Misfit("neither true nor false");
};

/** One of these strings. */
export function oneOf(...words: readonly string[]): Taker<string> {
  return (value) => {
    if (typeof value === "string" && words.includes(value)) return value;
    throw new Misfit(`not one of ${words.join(", ")}`);
  };
}

/** A list of what `take` takes. */
export function list<T extends Tree>(take: Taker<T>): Taker<T[]> {
  return (value) => {
    if (!Array.isArray(value)) throw new Misfit("not a list");
    return value.map(take);
  };
}

/** An object. */
export const object: Taker<Map<string, Tree>> = (value) => {
  if (!(value instanceof Map)) throw new Misfit("not an object");
  return value;
};

/** Whether Python takes a value as true: neither null, false, zero nor empty. */
export function isTruthy(value: Tree | undefined): boolean {
  if (value instanceof NumberText) return Number(value.text) !== 0;
  if (Array.isArray(value)) return value.length > 0;
  return value instanceof Map ? value.size > 0 : Boolean(value);
}

/** A number as Python writes the one that it reads. */
export function asRead(value: NumberText): NumberText {
  return new NumberText(written(value.text));
}

function isDecimal(text: string): boolean {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
}

function notNegative(value: NumberText): NumberText {
  if (Number(value.text) < 0) throw new Misfit("negative");
  return value;
}
