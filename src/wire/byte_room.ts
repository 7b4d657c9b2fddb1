/**
 * When the body of an answer may be read: answers that are being read share a room of so many bytes. One that does not
 * fit waits, and with it its server, which cannot send more than the network holds. So many large answers at once
 * cost time instead of memory.
 */

/** An answer that has asked for a place in a {@link ByteRoom}. */
export class Place {
  /** Bytes it takes, or waits for. */
  bytes: number;
  /** Resolves once it may be read, or read on; undefined when it may be now. */
  ready: Promise<void> | undefined;
  #goOn: (() => void) | undefined;

  /** Made by {@link ByteRoom.enter}. */
  constructor(bytes: number) {
    this.bytes = bytes;
  }

  /** From now on it waits. */
  halt(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ready = promise;
    this.#goOn = resolve;
  }

  /** It waits no longer. Returns whether it had. */
  goOn(): boolean {
    if (!this.#goOn) return false;
    this.#goOn();
    this.ready = this.#goOn = undefined;
    return true;
  }
}

/**
 * See the module's comment. Who comes first is let in first, and an answer larger than the room is read alone, so that
 * none waits for ever. Never more is taken than the room has, but for a piece of each answer of unknown length,
 * and for such answers that are larger than the room themselves.
 */
export class ByteRoom {
  readonly #most: number;
  #taken = 0;
  readonly #inside = new Set<Place>();
  readonly #outside = new Set<Place>();
  /** How many of those inside wait to be read on. */
  #halted = 0;

  /**
   * An empty room.
   *
   * @param most bytes, at least 1
   */
  constructor(most: number) {
    this.#most = most;
  }

  /** Bytes that are taken. */
  get taken(): number {
    return this.#taken;
  }

  /** Asks for a place for so many bytes; 0 for a length that is not known. Mind its `ready`. */
  enter(bytes: number): Place {
    const place = new Place(bytes);
    if (this.#outside.size === 0 && this.#fits(bytes)) {
      this.#inside.add(place);
      this.#taken += bytes;
    } else {
      this.#outside.add(place);
      place.halt();
    }
    return place;
  }

  /** An answer of unknown length has been read so far. Mind its `ready` before reading on. */
  grow(place: Place, bytes: number): void {
    place.bytes += bytes;
    this.#taken += bytes;
    if (this.#mayGoOn(place)) return;
    this.#halted++;
    place.halt();
  }

  /** An answer has been read and taken care of, or was given up, also while it waited. */
  leave(place: Place): void {
    if (this.#inside.delete(place)) {
      this.#taken -= place.bytes;
      if (place.goOn()) this.#halted--;
    } else if (this.#outside.delete(place)) {
      place.goOn();
    }
    if (this.#halted > 0) this.#letThoseInsideGoOn();
    for (const other of this.#outside) {
      if (!this.#fits(other.bytes)) return;
      this.#outside.delete(other);
      this.#inside.add(other);
      this.#taken += other.bytes;
      other.goOn();
    }
  }

  #fits(bytes: number): boolean {
    return this.#inside.size === 0 || this.#taken + bytes <= this.#most;
  }

  /** The first of those inside always may: its end makes room for the others. */
  #mayGoOn(place: Place): boolean {
    return this.#taken <= this.#most || this.#inside.values().next().value === place;
  }

  #letThoseInsideGoOn(): void {
    for (const place of this.#inside) {
      if (!this.#mayGoOn(place)) return;
      if (place.goOn()) this.#halted--;
    }
  }
}
