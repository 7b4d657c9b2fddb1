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

/** A JSON value. Of members with one name the last value counts, in the position of the first. */
export type Tree = null | boolean | string | NumberText | Tree[] | Map<string, Tree>;

const ascii = new TextDecoder();

/**
 * Reads the bytes of one JSON value, which must be valid JSON.
 *
 * @throws {JsonFault} when it is nested deeper than a result may be; no part of a result is.
 */
export function readTree(json: Uint8Array): Tree {
  return valueAt(json, skipSpace(json, 0), 0)[0];
}

/** The value at `i` and the index after it. */
function valueAt(json: Uint8Array, i: number, depth: number): [Tree, number] {
  if (depth > DEEPEST_RESULT) throw new JsonFault(`more than ${DEEPEST_RESULT} values inside one another`, i);
  switch (json[i]) {
    case 0x7b:
      return objectAt(json, i, depth);
    case 0x5b:
      return arrayAt(json, i, depth);
    default: {
      const end = skipValue(json, i);
      const c = json[i]!;
      const isNumber = c === 0x2d || (c >= 0x30 && c <= 0x39);
      const raw = json.subarray(i, end);
      return [isNumber ? new NumberText(ascii.decode(raw)) : parse(raw) as Tree, end];
    }
  }
}

function objectAt(json: Uint8Array, i: number, depth: number): [Tree, number] {
  const members = new Map<string, Tree>();
  i = skipSpace(json, i + 1);
  while (json[i] !== 0x7d) {
    const name = parse(json.subarray(i, skipString(json, i))) as string;
    const [value, end] = valueAt(json, skipKey(json, i), depth + 1);
    members.set(name, value);
    i = afterComma(json, end);
  }
  return [members, i + 1];
}

function arrayAt(json: Uint8Array, i: number, depth: number): [Tree, number] {
  const items: Tree[] = [];
  i = skipSpace(json, i + 1);
  while (json[i] !== 0x5d) {
    const [value, end] = valueAt(json, i, depth + 1);
    items.push(value);
    i = afterComma(json, end);
  }
  return [items, i + 1];
}

function afterComma(json: Uint8Array, i: number): number {
  i = skipSpace(json, i);
  return json[i] === 0x2c ? skipSpace(json, i + 1) : i;
}
