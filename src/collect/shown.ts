/** Which events the user is shown: of those that can come by the thousand the first ones, then a word where to look. */
import type { Notice, Observer, RunEvent } from "../events/run_event.ts";

/** So many of a kind. */
const SHOWN = 20;

/** What is known of the run. */
export interface ShownOptions {
  /** The file that has every failed attempt. */
  readonly failures: string;
  /** How many servers there are. */
  readonly servers: number;
}

/** Passes on what is to be shown, at once. */
export class Shown implements Observer {
  readonly #show: (notice: Notice) => void;
  readonly #options: ShownOptions;
  readonly #counts = new Map<string, number>();
  readonly #classes = new Set<string>();
  #otherClasses = false;

  constructor(show: (notice: Notice) => void, options: ShownOptions) {
    this.#show = show;
    this.#options = options;
  }

  on(event: RunEvent): void {
    const { failures, servers } = this.#options;
    switch (event.kind) {
      case "started":
      case "over":
      case "runs_again": // that its server is paused has been said
      case "error": // the summary shows it
        return;
      case "settled":
        // One that is not recorded has ended the run, which says so itself.
        if (!event.failure || !event.recorded) return;
        // The result stays where it is: it may be large, and nobody shows it.
        return this.#failed({ ...event, result: null }, event.failure.failureClass);
      case "retried":
        return this.#some("retried", failures, event);
      case "server_paused":
      case "server_back":
        return this.#some("server", null, event);
      case "server_abandoned":
        // Without another server the run is over, and says so itself.
        if (servers > 1) this.#show(event);
        return;
      default:
        return this.#show(event);
    }
  }

  /** Each class is a kind of its own, but a server may invent one for every row. */
  #failed(event: Notice, name: string): void {
    const { failures } = this.#options;
    if (this.#classes.size < SHOWN) this.#classes.add(name);
    if (this.#classes.has(name)) return this.#some(`failed ${name}`, failures, event);
    if (!this.#otherClasses) this.#show({ kind: "no_more_shown", see: failures });
    this.#otherClasses = true;
  }

  #some(kind: string, see: string | null, notice: Notice): void {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    if (count > SHOWN) return;
    this.#counts.set(kind, count);
    this.#show(notice);
    if (count === SHOWN) this.#show({ kind: "no_more_shown", see });
  }
}
