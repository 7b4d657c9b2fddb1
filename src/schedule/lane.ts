/**
 * The rows of one server that cannot start yet, and what is known of the server: whether it can be reached, since
 * when not, and when the next probe may go. One probe at a time finds out whether it is back.
 */
import { Queue } from "../kit/queue.ts";
import type { RouteQueue } from "./backlog.ts";
import { waitMs } from "./backoff.ts";
import type { Pace } from "./pace.ts";

/**
 * A probe that was not refused for so long has most likely been taken, and its answer may be an hour away: more may
 * follow it, twice as many each time, or a short outage would leave a server of slow rollouts with one at a time.
 */
const SILENCE_MS = 5000;

/** An outage of one server. */
export interface Outage {
  /** When it began. */
  readonly since: number;
  /** What happened last, in a few words. */
  readonly reason: string;
  /** No probe goes before this. */
  readonly until: number;
  /** Probes that failed. */
  readonly failed: number;
  /** The rows that are out to find out whether the server is back. */
  readonly probes: ReadonlySet<number>;
  /** When the first of these went; means nothing when there are none. */
  readonly probingSince: number;
}

/** A request that could not be sent. Times in milliseconds. */
export interface Unsent {
  /** Its row. */
  readonly row: number;
  /** What happened, in a few words. */
  readonly reason: string;
  /** How long the server asked to be left alone, at least; 0 when it asked for nothing. */
  readonly floorMs: number;
  /** How long an outage may last: its last probe goes at the end of that, not a backoff later. */
  readonly windowMs: number;
  /** The time. */
  readonly now: number;
  /** From 0 to 1, for jitter. */
  readonly chance: number;
}

/** See the module's comment. All times on one clock, in milliseconds. */
export class Lane {
  /** Rows whose request could not be sent; they go first once the server is back. */
  readonly held = new Queue<number>();
  /** Rows that have not started yet. */
  readonly queue: RouteQueue;
  /** The outage that lasts, if one does. */
  outage: Outage | undefined;
  /** Out of reach for the whole window: its rows are left undone. */
  abandoned = false;
  /** Whether the server has answered in this run. */
  heard = false;
  /** No row starts before this, since the server asked for it. Its answers to other rows do not take that back. */
  #floor = 0;
  readonly #pace: Pace | undefined;

  /**
   * A server that is not known to be out of reach.
   *
   * @param queue its rows
   * @param pace at which its connections are opened; undefined for all at once
   */
  constructor(queue: RouteQueue, pace?: Pace) {
    this.queue = queue;
    this.#pace = pace;
  }

  /** Whether a row may start now. */
  isOpen(now: number): boolean {
    if (this.abandoned || now < this.#floor) return false;
    if (!this.outage) return !this.#pace || now >= this.#pace.opensAt;
    const { probes, probingSince, until } = this.outage;
    if (probes.size === 0) return now >= until;
    return probes.size < 2 ** Math.floor((now - probingSince) / SILENCE_MS);
  }

  /** When it opens just because time passes; Infinity when it is open already, or waits for something else. */
  opensAt(now: number): number {
    if (this.abandoned) return Infinity;
    let at = this.#floor;
    if (this.outage) {
      const { probes, probingSince, until } = this.outage;
      const silence = SILENCE_MS * (Math.floor(Math.log2(probes.size)) + 1);
      at = Math.max(at, probes.size === 0 ? until : probingSince + silence);
    } else if (this.#pace) {
      at = Math.max(at, this.#pace.opensAt);
    }
    return at > now ? at : Infinity;
  }

  /** Takes the row that has waited longest. */
  take(): number | undefined {
    return this.held.shift() ?? this.queue.shift();
  }

  /** Lets go of all rows that wait here. Returns how many. */
  clear(): number {
    const { waiting } = this;
    this.queue.clear();
    while (this.held.shift() !== undefined);
    return waiting;
  }

  /** How many rows wait here. */
  get waiting(): number {
    return this.held.size + this.queue.size;
  }

  /** Where its next row stands among all that were offered: before all others if it was tried already; Infinity if none. */
  get position(): number {
    return this.held.size > 0 ? -1 : this.queue.position;
  }

  /** A row of this server is about to start; in an outage it is a probe. */
  starts(row: number, now: number): void {
    this.#pace?.starts(now);
    if (!this.outage) return;
    const { probes, probingSince } = this.outage;
    this.outage = {
      ...this.outage,
      probes: new Set(probes).add(row),
      probingSince: probes.size === 0 ? now : probingSince,
    };
  }

  /** A request to the server is over, in whatever way. */
  ends(): void {
    this.#pace?.ends();
  }

  /**
   * A request could not be sent. Rows that were sent together fail together, so only the first failure and the first
   * of probes make the wait longer.
   */
  fails({ row, reason, floorMs, windowMs, now, chance }: Unsent): void {
    const before = this.outage, since = before?.since ?? now;
    if (floorMs > 0) this.#floor = Math.max(this.#floor, now + floorMs * (1 + chance / 10));
    if (before && !before.probes.has(row)) {
      this.outage = { ...before, reason };
      return;
    }
    const failed = before ? before.failed + 1 : 0;
    const until = Math.min(now + waitMs(failed, chance), since + windowMs);
    this.outage = { since, reason, until, failed, probes: new Set(), probingSince: now };
  }

  /** The server answered a row. Returns how long the outage was that this ends, or `undefined` if it ends none. */
  answers(row: number, now: number): number | undefined {
    if (!this.outage) return undefined;
    const { since, probes } = this.outage;
    if (now >= this.#floor) {
      this.outage = undefined;
      this.#pace?.restart();
      return now - since;
    }
    const others = new Set(probes);
    others.delete(row);
    this.outage = { ...this.outage, since: now, probes: others };
    return undefined;
  }
}
