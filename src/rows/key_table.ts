/** A set of 128-bit keys that numbers its members from 0, in about 25 bytes per key. */

/** A key is four whole numbers of 32 bits. */
export class KeyTable {
  #size = 0;
  /** Four numbers per key, in order of appearance. */
  #keys = new Uint32Array(4 * 64);
  /** Open addressing: the key's number plus one, 0 where free; a power of two long and at most half full. */
  #slots = new Uint32Array(128);

  get size(): number {
    return this.#size;
  }

  /** The number of a key, or -1 when absent. */
  find(a: number, b: number, c: number, d: number): number {
    return this.#slots[this.#slotOf(a, b, c, d)]! - 1;
  }

  /** The number of a key; a new one is the {@link size} from before. */
  add(a: number, b: number, c: number, d: number): number {
    const slot = this.#slotOf(a, b, c, d);
    const there = this.#slots[slot]!;
    if (there !== 0) return there - 1;
    const number = this.#size++;
    if (this.#keys.length < 4 * this.#size) this.#keys = longer(this.#keys);
    this.#keys[4 * number] = a;
    this.#keys[4 * number + 1] = b;
    this.#keys[4 * number + 2] = c;
    this.#keys[4 * number + 3] = d;
    this.#slots[slot] = number + 1;
    if (2 * this.#size > this.#slots.length) this.#grow();
    return number;
  }

  /** The slot that holds the key, or the free one where it belongs. */
  #slotOf(a: number, b: number, c: number, d: number): number {
    const keys = this.#keys, slots = this.#slots, mask = slots.length - 1;
    a >>>= 0, b >>>= 0, c >>>= 0, d >>>= 0;
    for (let slot = mix(a, b, c, d) & mask;; slot = (slot + 1) & mask) {
      const at = 4 * (slots[slot]! - 1);
      if (at < 0) return slot;
      if (keys[at] === a && keys[at + 1] === b && keys[at + 2] === c && keys[at + 3] === d) return slot;
    }
  }

  #grow(): void {
    this.#slots = new Uint32Array(2 * this.#slots.length);
    for (let number = 0; number < this.#size; number++) {
      const at = 4 * number, keys = this.#keys;
      this.#slots[this.#slotOf(keys[at]!, keys[at + 1]!, keys[at + 2]!, keys[at + 3]!)] = number + 1;
    }
  }
}

/** A copy of the array, half as large again. */
export function longer(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const more = new Uint32Array(Math.ceil(array.length * 1.5));
  more.set(array);
  return more;
}

function mix(a: number, b: number, c: number, d: number): number {
  let h = a ^ Math.imul(b, 0x9e3779b1) ^ Math.imul(c, 0x85ebca6b) ^ Math.imul(d, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return (h ^ (h >>> 16)) >>> 0;
}
