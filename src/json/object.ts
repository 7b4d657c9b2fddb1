/**
 * One JSON object as bytes with the spans of its top-level members: the shape in which rows and results
 * travel through rollcall. Members are parsed only on demand; writing goes through `edit.ts`, which
 * copies spans and never reserializes.
 */
import { JsonFault, skipColon, skipName, skipSpace, skipValue, unexpected } from "./scan.ts";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** How many numbers in {@link JsonObject.members} describe one member. */
export const MEMBER = 4;

/** A valid JSON object inside `bytes`. Make one with {@link readObject}. */
export class JsonObject {
  /** Takes spans as they are; {@link readObject} finds them. */
  constructor(
    /** The bytes that all spans count in. Not copied: do not reuse the buffer while the object lives. */
    readonly bytes: Uint8Array,
    /** Index of the opening brace. */
    readonly start: number,
    /** Index after the closing brace. */
    readonly end: number,
    /** Per member: index of the key's opening quote, after its closing quote, value start, value end. */
    readonly members: readonly number[],
  ) {}

  /** Whether there is a member with that name, `null` included. */
  has(name: string): boolean {
    return this.#last(name) >= 0;
  }

  /** The bytes of a member's value. Of several members with one name the last counts, as JSON readers do. */
  raw(name: string): Uint8Array | undefined {
    const at = this.#last(name);
    return at < 0 ? undefined : this.bytes.subarray(this.members[at + 2], this.members[at + 3]);
  }

  /** A member's value, parsed; `undefined` when there is no such member. */
  value(name: string): unknown {
    const raw = this.raw(name);
    return raw && parse(raw);
  }

  /** The names of all members in order, decoded; a repeated name is listed each time. */
  names(): string[] {
    const names: string[] = [];
    for (let at = 0; at < this.members.length; at += MEMBER) names.push(this.nameAt(at));
    return names;
  }

  /** The decoded name of the member whose description starts at `at` in {@link members}. */
  nameAt(at: number): string {
    return parse(this.bytes.subarray(this.members[at], this.members[at + 1])) as string;
  }

  /** The object's own bytes, from brace to brace. */
  text(): Uint8Array {
    return this.bytes.subarray(this.start, this.end);
  }

  #last(name: string): number {
    for (let at = this.members.length - MEMBER; at >= 0; at -= MEMBER) {
      if (this.isNamed(at, name)) return at;
    }
    return -1;
  }

  /** Whether the member at `at` has this name, decoded: `"\u0061"` is `a`. */
  isNamed(at: number, name: string): boolean {
    const from = this.members[at]! + 1, length = this.members[at + 1]! - 1 - from;
    if (length < name.length) return false; // decoding never makes a key longer
    for (let k = 0; k < length; k++) {
      const c = this.bytes[from + k]!;
      if (c === 0x5c || c >= 0x80) return this.nameAt(at) === name;
      if (c !== name.charCodeAt(k)) return false;
    }
    return true;
  }
}

/**
 * Reads bytes that must hold exactly one JSON object, white space around it allowed.
 *
 * @param deepest how many objects and lists may stand inside one another, this one included; by default any number
 * @param readMember reads a value on the way, so that it is not gone through twice: given where its key begins and ends
 * and where the value begins, it returns where that ends, or `undefined` for values that it does not read. What it
 * passes over it must have proven to be JSON.
 * @throws {JsonFault} when they do not: another kind of value, a second value, a byte-order mark, anything
 * that is not strict JSON.
 */
export function readObject(
  bytes: Uint8Array,
  deepest = Infinity,
  readMember?: (key: number, keyEnd: number, value: number) => number | undefined,
): JsonObject {
  const start = skipSpace(bytes, 0);
  if (bytes[start] !== 0x7b) {
    // Another kind of JSON value gets a fault of its own.
    const rest = skipSpace(bytes, skipValue(bytes, start));
    throw rest < bytes.length
      ? new JsonFault("more text after the value", rest)
      : new JsonFault("a value that is not an object", start, "not_an_object");
  }
  const members: number[] = [];
  let i = skipSpace(bytes, start + 1);
  if (bytes[i] === 0x7d) {
    i++;
  } else {
    for (;;) {
      const keyEnd = skipName(bytes, i);
      const value = skipColon(bytes, i, keyEnd);
      const valueEnd = readMember?.(i, keyEnd, value) ?? skipValue(bytes, value, deepest - 1);
      members.push(i, keyEnd, value, valueEnd);
      i = skipSpace(bytes, valueEnd);
      if (bytes[i] === 0x7d) break;
      if (bytes[i] !== 0x2c) throw unexpected(bytes, i);
      i = skipSpace(bytes, i + 1);
    }
    i++;
  }
  const rest = skipSpace(bytes, i);
  if (rest < bytes.length) throw new JsonFault("more text after the object", rest);
  return new JsonObject(bytes, start, i, members);
}

/** The string in the bytes of one JSON value; `undefined` for any other value, and for no bytes. */
export function stringOf(raw: Uint8Array | undefined): string | undefined {
  return raw?.[0] === 0x22 ? parse(raw) as string : undefined;
}

/** Parses the bytes of one JSON value. */
export function parse(raw: Uint8Array): unknown {
  return JSON.parse(decoder.decode(raw));
}
