/** A clock that stands still until a test moves it. */
import type { Clock } from "../../src/ports/clock.ts";

/** {@link Clock} under a test's hand. Timers run in the order in which they are due, never by themselves. */
export class ManualClock implements Clock {
  #now = 0;
  #wall: number;
  #timers: { due: number; call: () => void }[] = [];

  /** @param wall what the wall clock shows at first */
  constructor(wall: Date | string = "2026-01-01T00:00:00Z") {
    this.#wall = new Date(wall).getTime();
    this.date = this.date.bind(this); // may be handed on alone, as that of the machine
  }

  now(): number {
    return this.#now;
  }

  date(): Date {
    return new Date(this.#wall);
  }

  after(ms: number, call: () => void): () => void {
    const timer = { due: this.#now + Math.max(0, ms), call };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** How many timers are set. */
  get timers(): number {
    return this.#timers.length;
  }

  /** Lets time pass; what is due on the way is called at its own time, also what is set by such a call. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#move(next.due);
      this.#timers.splice(this.#timers.indexOf(next), 1);
      next.call();
    }
    this.#move(end);
  }

  /** Lets time pass like {@link advance}, and what promises make of each timer come about before the next one. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settled();
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.advance(next.due - this.#now);
      await settled();
    }
    this.advance(end - this.#now);
    await settled();
  }

  /** Somebody sets the wall clock; time itself does not notice. */
  setWallClock(ms: number): void {
    this.#wall += ms;
  }

  #move(to: number): void {
    this.#wall += to - this.#now;
    this.#now = to;
  }

  #next(end: number) {
    let next: { due: number; call: () => void } | undefined;
    for (const timer of this.#timers) {
      if (timer.due <= end && (next === undefined || timer.due < next.due)) next = timer;
    }
    return next;
  }
}

/** Resolves once promises that wait for nothing but each other are through. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
