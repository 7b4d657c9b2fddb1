/**
 * Limits on the time that a server takes. Time in which this process was stopped (SIGSTOP, a suspended job, a laptop's
 * lid) or busy for long is not the server's: what it sent meanwhile sits unread in the socket. It is not counted, and
 * for a while afterwards no limit fires.
 */
import type { Clock } from "../ports/clock.ts";

/** How often to check whether the process was stopped. */
const TICK_MS = 1000;

/** A tick that is later than this came after a stop. */
const STOPPED_MS = 500;

/** How long reading what arrived during a stop may take. */
const GRACE_MS = 5000;

/** How many turns of the event loop pending data gets before a limit fires. */
const TURNS = 3;

/** A running limit. */
export interface TimeLimit {
  /** Starts over with the full time. */
  restart(): void;
  /** Time does not count until `goOn` or `restart`. */
  hold(): void;
  /** Time counts again. */
  goOn(): void;
  /** Cancels it. */
  cancel(): void;
}

/**
 * Calls once `ms` milliseconds have counted, unless cancelled first.
 *
 * @param clock whose process is looked at; all limits of a clock share one timer for that
 */
export function timeLimit(clock: Clock, ms: number, call: () => void): TimeLimit {
  let running = runnings.get(clock);
  if (!running) runnings.set(clock, running = new Running(clock));
  return new Limit(clock, running, ms, call);
}

const runnings = new WeakMap<Clock, Running>();

class Limit implements TimeLimit {
  readonly #clock: Clock;
  readonly #running: Running;
  readonly #ms: number;
  readonly #call: () => void;
  /** What is left as of `#since`. */
  #left: number;
  /** Since when time counts; undefined while it does not. */
  #since: number | undefined;
  #isOver = false;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, running: Running, ms: number, call: () => void) {
    this.#clock = clock;
    this.#running = running;
    this.#ms = this.#left = ms;
    this.#call = call;
    running.join();
    this.goOn();
  }

  restart(): void {
    this.#left = this.#ms;
    if (this.#since === undefined) this.goOn();
    // The timer stays and finds out: resetting it for each piece of a response would be expensive.
    else this.#since = this.#running.now();
  }

  hold(): void {
    if (this.#since === undefined) return;
    this.#left -= this.#running.now() - this.#since;
    this.#since = undefined;
  }

  goOn(): void {
    if (this.#since !== undefined || this.#isOver) return;
    this.#since = this.#running.now();
    this.#cancelTimer ??= this.#clock.after(this.#left, () => this.#check(0));
  }

  cancel(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelTimer?.();
    this.#running.leave();
  }

  #check(turn: number): void {
    this.#cancelTimer = undefined;
    if (this.#since === undefined) return; // goOn() sets it again
    const now = this.#running.now(), left = Math.max(this.#left - (now - this.#since), this.#running.grace());
    if (left > 0) this.#cancelTimer = this.#clock.after(left, () => this.#check(0));
    else if (turn < TURNS) this.#cancelTimer = this.#clock.after(0, () => this.#check(turn + 1));
    else {
      this.cancel();
      this.#call();
    }
  }
}

/** Measures the time in which the process ran, while it is needed. */
class Running {
  readonly #clock: Clock;
  #stopped = 0;
  #stopEnded = -Infinity;
  #due = Infinity;
  #users = 0;
  #cancelTick: () => void = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  join(): void {
    if (this.#users++ === 0) this.#tick();
  }

  leave(): void {
    if (--this.#users > 0) return;
    this.#cancelTick();
    this.#due = Infinity;
  }

  /** Milliseconds since some moment, without those in which the process was stopped. */
  now(): number {
    const now = this.#clock.now();
    if (now - this.#due > STOPPED_MS) {
      this.#stopped += now - this.#due;
      this.#stopEnded = now;
      this.#tick();
    }
    return now - this.#stopped;
  }

  /** Milliseconds for which no limit fires. */
  grace(): number {
    return this.#stopEnded + GRACE_MS - this.#clock.now();
  }

  #tick(): void {
    this.#cancelTick();
    this.#due = this.#clock.now() + TICK_MS;
    this.#cancelTick = this.#clock.after(TICK_MS, () => {
      this.now();
      this.#tick();
    });
  }
}
