/**
 * When a request has its connection, for a client that does not say. Fetch does not: what it tells first is the head of
 * the response, which may be an hour away.
 *
 * A connection that was used a moment ago and is idle serves the next request at once. Any other request opens one, and
 * for these a probe stands in: a connection of our own to the same place, opened after theirs and closed when it is
 * there. Connections get through in the order in which they were asked for, so when the probe is, so are they; where the
 * server's queue is full, the probe waits as they do. One probe does for sixteen or more, and there is none for a few.
 *
 * What was dropped from a full queue comes again after one second, three, seven, and meets others there. So from the first
 * probe that was slow the probe goes first: only when it is through are requests sent, one at first, twice as many each
 * time that the next probe is fast.
 */
import type { Clock } from "../ports/clock.ts";

/** What is needed to know when requests have connections. */
export interface UnseenConnectsOptions {
  /** For how many milliseconds an idle connection is certainly kept. */
  readonly keptMs: number;
  /** Opens a connection to where requests to this URL go and closes it. Rejects when it cannot. */
  readonly probe: (url: URL) => Promise<void>;
  readonly clock: Pick<Clock, "now" | "after">;
}

/** A request on its way to its connection. */
export interface Connecting {
  /** It has one, or never will: its response has come, or the reason why there is none. */
  settle(): void;
}

/** So many requests that wait for their connections are worth a probe. At most what the scheduler lets wait. */
const WORTH_A_PROBE = 16;

/** A probe that takes longer, in milliseconds, was dropped at first. */
const SLOW_MS = 500;

/** After a probe that failed, its requests, which fail too if the server is away, hold their places this long. */
const AFTER_FAILURE_MS = 100;

/** The connections of a client. */
export class UnseenConnects {
  readonly #options: UnseenConnectsOptions;
  readonly #doors = new Map<string, Door>();

  /** None is open. */
  constructor(options: UnseenConnectsOptions) {
    this.#options = options;
  }

  /** When a request may be sent: undefined for at once. Resolves early when the signal fires. */
  turn(url: string, isKept: boolean, signal: AbortSignal): Promise<void> | undefined {
    const door = this.#doorOf(url);
    return door.isCareful && !(isKept && door.hasIdle) ? door.turn(signal) : undefined;
  }

  /** A request is sent. */
  sent(url: string, isKept: boolean, onConnected: () => void): Connecting {
    const door = this.#doorOf(url);
    if (isKept && door.takeIdle()) {
      onConnected();
      return DONE;
    }
    return door.wait(onConnected);
  }

  /** The response to a request was read to its end, and its connection is kept. */
  freed(url: string): void {
    this.#doorOf(url).idle.push(this.#options.clock.now());
  }

  #doorOf(text: string): Door {
    let door = this.#doors.get(text);
    if (door) return door;
    const url = new URL(text);
    door = this.#doors.get(url.origin) ?? new Door(url, this.#options);
    this.#doors.set(url.origin, door).set(text, door);
    return door;
  }
}

const DONE: Connecting = { settle() {} };

/** One origin. */
class Door {
  /** Since when each idle connection is idle; the last is used first. */
  readonly idle: number[] = [];
  readonly #url: URL;
  readonly #options: UnseenConnectsOptions;
  /** Requests that no probe stands in for yet. */
  #waiting = new Set<() => void>();
  #isAboutToProbe = false;
  /** Requests that may not be sent yet; only once a probe was slow. */
  readonly #queue = new Set<() => void>();
  #isAdmitting = false;
  /** How many are sent after a probe that goes first; 0 while none does. */
  #width = 0;

  constructor(url: URL, options: UnseenConnectsOptions) {
    this.#url = url;
    this.#options = options;
  }

  /** Whether probes go first. */
  get isCareful(): boolean {
    return this.#width > 0;
  }

  /** Whether a connection is idle for so short that it is certainly kept. */
  get hasIdle(): boolean {
    const since = this.idle.at(-1);
    return since !== undefined && this.#options.clock.now() - since < this.#options.keptMs;
  }

  /** Resolves when a request may be sent. */
  turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const go = () => {
        this.#queue.delete(go);
        signal.removeEventListener("abort", go);
        resolve();
      };
      this.#queue.add(go);
      signal.addEventListener("abort", go);
      if (signal.aborted) go();
      if (!this.#isAdmitting) void this.#admit();
    });
  }

  /** Sends the probe first, as long as requests wait for their turn or for their connection. */
  async #admit(): Promise<void> {
    this.#isAdmitting = true;
    while (this.#queue.size > 0 || this.#waiting.size > 0) {
      await this.#probe();
      for (const go of [...this.#queue].slice(0, this.#width)) go();
      // They go before the next probe.
      await new Promise<void>((resolve) => this.#options.clock.after(0, resolve));
    }
    this.#isAdmitting = false;
  }

  /** Takes a connection that is idle for so short that it is certainly kept; whether there is one. */
  takeIdle(): boolean {
    const { hasIdle } = this;
    if (hasIdle) this.idle.pop();
    else this.idle.length = 0;
    return hasIdle;
  }

  wait(onConnected: () => void): Connecting {
    let isSettled = false;
    const settle = () => {
      if (isSettled) return;
      isSettled = true;
      this.#waiting.delete(settle);
      onConnected();
    };
    this.#waiting.add(settle);
    if (this.#waiting.size >= WORTH_A_PROBE && !this.#isAboutToProbe && !this.#isAdmitting) {
      this.#isAboutToProbe = true;
      // Not at once, so that those that are sent together go before it.
      this.#options.clock.after(0, () => void this.#probe());
    }
    return { settle };
  }

  async #probe(): Promise<void> {
    const before = this.#waiting, { clock, probe } = this.#options, since = clock.now();
    this.#waiting = new Set();
    this.#isAboutToProbe = false;
    try {
      await probe(this.#url);
    } catch {
      await new Promise<void>((resolve) => clock.after(AFTER_FAILURE_MS, resolve));
    }
    if (clock.now() - since > SLOW_MS) this.#width = 1;
    else if (this.isCareful) this.#width = Math.min(2 * this.#width, WORTH_A_PROBE);
    for (const settle of before) settle();
  }
}
