/** What ends a run as a failure, as plain data; `report/` makes sentences of it. */
import type { FailureTold, RolloutId, ServerId } from "./subjects.ts";

/** A server was unreachable for too long, or for good. Its rows that were not tried are left. */
export interface ServerAbandoned extends ServerId {
  readonly kind: "server_abandoned";
  /** The system's words, or `HTTP 503`. */
  readonly reason: string;
  /** How long it was waited for, in milliseconds. */
  readonly afterMs: number;
  /** It asked for `forMs`, longer than the retry window of `windowMs` has left; absent otherwise. */
  readonly asked?: { readonly forMs: number; readonly windowMs: number };
}

/** Why a run has failed. */
export type RunError =
  /** A failed rollout ends the run, unless failures are routed to the sidecar. */
  | { readonly kind: "rollout_failed"; readonly id: RolloutId; readonly failure: FailureTold }
  /** A server had to be left. */
  | ServerAbandoned
  /** An answer shows that the server speaks another protocol. */
  | (ServerId & { readonly kind: "unusable_answer"; readonly id: RolloutId; readonly why: string })
  /** A row could not be made a request. */
  | { readonly kind: "cannot_send"; readonly id: RolloutId; readonly why: string }
  /** A file or the metrics: the fault speaks for itself. */
  | { readonly kind: "fault"; readonly message: string }
  /** The run came to its end, and there is not one result. */
  | { readonly kind: "no_results"; readonly budgetS: number | null; readonly failures: string }
  /** The run came to its end, results are missing, and none may be. */
  | { readonly kind: "incomplete"; readonly budgetS: number | null; readonly failures: string };
