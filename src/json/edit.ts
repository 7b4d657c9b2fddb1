/**
 * Changes to a JSON object as span operations: whatever is not named keeps its bytes.
 */
import { type JsonObject, MEMBER } from "./object.ts";

const encoder = new TextEncoder();
const OPEN = encoder.encode("{"), COMMA = encoder.encode(",");

/** Top-level members to set (name to the bytes of a JSON value) and to leave out. */
export interface Edits {
  /** The value replaces that of the first member of the name, in place; without one it is appended. */
  readonly set?: ReadonlyMap<string, Uint8Array>;
  /** Members with these names are removed. */
  readonly drop?: ReadonlySet<string>;
}

/**
 * The edited object, as pieces to write one after another. Later duplicates of a name that is set are
 * removed. Names are compared decoded. The pieces point into the object's own bytes where possible.
 */
export function edit(object: JsonObject, edits: Edits): Uint8Array[] {
  const { bytes, members } = object;
  const pieces: Uint8Array[] = [];
  const done = new Set<string>();
  let from = object.start; // start of the run of original bytes that is not yet in `pieces`
  let kept = 0;
  for (let at = 0; at < members.length; at += MEMBER) {
    const name = nameIn(object, at, edits);
    const gone = name !== undefined && (edits.drop?.has(name) || done.has(name));
    if (gone) {
      // Everything since the previous member's end, the comma included, goes with it; the opening brace stays.
      const before = at === 0 ? object.start : members[at - 1]!;
      if (from < before) pieces.push(bytes.subarray(from, before));
      from = members[at + 3]!;
      continue;
    }
    if (kept === 0 && at > 0) {
      // The members before it are gone: this one comes right after the brace, without its comma.
      pieces.push(OPEN);
      from = members[at]!;
    }
    kept++;
    const value = name === undefined ? undefined : edits.set?.get(name);
    if (name === undefined || value === undefined) continue;
    done.add(name);
    pieces.push(bytes.subarray(from, members[at + 2]!), value);
    from = members[at + 3]!;
  }
  if (kept === 0 && members.length > 0) pieces.push(OPEN);
  // Up to the last member's end, then what is appended, then the rest with the closing brace.
  const lastEnd = members.length ? members[members.length - 1]! : object.start + 1;
  if (from < lastEnd) pieces.push(bytes.subarray(from, lastEnd));
  for (const [name, value] of edits.set ?? []) {
    if (done.has(name)) continue;
    if (kept++ > 0) pieces.push(COMMA);
    pieces.push(keyBytes(name), value);
  }
  pieces.push(bytes.subarray(Math.max(from, lastEnd), object.end));
  return pieces;
}

/** The name of the member at `at` if it is edited. */
function nameIn(object: JsonObject, at: number, edits: Edits): string | undefined {
  for (const name of edits.set?.keys() ?? []) if (object.isNamed(at, name)) return name;
  for (const name of edits.drop ?? []) if (object.isNamed(at, name)) return name;
  return undefined;
}

const keys = new Map<string, Uint8Array>();

function keyBytes(name: string): Uint8Array {
  let bytes = keys.get(name);
  if (!bytes) keys.set(name, bytes = encoder.encode(`${JSON.stringify(name)}:`));
  return bytes;
}

/** The bytes of a value as JSON. */
export function toJson(value: unknown): Uint8Array {
  return encoder.encode(JSON.stringify(value));
}

/** The pieces as one array. */
export function join(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/**
 * Makes a JSON text one line, in place: a raw line break can only stand between tokens, so it becomes a
 * space and nothing else changes.
 */
export function onOneLine(bytes: Uint8Array): void {
  for (const lineBreak of [0x0a, 0x0d]) {
    for (let i = bytes.indexOf(lineBreak); i >= 0; i = bytes.indexOf(lineBreak, i + 1)) bytes[i] = 0x20;
  }
}
