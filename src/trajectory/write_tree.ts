/** A tree as JSON. */
import { LongText, NumberText, type Tree } from "../rows/tree.ts";
import { RawObject } from "./raw_object.ts";

const encoder = new TextEncoder();

/** Text is encoded once so much of it has come together. */
const PIECE = 1 << 16;

/** The tree as JSON, in pieces to write one after another. What keeps its bytes is a piece as it is. */
export function piecesOf(tree: Tree): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let text = "";
  const flush = () => {
    if (text) pieces.push(encoder.encode(text));
    text = "";
  };
  const write = (value: Tree): void => {
    if (value instanceof RawObject || value instanceof LongText) {
      flush();
      pieces.push(value.json);
    } else if (value instanceof NumberText) {
      text += value.text;
    } else if (Array.isArray(value)) {
      text += "[";
      for (const [k, item] of value.entries()) {
        if (k > 0) text += ",";
        write(item);
      }
      text += "]";
    } else if (value instanceof Map) {
      text += "{";
      let isFirst = true;
      for (const [name, item] of value) {
        text += `${isFirst ? "" : ","}${JSON.stringify(name)}:`;
        isFirst = false;
        write(item);
      }
      text += "}";
    } else {
      text += JSON.stringify(value);
    }
    if (text.length > PIECE) flush();
  };
  write(tree);
  flush();
  return pieces;
}
