/**
 * The scheduler's interface: a union of events that go in, a union of actions that come out. Its driver passes every
 * event with the time and a random number, and carries out the actions in order before the next event.
 */
import type { OpeningOptions } from "./opening.ts";

/** What the scheduler needs to know about rows. Rows and servers are numbers. */
export interface Rows {
  /** How many servers there are. */
  readonly routes: number;
  /** The server of a row. */
  route(row: number): number;
  /** Failures of a row recorded so far. */
  attempts(row: number): number;
}

/** The limits of a run. Times in milliseconds. */
export interface Limits {
  /** Maximum requests in flight; Infinity for no limit. */
  readonly inFlight: number;
  /** Maximum requests in flight to one server. Default: no limit. */
  readonly perServer?: number;
  /** Whether the scheduler finds out how many requests each server takes. Default: no. */
  readonly auto?: boolean;
  /** How often a second a request to one server may start. Default: no limit. */
  readonly startsPerSecond?: number;
  /** Maximum rollouts in flight or not yet written; Infinity for no limit. */
  readonly resident: number;
  /** How long requests that could not be sent are repeated. */
  readonly retryWindowMs: number;
  /** How long requests in flight may continue after a stop. */
  readonly graceMs: number;
  /** Nothing starts after this; null for no budget. */
  readonly budgetMs: number | null;
  /**
   * Time that must be left for a start. Asked before each, since it may depend on how long rollouts took, with the time
   * that is left: where that is enough, any smaller number will do for an answer.
   */
  readonly marginMs: (remainingMs: number) => number;
  /** How many connections to one server may be under way. Default: all that there are rows for. */
  readonly opening?: OpeningOptions;
  /**
   * When rows that were turned away are an outage of their server. Default: never, and `turned_away` is a failure like
   * any other. Only for runs in which a failure does not end the run.
   */
  readonly outage?: {
    /** How many in a row, without another response of the server in between. At least 1. */
    readonly inARow: number;
    /** A row with this many recorded failures does not run again. */
    readonly maxAttempts: number;
  };
}

/** What happened. */
export type Event =
  /** Time has passed, as asked for by a `wake`. */
  | { readonly kind: "tick" }
  /**
   * Rows to run after all that were offered before, in the order in which they start. An array is kept as it is until
   * its rows have started, and must not change; what else yields rows is copied, at four bytes a row.
   */
  | { readonly kind: "offered"; readonly rows: ArrayLike<number> | Iterable<number> }
  /** No more rows will be offered. */
  | { readonly kind: "closed" }
  /** A row's request has its connection, a kept one or a new one. Need not come before its end. */
  | { readonly kind: "connected"; readonly row: number }
  /** A row's answer came, good or bad; what it settles is being written. */
  | { readonly kind: "answered"; readonly row: number }
  /**
   * What became of a row that was answered or has failed is in its file, or nothing was to be written. A failure is
   * counted in `attempts` by now.
   */
  | { readonly kind: "written"; readonly row: number }
  /**
   * A row's request could not be sent, or its server asked to come again, not before `floorMs`. What is `hopeless`
   * (a name that nobody knows, a certificate nobody trusts) does not get better by waiting, unless the server has
   * answered before.
   */
  | {
    readonly kind: "unsent";
    readonly row: number;
    readonly reason: string;
    /** What the server asked for in its answer; absent when there was none. */
    readonly floorMs?: number;
    readonly hopeless?: boolean;
  }
  /**
   * An answer that may come from something in front of the server: 502, 504, or 429 and 503 that name no time. Told
   * instead of `answered`, and before anything is written, since it depends on the server's other answers whether the
   * row has failed. If it has, the actions hold a `fail` of the row: its failure is recorded like any other, a
   * `written` follows. If they do not, the server has an outage that was known: nothing is written, no attempt is
   * counted, and the row starts again as the same attempt, or a later `fail` names it.
   */
  | { readonly kind: "turned_away"; readonly row: number; readonly reason: string }
  /** A row's request may have been delivered and no answer came; the attempt is recorded and another one due. */
  | { readonly kind: "lost"; readonly row: number }
  /** As `lost`, and there is no other attempt: the row has failed, and what it settles is being written. */
  | { readonly kind: "unanswered"; readonly row: number }
  /** A row's request was cancelled because of an `abort`. */
  | { readonly kind: "aborted"; readonly row: number }
  /** Start nothing new, as if the budget were used up: rows in flight go on to their end. */
  | { readonly kind: "exhausted" }
  /** Start nothing new (`drain`), or cancel what is in flight as well (`abort`). */
  | { readonly kind: "stop"; readonly level: "drain" | "abort" };

/** What to do. */
export type Action =
  /** Send a row, as the attempt after this many recorded failures. */
  | { readonly kind: "start"; readonly row: number; readonly attempt: number }
  /** A row that was `unsent` or `turned_away` has failed: record its last failure. A `written` is expected for it. */
  | { readonly kind: "fail"; readonly row: number }
  /**
   * A row that has failed, its failure being in its file, has not failed after all: it was turned away in what proved to
   * be an outage. It waits for its server and starts again as a new attempt: whoever counted it as failed takes that
   * back. The failure stays in the file, and in `attempts`.
   */
  | { readonly kind: "again"; readonly row: number }
  /** A server is unreachable, or asked us to back off (`asked`), and its rows wait; once per outage. */
  | { readonly kind: "paused"; readonly route: number; readonly reason: string; readonly asked: boolean }
  /** A server that was paused answers again. */
  | { readonly kind: "resumed"; readonly route: number; readonly afterMs: number }
  /**
   * A server was unreachable for the whole window, or there was no hope, or it asked for more time than is left of the
   * window (`asked`, which happens at once, without waiting). Rows that were tried for the window have failed, the
   * others are left undone.
   */
  | {
    readonly kind: "abandoned";
    readonly route: number;
    readonly reason: string;
    readonly afterMs: number;
    readonly asked?: { readonly forMs: number; readonly windowMs: number };
  }
  /** Send a `tick` at this time; replaces an earlier `wake`. */
  | { readonly kind: "wake"; readonly at: number }
  /** Cancel every request in flight. */
  | { readonly kind: "abort" }
  /**
   * Nothing is in flight and nothing will start: no more rows will be offered and all are over, or the run was
   * stopped, or no server is left that rows could go to. Happens once.
   */
  | { readonly kind: "over" };

/** The time and chance of an event. */
export interface Reading {
  /** Milliseconds on a clock that never jumps. */
  readonly now: number;
  /** A number from 0 to 1, for jitter. */
  readonly chance: number;
}
