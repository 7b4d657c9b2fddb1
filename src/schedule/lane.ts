/**
 * The rows of one server that cannot start yet, and what is known of the server: whether it can be reached, since
 * when not, and when the next probe may go. One probe at a time finds out whether it is back.
 */
import { Queue } from "../kit/queue.ts";
import { waitMs } from "./backoff.ts";

/** An outage of one server. */
export interface Outage {
  /** When it began. */
  readonly since: number;
  /** What happened last, in a few words. */
  readonly reason: string;
  /** No row of the server starts before this. */
  readonly until: number;
  /** Probes that failed. */
  readonly probes: number;
  /** The row that finds out whether the server is back. */
  readonly probe: number | undefined;
}

/** See the module's comment. All times on one clock, in milliseconds. */
export class Lane {
  /** Rows whose request could not be sent; they go first once the server is back. */
  readonly held = new Queue<number>();
  /** Rows that were reached while the server was out of reach. */
  readonly parked = new Queue<number>();
  /** The outage that lasts, if one does. */
  outage: Outage | undefined;
  /** Out of reach for the whole window: its rows are left undone. */
  abandoned = false;

  /** Whether a row may start now. */
  isOpen(now: number): boolean {
    if (this.abandoned) return false;
    return !this.outage || (this.outage.probe === undefined && now >= this.outage.until);
  }

  /** Takes the row that has waited longest. */
  take(): number | undefined {
    return this.held.shift() ?? this.parked.shift();
  }

  /** How many rows wait here. */
  get waiting(): number {
    return this.held.size + this.parked.size;
  }

  /** A row of this server is about to start; in an outage it is the probe. */
  starts(row: number): void {
    if (this.outage) this.outage = { ...this.outage, probe: row };
  }

  /**
   * A request could not be sent. Rows that were sent together fail together, so only the first failure and those
   * of probes make the wait longer. `floorMs` is what the server itself asked for, at least.
   */
  fails(row: number, reason: string, floorMs: number, now: number, chance: number): void {
    const before = this.outage;
    const counts = !before || before.probe === row;
    const probes = !before ? 0 : counts ? before.probes + 1 : before.probes;
    const until = counts ? now + waitMs(probes, chance) : before.until;
    this.outage = {
      since: before?.since ?? now,
      reason,
      until: Math.max(until, floorMs > 0 ? now + floorMs * (1 + chance / 10) : 0),
      probes,
      probe: counts ? undefined : before.probe,
    };
  }

  /** The server answered. Returns how long the outage was, or `undefined` if there was none. */
  answers(now: number): number | undefined {
    const { outage } = this;
    this.outage = undefined;
    return outage && now - outage.since;
  }
}
