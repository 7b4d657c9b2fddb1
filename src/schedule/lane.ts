/**
 * One server: its rows that cannot start yet, and whether it can be reached. While it cannot, one probe at a time finds
 * out whether it is back; once it is, it gets more and more rows (`ramp.ts`).
 */
import { Queue } from "../kit/queue.ts";
import type { AutoWidth } from "./auto_width.ts";
import type { RouteQueue } from "./backlog.ts";
import { waitMs } from "./backoff.ts";
import { DueRows } from "./due_rows.ts";
import type { Opening } from "./opening.ts";
import { Ramp } from "./ramp.ts";
import type { StartRate } from "./start_rate.ts";
import { type OutageCost, TurnedAway } from "./turned_away.ts";

/** An outage of one server. */
export interface Outage {
  /** When it began. */
  readonly since: number;
  /** What happened last, in a few words. */
  readonly reason: string;
  /** No probe is sent before this. */
  readonly until: number;
  /** Probes that failed. */
  readonly failed: number;
  /** Whether something in front of the server turned a row away during it. */
  readonly turnedAway: boolean;
}

/** A request that the server did not take. Times in milliseconds. */
export interface Unsent {
  readonly row: number;
  /** What happened, in a few words. */
  readonly reason: string;
  /** How long the server asked to be left alone, at least; 0 when it asked for nothing. */
  readonly floorMs: number;
  /** How long an outage may last: its last probe goes at the end of that, not a backoff later. */
  readonly windowMs: number;
  /** Whether something in front of the server answered in its place. */
  readonly turnedAway: boolean;
  readonly now: number;
  /** From 0 to 1, for jitter. */
  readonly chance: number;
}

/** What a lane needs. */
export interface LaneOptions {
  /** The server's rows that have not started. */
  readonly queue: RouteQueue;
  /** How many rows may be in flight there. */
  readonly maxInFlight: number;
  /** Its connections that are under way; undefined for as many as there are rows. */
  readonly opening: Opening | undefined;
  /** Finds out how many rows may be in flight there; undefined where that is not wanted. */
  readonly auto?: AutoWidth | undefined;
  /** How often a row may start there; undefined for no cap. */
  readonly rate?: StartRate | undefined;
}

/** All times on one clock, in milliseconds. */
export class Lane {
  /** Rows that have not started yet. */
  readonly queue: RouteQueue;
  /** Rows that were sent and have to be sent again; they go first once the server is back. */
  readonly held = new Queue<number>();
  /** Rows that are to start again as a new attempt; they go first. */
  readonly due = new DueRows();
  readonly turnedAway = new TurnedAway();
  /** The current outage, if any. */
  outage: Outage | undefined;
  /** Unreachable for the whole window: its rows are left undone. */
  abandoned = false;
  /** Whether the server has answered in this run. */
  heard = false;
  /** Rows in flight. */
  inFlight = 0;
  /** No row starts before this, since the server asked for it. Its responses to other rows do not cancel that. */
  #floor = 0;
  /** The way back after an outage; there is one in each outage. */
  #ramp: Ramp | undefined;
  readonly #maxInFlight: number;
  readonly #opening: Opening | undefined;
  readonly auto: AutoWidth | undefined;
  readonly #rate: StartRate | undefined;

  /** A server that is not known to be unreachable. */
  constructor({ queue, maxInFlight, opening, auto, rate }: LaneOptions) {
    this.auto = auto;
    this.#rate = rate;
    this.queue = queue;
    this.#maxInFlight = maxInFlight;
    this.#opening = opening;
  }

  /** Whether a row may start now. */
  isOpen(now: number): boolean {
    if (this.abandoned || now < this.#floor || this.inFlight >= this.#maxInFlight) return false;
    if (this.auto && this.inFlight >= this.auto.width) return false;
    if (this.#rate && now < this.#rate.opensAt) return false;
    if (this.outage && this.#ramp!.isIdle) return now >= this.outage.until;
    if (this.#ramp && !this.#ramp.isOpen(now)) return false;
    return !this.isFull;
  }

  /**
   * Whether as many of its connections are under way as may be. In an outage there is the ramp instead: what is under way
   * then may never end, and its probe goes all the same.
   */
  get isFull(): boolean {
    return this.outage === undefined && this.#opening !== undefined && this.#opening.isFull;
  }

  /** When it opens just because time passes; Infinity when it is open already, or waits for something else. */
  opensAt(now: number): number {
    if (this.abandoned || this.isFull) return Infinity;
    let at = Math.max(this.#floor, this.#rate?.opensAt ?? -Infinity);
    if (this.outage && this.#ramp!.isIdle) at = Math.max(at, this.outage.until);
    else if (this.#ramp) at = Math.max(at, this.#ramp.opensAt(now));
    return at > now ? at : Infinity;
  }

  /** Takes the next row. */
  take(now: number): number | undefined {
    return this.due.take(now) ?? this.held.shift() ?? this.queue.shift();
  }

  /** Drops all rows waiting here. Returns how many. */
  clear(): number {
    let count = this.queue.size;
    this.queue.clear();
    while (this.due.take(Infinity) !== undefined || this.held.shift() !== undefined) count++;
    return count;
  }

  /** Whether it has rows that can still start, now or later. */
  get hasLeft(): boolean {
    return !this.abandoned && (this.due.size > 0 || this.held.size > 0 || this.queue.size > 0);
  }

  /** The position of its next row among all offered: before all others if it was tried already; Infinity if none. */
  position(now: number): number {
    return this.held.size > 0 || this.due.isDue(now) ? -1 : this.queue.position;
  }

  /** A row of this server starts; in an outage it is a probe. */
  starts(row: number, now: number): void {
    this.inFlight++;
    this.#opening?.starts(row, now);
    this.#rate?.starts(now);
    this.auto?.starts(row, now);
    this.#ramp?.starts(row, now);
  }

  /** A row's request has its connection. Returns whether that makes room where there was none. */
  connected(row: number, now: number): boolean {
    const wasFull = this.isFull;
    this.#opening?.connected(row, now);
    return wasFull && !this.isFull;
  }

  /** A row's request to the server is over, in whatever way. */
  ends(row: number): void {
    this.inFlight--;
    this.#opening?.ends(row);
  }

  /** Whether a row was sent before the current outage. */
  isOlderThanOutage(row: number): boolean {
    return this.outage !== undefined && !this.#ramp!.has(row);
  }

  /**
   * The server did not take a request. Rows that were sent together fail together, so only the first failure, and
   * probes, lengthen the wait.
   */
  fails({ row, reason, floorMs, windowMs, turnedAway, now, chance }: Unsent): void {
    const before = this.outage, since = before?.since ?? now;
    turnedAway ||= before?.turnedAway ?? false;
    if (floorMs > 0) this.#floor = Math.max(this.#floor, now + floorMs * (1 + chance / 10));
    if (before && this.isOlderThanOutage(row)) {
      this.outage = { ...before, reason, turnedAway };
      return;
    }
    const failed = before ? before.failed + 1 : 0;
    const until = Math.min(now + waitMs(failed, chance), since + windowMs);
    this.outage = { since, reason, until, failed, turnedAway };
    // One that was on its way back was wider before that; otherwise all that were in flight until now, this one too.
    this.#ramp = new Ramp(this.#ramp?.width ?? this.inFlight + 1);
  }

  /** A row's request came to nothing, which says nothing about the server. */
  forgets(row: number): void {
    this.#ramp?.ends(row);
  }

  /** The server answered a row. Returns the length of the outage that this ends, or `undefined` if it ends none. */
  answers(row: number, now: number): number | undefined {
    const ramp = this.#ramp;
    if (!ramp) return undefined;
    ramp.ends(row);
    if (this.outage && now < this.#floor) {
      this.#countOutage(now);
      this.outage = { ...this.outage, since: now };
      return undefined;
    }
    ramp.answers(now);
    if (ramp.isOver) this.#ramp = undefined;
    return this.outage && this.#endOutage(now);
  }

  /** What outages with rows turned away have cost; a current one counts until now. */
  outageCost(now: number): OutageCost {
    const { cost } = this.turnedAway, { outage } = this;
    const lasts = outage?.turnedAway && !this.abandoned;
    return lasts ? { ...cost, ms: cost.ms + now - outage.since } : cost;
  }

  /** Abandons the server. */
  abandon(now: number): void {
    this.abandoned = true;
    this.queue.close();
    this.#countOutage(now);
  }

  #endOutage(now: number): number {
    const { since } = this.outage!;
    this.#countOutage(now);
    this.outage = undefined;
    this.#opening?.restart();
    return now - since;
  }

  #countOutage(now: number): void {
    if (this.outage?.turnedAway) this.turnedAway.addMs(now - this.outage.since);
  }
}
