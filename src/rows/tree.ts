/**
 * JSON as a tree that keeps what `JSON.parse` loses: the text of numbers and the order of members whose names
 * look like numbers. For the few values whose text Python would have written; rows themselves stay bytes.
 */
import { DEEPEST_RESULT } from "../json/depth.ts";
import { parse } from "../json/object.ts";
import { JsonFault, skipKey, skipSpace, skipString, skipValue } from "../json/scan.ts";

/** A number as it is written. */
export class NumberText {
  /** Takes the text as it is. */
  constructor(
    /** As it stands in the JSON. */
    readonly text: string,
  ) {}
}

/** A string that keeps its bytes: writing one of some hundred megabytes as JSON ends the process in V8. */
export class LongText {
  /** @param json as it stands in the JSON, from quote to quote; not copied */
  constructor(readonly json: Uint8Array) {}

  /** @throws {TypeError} when it is longer than a string can be, some 512 MB */
  text(): string {
    return parse(this.json) as string;
  }
}

/** A JSON value. Of members with one name the last value counts, in the position of the first. */
export type Tree = null | boolean | string | LongText | NumberText | Tree[] | Map<string, Tree>;

const ascii = new TextDecoder();

/** Whether a value is a string, of whatever length. */
export function isText(value: Tree | undefined): value is string | LongText {
  return typeof value === "string" || value instanceof LongText;
}

/**
 * Reads the bytes of one JSON value, which must be valid JSON.
 *
 * @param longest strings whose JSON has more bytes are {@link LongText}
 * @throws {JsonFault} when it is nested deeper than a result may be; no part of a result is.
 */
export function readTree(json: Uint8Array, longest = Infinity): Tree {
  return valueAt({ json, longest }, skipSpace(json, 0), 0)[0];
}

interface Source {
  readonly json: Uint8Array;
  readonly longest: number;
}

/** The value at `i` and the index after it. */
function valueAt(source: Source, i: number, depth: number): [Tree, number] {
  const { json, longest } = source;
  if (depth > DEEPEST_RESULT) throw new JsonFault(`more than ${DEEPEST_RESULT} values inside one another`, i);
  switch (json[i]) {
    case 0x7b:
      return objectAt(source, i, depth);
    case 0x5b:
      return arrayAt(source, i, depth);
    default: {
      const end = skipValue(json, i);
      const c = json[i]!;
      const isNumber = c === 0x2d || (c >= 0x30 && c <= 0x39);
      const raw = json.subarray(i, end);
      if (isNumber) return [new NumberText(ascii.decode(raw)), end];
      return [c === 0x22 && raw.length > longest ? new LongText(raw) : parse(raw) as Tree, end];
    }
  }
}

function objectAt(source: Source, i: number, depth: number): [Tree, number] {
  const { json } = source;
  const members = new Map<string, Tree>();
  i = skipSpace(json, i + 1);
  while (json[i] !== 0x7d) {
    const name = parse(json.subarray(i, skipString(json, i))) as string;
    const [value, end] = valueAt(source, skipKey(json, i), depth + 1);
    members.set(name, value);
    i = afterComma(json, end);
  }
  return [members, i + 1];
}

function arrayAt(source: Source, i: number, depth: number): [Tree, number] {
  const { json } = source;
  const items: Tree[] = [];
  i = skipSpace(json, i + 1);
  while (json[i] !== 0x5d) {
    const [value, end] = valueAt(source, i, depth + 1);
    items.push(value);
    i = afterComma(json, end);
  }
  return [items, i + 1];
}

function afterComma(json: Uint8Array, i: number): number {
  i = skipSpace(json, i);
  return json[i] === 0x2c ? skipSpace(json, i + 1) : i;
}
