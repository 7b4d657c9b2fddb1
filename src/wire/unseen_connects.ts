/**
 * When a request has its connection, for a client that does not say. Fetch does not: what it tells first is the head of
 * the response, which may be an hour away.
 *
 * A connection that was used a moment ago and is idle serves the next request at once. Any other request opens one, and
 * for these a probe stands in: a connection of our own to the same place, opened after theirs and closed when it is
 * there. Connections get through in the order in which they were asked for, so when the probe is, so are they; where the
 * server's queue is full, the probe waits as they do. One probe does for sixteen or more, and there is none for a few.
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

  constructor(url: URL, options: UnseenConnectsOptions) {
    this.#url = url;
    this.#options = options;
  }

  /** Takes a connection that is idle for so short that it is certainly kept; whether there is one. */
  takeIdle(): boolean {
    const since = this.idle.pop();
    if (since === undefined) return false;
    if (this.#options.clock.now() - since < this.#options.keptMs) return true;
    this.idle.length = 0;
    return false;
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
    if (this.#waiting.size >= WORTH_A_PROBE && !this.#isAboutToProbe) {
      this.#isAboutToProbe = true;
      // Not at once, so that those that are sent together go before it.
      this.#options.clock.after(0, () => void this.#probe());
    }
    return { settle };
  }

  async #probe(): Promise<void> {
    const before = this.#waiting, { clock, probe } = this.#options;
    this.#waiting = new Set();
    this.#isAboutToProbe = false;
    try {
      await probe(this.#url);
    } catch {
      await new Promise<void>((resolve) => clock.after(AFTER_FAILURE_MS, resolve));
    }
    for (const settle of before) settle();
  }
}
