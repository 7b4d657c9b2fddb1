/** From a line of the input to an object. */
import { type JsonObject, readObject } from "../json/object.ts";
import { JsonFault, skipSpace } from "../json/scan.ts";
import { type Kind, RowFault } from "./problems.ts";

const NOT_JSON: Kind = { heading: "Lines that are not a JSON object", advice: "" };

/** One line of the input. */
export interface Line {
  /** Its bytes without the line break; a carriage return may still be at the end. */
  readonly bytes: Uint8Array;
  /** Its number, from 1 as in the file, blank lines included. */
  readonly line: number;
}

/**
 * The object that a line holds; `undefined` for a blank line. A byte-order mark before it and a carriage return
 * after it do not belong to it: two lines are the same task if the object's `bytes` are the same.
 *
 * @throws {RowFault} naming the column when the line is not exactly one JSON object.
 */
export function readRow({ bytes }: Pick<Line, "bytes">): JsonObject | undefined {
  const text = rowText(bytes);
  if (!text) return undefined;
  try {
    return readObject(text);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    // As an editor counts them: from 1, in characters, without a byte-order mark.
    const column = new TextDecoder().decode(text.subarray(0, error.offset)).length + 1;
    // An editor may not show bytes that are not text.
    const byte = /UTF-8/.test(error.reason) ? `, byte ${error.offset + 1} of the line` : "";
    throw new RowFault(NOT_JSON, `${error.reason} (column ${column}${byte})`);
  }
}

/** The bytes of a line that count: without a byte-order mark and a carriage return; `undefined` for a blank line. */
export function rowText(bytes: Uint8Array): Uint8Array | undefined {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const end = bytes[bytes.length - 1] === 0x0d ? bytes.length - 1 : bytes.length;
  const text = bytes.subarray(start, end);
  return skipSpace(text, 0) >= text.length ? undefined : text;
}
