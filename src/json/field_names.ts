/** Names of members as small numbers. Rows of one server mostly look alike, so most names need no decoding. */
import { type JsonObject, MEMBER } from "./object.ts";

/** How many names are kept; a server that invents more has the rest ignored. */
const LIMIT = 2000;

/** Names and their numbers. */
export class FieldNames {
  readonly #names: string[] = [];
  readonly #quoted: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #limit: number;

  /** @param limit how many names are kept */
  constructor(limit: number = LIMIT) {
    this.#limit = limit;
  }

  /** The name of a number. */
  name(number: number): string {
    return this.#names[number]!;
  }

  /** The name as JSON. */
  quoted(number: number): string {
    return this.#quoted[number]!;
  }

  /** The number of a name; -1 when there are too many names. */
  number(name: string): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      if (this.#names.length === this.#limit) return -1;
      number = this.#names.push(name) - 1;
      this.#quoted.push(JSON.stringify(name));
      this.#numbers.set(name, number);
    }
    return number;
  }
}

/** Looks up the members of objects that look alike: for each position it remembers the last key met there. */
export class Layout {
  readonly #names: FieldNames;
  readonly #last: { readonly key: Uint8Array; readonly number: number }[] = [];

  /** @param names where names get their numbers */
  constructor(names: FieldNames) {
    this.#names = names;
  }

  /** The number of the name of the member at `at` in {@link JsonObject.members}; -1 when there are too many. */
  at(object: JsonObject, at: number): number {
    const { bytes, members } = object;
    const from = members[at]!, length = members[at + 1]! - from, index = at / MEMBER;
    const last = this.#last[index];
    if (last && last.key.length === length) {
      let k = 0;
      while (k < length && bytes[from + k] === last.key[k]) k++;
      if (k === length) return last.number;
    }
    const number = this.#names.number(object.nameAt(at));
    // An object with a great many members is not worth remembering.
    if (index < LIMIT) this.#last[index] = { key: bytes.slice(from, from + length), number };
    return number;
  }
}

/** Whether a name is Gym's or rollcall's own bookkeeping: such members are not measurements. */
export function isBookkeeping(name: string): boolean {
  return name.startsWith("_");
}
