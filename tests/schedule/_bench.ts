/** A scheduler on a bench: rows by server, a clock that the test moves, and actions as short texts. */
import { type Action, type Event, type Limits, Scheduler } from "../../src/schedule/scheduler.ts";

/** What a test may set; everything else is without limit. Times in milliseconds. */
export interface BenchOptions extends Partial<Omit<Limits, "marginMs">> {
  /** Time that must be left for a start. Default 0. */
  readonly marginMs?: number | (() => number);
  /** A letter a row, `"AABA"`: which server it goes to. */
  readonly rows: string;
  /** The order in which rows start; default that of `rows`. */
  readonly order?: readonly number[];
  /** Whether the test offers rows itself. */
  readonly isOpen?: boolean;
}

/** See the module's comment. */
export class Bench {
  /** The time. */
  now = 0;
  /** The dice: 0 makes every backoff half its full length (250, 500, 1000, … ms). */
  chance = 0;
  /** Recorded failures by row; `lost` counts one up, as the driver does. */
  readonly attempts: number[];
  readonly scheduler: Scheduler;
  readonly #routes: string[];
  #order: readonly number[] | undefined;

  /** The rows are offered, and no others will be, with the first tick, unless `isOpen`. */
  constructor({ rows, order, isOpen = false, marginMs = 0, ...limits }: BenchOptions) {
    const letters = [...rows];
    this.#routes = [...new Set(letters)].sort();
    this.attempts = letters.map(() => 0);
    if (!isOpen) this.#order = order ?? letters.map((_, row) => row);
    this.scheduler = new Scheduler({
      routes: this.#routes.length,
      route: (row) => this.#routes.indexOf(letters[row]!),
      attempts: (row) => this.attempts[row]!,
    }, {
      inFlight: Infinity,
      resident: Infinity,
      retryWindowMs: 600_000,
      graceMs: 30_000,
      budgetMs: null,
      ...limits,
      marginMs: typeof marginMs === "function" ? marginMs : () => marginMs,
    });
  }

  /** Tells an event at the present time. */
  tell(event: Event): string[] {
    if (event.kind === "lost") this.attempts[event.row]!++;
    return this.scheduler.on(event, { now: this.now, chance: this.chance }).map((action) =>
      this.#text(action)
    );
  }

  /** The beginning of a run, or a wake. Without a time, at the present one. */
  tick(at = this.now): string[] {
    this.now = at;
    const rows = this.#order;
    if (!rows) return this.tell({ kind: "tick" });
    this.#order = undefined;
    return [...this.offer(...rows), ...this.close()];
  }

  /** More rows come. */
  offer(...rows: readonly number[]): string[] {
    return this.tell({ kind: "offered", rows });
  }

  /** No more rows will come. */
  close(): string[] {
    return this.tell({ kind: "closed" });
  }

  /** A request has its connection. */
  connected(row: number): string[] {
    return this.tell({ kind: "connected", row });
  }

  /** An answer came and is in its file. */
  done(row: number): string[] {
    return [...this.tell({ kind: "answered", row }), ...this.tell({ kind: "written", row })];
  }

  /** A request could not be sent. */
  unsent(row: number, floorMs?: number): string[] {
    const asked = floorMs === undefined ? {} : { floorMs };
    return this.tell({ kind: "unsent", row, reason: "refused", ...asked });
  }

  /** Something in front of the server answered. */
  turnedAway(row: number): string[] {
    return this.tell({ kind: "turned_away", row, reason: "502" });
  }

  /** The failure of a row is in its file. */
  recorded(row: number): string[] {
    this.attempts[row]!++;
    return this.tell({ kind: "written", row });
  }

  /** The run is told to stop. */
  stop(level: "drain" | "abort"): string[] {
    return this.tell({ kind: "stop", level });
  }

  #text(action: Action): string {
    switch (action.kind) {
      case "start":
        return `start ${action.row}${action.attempt ? ` again ${action.attempt}` : ""}`;
      case "fail":
      case "again":
        return `${action.kind} ${action.row}`;
      case "abandoned":
        return `abandoned ${this.#routes[action.route]}: ${action.reason}` +
          (action.asked ? ` (asked ${action.asked.forMs} of ${action.asked.windowMs})` : "");
      case "paused":
        return `${action.kind} ${this.#routes[action.route]}: ${action.reason}`;
      case "resumed":
        return `resumed ${this.#routes[action.route]} after ${action.afterMs}`;
      case "wake":
        return `wake ${action.at}`;
      case "abort":
      case "over":
        return action.kind;
    }
  }
}
