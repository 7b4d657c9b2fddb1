/**
 * JSON values that keep their bytes. A capture holds whole conversations, and most of it only passes through: as a tree
 * it would take several times its size.
 */
import { type JsonObject, readObject } from "../json/object.ts";
import { skipSpace, skipValue } from "../json/scan.ts";
import { readTree, type Tree } from "../rows/tree.ts";

/** A string whose JSON is longer keeps its bytes. */
const LONGEST = 1 << 24;

/** An object of a tree that is read only where it is looked into, again each time, and cannot be changed. */
export class RawObject extends Map<string, Tree> {
  /** The object, from brace to brace. */
  readonly json: Uint8Array;
  #object: JsonObject | undefined;

  /** @param object one that was read already, or the bytes of a valid one, without white space around it; not copied */
  constructor(object: JsonObject | Uint8Array) {
    super();
    if (object instanceof Uint8Array) this.json = object;
    else this.json = (this.#object = object).text();
  }

  get #members(): JsonObject {
    return this.#object ??= readObject(this.json);
  }

  override get(name: string): Tree | undefined {
    const raw = this.#members.raw(name);
    return raw && rawTree(raw);
  }

  override has(name: string): boolean {
    return this.#members.has(name);
  }

  override get size(): number {
    return new Set(this.#members.names()).size;
  }

  override keys(): MapIterator<string> {
    return new Map(this.#members.names().map((name) => [name, null])).keys();
  }

  override entries(): MapIterator<[string, Tree]> {
    return this.#read().entries();
  }

  override values(): MapIterator<Tree> {
    return this.#read().values();
  }

  override forEach(call: (value: Tree, name: string, map: Map<string, Tree>) => void): void {
    for (const [name, value] of this) call(value, name, this);
  }

  override [Symbol.iterator](): MapIterator<[string, Tree]> {
    return this.entries();
  }

  override set(): never {
    throw new TypeError("an object that keeps its bytes cannot be changed");
  }

  override delete(): never {
    return this.set();
  }

  override clear(): never {
    return this.set();
  }

  #read(): Map<string, Tree> {
    return new Map([...this.keys()].map((name) => [name, this.get(name)!]));
  }
}

/**
 * A value whose objects and long strings keep their bytes.
 *
 * @param raw the bytes of one valid JSON value, without white space around it
 */
export function rawTree(raw: Uint8Array): Tree {
  if (raw[0] === 0x7b) return new RawObject(raw);
  return raw[0] === 0x5b ? itemsOf(raw) : readTree(raw, LONGEST);
}

function itemsOf(raw: Uint8Array): Tree[] {
  const items: Tree[] = [];
  for (let i = skipSpace(raw, 1); raw[i] !== 0x5d;) {
    const end = skipValue(raw, i);
    const item = raw.subarray(i, end);
    // A list in a list is read at once: otherwise each level would be scanned again for the next.
    items.push(item[0] === 0x5b ? readTree(item, LONGEST) : rawTree(item));
    i = skipSpace(raw, end);
    if (raw[i] === 0x2c) i = skipSpace(raw, i + 1);
  }
  return items;
}
