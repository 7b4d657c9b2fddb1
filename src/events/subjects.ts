/** What events are about. Plain data. */

/** Which rollout an event is about. */
export interface RolloutId {
  /** `_ng_task_index`. */
  readonly task: number;
  /** `_ng_rollout_index`. */
  readonly rollout: number;
  /** The task's own id, which tells people more. Only in events that they are shown, and where the task has one. */
  readonly own?: string;
}

/** Which server an event is about. */
export interface ServerId {
  /** Its name. */
  readonly server: string;
  /** Where it is. */
  readonly url: string;
}

/** A failed attempt. Its strings are bounded, and may hold anything that a server sent. */
export interface FailureTold {
  /** `_ng_failure_class`. */
  readonly failureClass: string;
  /** What happened; null when a server declared the failure without a message. */
  readonly message: string | null;
  /** The beginning of an error response's body, or null. */
  readonly body: string | null;
}

/** A limit that ends a run early, and what reached it. */
export type LimitReached =
  /** So many rollouts have failed. */
  | { readonly what: "failures"; readonly failed: number; readonly finished: number; readonly most: number }
  /** More than this share of the finished rollouts has failed. */
  | {
    readonly what: "failure_rate";
    readonly failed: number;
    readonly finished: number;
    readonly rate: number;
  }
  /** So many tokens are used. */
  | { readonly what: "tokens"; readonly used: number; readonly budget: number };
