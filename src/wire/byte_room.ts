/**
 * When the body of an answer may be read on: answers that are being read share a room of so many bytes, charged with
 * what has arrived of them. When it is full, answers wait, and with them their servers, which cannot send more than the
 * network holds. So many large answers at once cost time instead of memory.
 *
 * None waits for ever. The first bytes of each answer are read in any case. Beyond the room one answer at a time goes
 * on; while it stays silent the turn goes on to the next one. Answers that are silent and fill the room twice over are
 * dropped, longest silence first, while others wait.
 */
import type { Clock } from "../ports/clock.ts";
import { type TimeLimit, timeLimit } from "./time_limit.ts";

/** So much of each answer never waits, so that a small one needs no turn. */
const FIRST_BYTES = 1 << 16;

/** How long an answer whose turn it is may stay silent. */
const SILENT_MS = 5000;

/** An answer that is being read. */
export interface Place {
  /** So many more bytes of it have arrived. What it returns, if anything, is to be waited for before it is read on. */
  grow(bytes: number): Promise<void> | undefined;
  /** It has been read and taken care of, or was given up, also while it waited. */
  leave(): void;
}

interface Inside {
  bytes: number;
  readonly drop: (why: string) => void;
  /** Lets it read on; undefined when it does not wait. */
  goOn: (() => void) | undefined;
}

/** See the module's comment. */
export class ByteRoom {
  readonly #limit: number;
  readonly #clock: Clock;
  #taken = 0;
  /** Those that wait, who came first first. */
  readonly #waiting = new Set<Inside>();
  /** Whose turn it is, beyond the room. */
  #turn: Inside | undefined;
  #silence: TimeLimit | undefined;
  /** Those whose turn went by in silence, longest first, until they are heard of again. */
  readonly #silent = new Set<Inside>();

  /**
   * An empty room.
   *
   * @param limit bytes, at least 1
   * @param clock times silences
   */
  constructor(limit: number, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Bytes that are taken. */
  get taken(): number {
    return this.#taken;
  }

  /** An answer begins. `drop` is called when it has to end, with the reason. */
  enter(drop: (why: string) => void): Place {
    const inside: Inside = { bytes: 0, drop, goOn: undefined };
    return {
      grow: (bytes) => this.#grow(inside, bytes),
      leave: () => this.#leave(inside),
    };
  }

  #grow(inside: Inside, bytes: number): Promise<void> | undefined {
    inside.bytes += bytes;
    this.#taken += bytes;
    this.#silent.delete(inside);
    if (inside === this.#turn) this.#silence?.restart();
    if (this.#taken <= this.#limit || inside.bytes <= FIRST_BYTES || inside === this.#turn) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    inside.goOn = resolve;
    this.#waiting.add(inside);
    this.#letOn();
    return this.#waiting.has(inside) ? promise : undefined;
  }

  #leave(inside: Inside): void {
    this.#taken -= inside.bytes;
    inside.bytes = 0;
    this.#silent.delete(inside);
    this.#waiting.delete(inside);
    if (inside === this.#turn) this.#endTurn();
    this.#letOn();
  }

  /** Whoever may go on now does: as many as there is room for, or else one. */
  #letOn(): void {
    let room = this.#limit - this.#taken;
    for (const next of this.#waiting) {
      if (room > 0) room -= FIRST_BYTES;
      else if (this.#turn) return;
      else {
        this.#turn = next;
        this.#silence = timeLimit(this.#clock, SILENT_MS, () => this.#passOn());
      }
      this.#waiting.delete(next);
      next.goOn!();
      next.goOn = undefined;
    }
  }

  #passOn(): void {
    this.#silent.add(this.#turn!);
    this.#endTurn();
    if (this.#waiting.size === 0) return;
    let over = this.#taken - 2 * this.#limit;
    for (const longest of this.#silent) {
      if (over <= 0) break;
      over -= longest.bytes;
      this.#silent.delete(longest);
      longest.drop(
        `silent for ${SILENT_MS / 1000} s while others waited for max_buffered_bytes=${this.#limit}`,
      );
    }
    this.#letOn();
  }

  #endTurn(): void {
    this.#turn = undefined;
    this.#silence?.cancel();
    this.#silence = undefined;
  }
}
