/** What ends a run as a failure, as plain data; `report/` turns it into sentences. */
import type { FailureTold, LimitReached, RolloutId, ServerId } from "./subjects.ts";

/** A server was unreachable for too long, or permanently. Its untried rows are left. */
export interface ServerAbandoned extends ServerId {
  readonly kind: "server_abandoned";
  /** The system's words, or `HTTP 503`. */
  readonly reason: string;
  /** How long its rows waited, in milliseconds. */
  readonly afterMs: number;
  /** Set if it asked for `forMs`, more than the retry window of `windowMs` has left. */
  readonly asked?: { readonly forMs: number; readonly windowMs: number };
}

/** Why a run has failed. */
export type RunError =
  /** A failed rollout ends the run, unless failures are routed to the sidecar. */
  | { readonly kind: "rollout_failed"; readonly id: RolloutId; readonly failure: FailureTold }
  /** A server was abandoned. */
  | ServerAbandoned
  /** A response shows that the server speaks another protocol. */
  | (ServerId & { readonly kind: "unusable_answer"; readonly id: RolloutId; readonly why: string })
  /** A row could not be turned into a request. */
  | { readonly kind: "cannot_send"; readonly id: RolloutId; readonly why: string }
  /** A file or the metrics failed; the message says how. */
  | { readonly kind: "fault"; readonly message: string }
  /** More rollouts failed than may. */
  | {
    readonly kind: "too_many_failures";
    readonly limit: Exclude<LimitReached, { readonly what: "tokens" }>;
    readonly failures: string;
  }
  /** The run ended without a single result. */
  | { readonly kind: "no_results"; readonly budgetS: number | null; readonly failures: string }
  /** The run ended with results missing under `require_complete`. */
  | { readonly kind: "incomplete"; readonly budgetS: number | null; readonly failures: string };
