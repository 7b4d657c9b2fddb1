/**
 * When the body of a response may be read further: responses being read share a limited number of bytes, charged with
 * what has arrived of them. When it is full, responses wait, and so do their servers, which cannot send more than the
 * network buffers. So many large responses at once cost time instead of memory.
 *
 * None waits forever. The first bytes of each response are always read. Beyond the limit one response at a time
 * continues; if it stays silent, the turn passes to the next. Silent responses that take twice the limit are dropped,
 * longest silence first, while others wait.
 */
import type { Clock } from "../ports/clock.ts";
import { type TimeLimit, timeLimit } from "./time_limit.ts";

/** This much of each response never waits, so that a small one needs no turn. */
const FIRST_BYTES = 1 << 16;

/** How long a response whose turn it is may stay silent. */
const SILENT_MS = 5000;

/** A response being read. */
export interface Place {
  /** More bytes of it have arrived. If it returns a promise, wait for it before reading further. */
  grow(bytes: number): Promise<void> | undefined;
  /** It has been read and handled, or was abandoned, perhaps while waiting. */
  leave(): void;
}

interface Inside {
  bytes: number;
  readonly drop: (why: string) => void;
  /** Lets it continue; undefined when it does not wait. */
  goOn: (() => void) | undefined;
}

export class ByteRoom {
  readonly #limit: number;
  readonly #clock: Clock;
  #taken = 0;
  /** Those that wait, first come first. */
  readonly #waiting = new Set<Inside>();
  /** Whose turn it is, beyond the limit. */
  #turn: Inside | undefined;
  #silence: TimeLimit | undefined;
  /** Those whose turn passed in silence, longest first, until more of them arrives. */
  readonly #silent = new Set<Inside>();

  /**
   * @param limit bytes, at least 1
   * @param clock times silences
   */
  constructor(limit: number, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Bytes in use. */
  get taken(): number {
    return this.#taken;
  }

  /** A response starts. `drop` is called, with the reason, if it has to end. */
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

  /** Lets waiting responses continue: as many as there is room for, or at least one. */
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
