/** What checks read from a result's `ng_trajectory`. The names are Gym's. */
import type { Content } from "./content.ts";

/** A model server. */
export interface ModelRef {
  /** Always `responses_api_models`. */
  readonly type: string;
  /** Its name. */
  readonly name: string;
}

/** How a turn or an invocation refers to a model call: by its id, or by server and response. */
export interface CallRef {
  /** The call's id. */
  readonly model_call_id: string | null;
  /** The server. */
  readonly model_ref: ModelRef | null;
  /** The id of the response. */
  readonly response_id: string | null;
}

/** A turn of an agent. */
export interface Turn {
  /** Whose turn. */
  readonly invocation_id: string;
  /** Of which task. */
  readonly task_id: string;
  /** Of which rollout. */
  readonly rollout_id: string;
  /** Counts from 1. */
  readonly turn_no: number;
  /** What its output holds. */
  readonly answer: Content | null;
  /** What its reasoning holds. */
  readonly reasoning_content: Content | null;
  /** The calls it made. */
  readonly model_calls: readonly CallRef[];
}

/** One run of an agent, or of an agent that it called. */
export interface Invocation {
  /** Its id. */
  readonly invocation_id: string;
  /** The calls it owns. */
  readonly model_calls: readonly CallRef[];
}

/** A call as it was captured. */
export interface CapturedCall {
  /** Its id. */
  readonly model_call_id: string | null;
  /** When it started, in seconds. */
  readonly started_at: number | null;
  /** The response, as bytes of JSON. */
  readonly response: Uint8Array | null;
  /** What is known about the response. */
  readonly response_metadata: {
    /** The id of the response. */
    readonly response_id: string | null;
    /** The server. */
    readonly model_ref: ModelRef | null;
    /** The HTTP status. */
    readonly status_code: number | null;
    /** The response's own status. */
    readonly response_status: string | null;
    /** Why it ended. */
    readonly finish_reason: string | null;
    /** Why it failed. */
    readonly error_category: string | null;
  };
  /** Tokens, where they were counted. */
  readonly token_stats: {
    /** Of the prompt. */
    readonly prompt_tokens: number | null;
    /** Of the response. */
    readonly completion_tokens: number | null;
  };
}

/** Something that could not be observed. */
export interface Gap {
  /** What. */
  readonly code: string;
  /** In which invocation. */
  readonly invocation_id: string | null;
  /** More about it. */
  readonly detail: string | null;
}

export interface Trajectory {
  /** The task. */
  readonly task_id: string;
  /** The rollout. */
  readonly rollout_id: string;
  readonly invocations: readonly Invocation[];
  readonly turns: readonly Turn[];
  readonly model_calls: readonly CapturedCall[];
  readonly gaps: readonly Gap[];
}

/** Whether a trajectory has one of these gaps. */
export function hasGap({ gaps }: Trajectory, ...codes: readonly string[]): boolean {
  return gaps.some(({ code }) => codes.includes(code));
}
