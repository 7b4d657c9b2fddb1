/**
 * `ng_trajectory` of a result, as far as checks read it. All of it must have Gym's shape, or nothing of it is believed;
 * only the items of conversations are taken as they come, since checks do not read them.
 */
import {
  bytes,
  flag,
  list,
  nullable,
  object,
  oneOf,
  optional,
  real,
  required,
  type Shape,
  ShapeFault,
  text,
  whole,
} from "./shape.ts";

/** A model server. */
export interface ModelRef {
  /** Always `responses_api_models`. */
  readonly type: string;
  /** Its name. */
  readonly name: string;
}

/** By what a turn or an invocation names a model call: its id, or server and response together. */
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
  /** What it answered, as bytes of JSON. */
  readonly answer: Uint8Array | null;
  /** Its reasoning, as bytes of JSON. */
  readonly reasoning_content: Uint8Array | null;
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
  /** When it began, in seconds. */
  readonly started_at: number | null;
  /** The answer, as bytes of JSON. */
  readonly response: Uint8Array | null;
  /** What is known of the answer. */
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
    /** Of the answer. */
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

/** See the module's comment. */
export interface Trajectory {
  /** The task. */
  readonly task_id: string;
  /** The rollout. */
  readonly rollout_id: string;
  /** See {@link Invocation}. */
  readonly invocations: readonly Invocation[];
  /** See {@link Turn}. */
  readonly turns: readonly Turn[];
  /** See {@link CapturedCall}. */
  readonly model_calls: readonly CapturedCall[];
  /** See {@link Gap}. */
  readonly gaps: readonly Gap[];
}

const none = () => [];
const modelRef = object<ModelRef>({
  type: required(oneOf("responses_api_models")),
  name: required(text),
}, { open: true });

const anyRef = object<CallRef>({
  model_call_id: nullable(text),
  model_ref: nullable(modelRef),
  response_id: nullable(text),
});

const callRef: Shape<CallRef> = (raw) => {
  const ref = anyRef(raw);
  if (!ref.model_call_id && !(ref.model_ref && ref.response_id)) {
    throw new ShapeFault("a reference without a call id, and without server and response");
  }
  return ref;
};

const turn = object<Turn>({
  invocation_id: required(text),
  task_id: required(text),
  rollout_id: required(text),
  turn_no: required(whole(1)),
  answer: nullable(bytes),
  reasoning_content: nullable(bytes),
  model_calls: optional(list(callRef), none),
}, {
  unread: {
    timestamp: required(real()),
    question: nullable(bytes),
    resolved: nullable(flag),
    step_count: required(whole(0)),
  },
});

const item: Shape<null> = (raw) => {
  if (raw[0] !== 0x7b) throw new ShapeFault("an item that is no object");
  return null;
};

const invocation = object<Invocation>({
  invocation_id: required(text),
  model_calls: optional(list(callRef), none),
}, {
  unread: {
    kind: optional<unknown>(oneOf("agent_invocation"), () => null),
    parent_invocation_id: nullable(text),
    spawned_by_tool_call_id: nullable(text),
    status: optional<unknown>(oneOf("completed", "failed", "incomplete", "unknown"), () => null),
    duration_ms: nullable(real(0)),
    error_type: nullable(text),
    conversation: optional<unknown>(list(item), none),
  },
});

type Metadata = CapturedCall["response_metadata"];
type Tokens = CapturedCall["token_stats"];

const metadata = object<Metadata>({
  response_id: nullable(text),
  model_ref: nullable(modelRef),
  status_code: nullable(whole()),
  response_status: nullable(text),
  finish_reason: nullable(text),
  error_category: nullable(text),
}, {
  unread: {
    model: nullable(text),
    dialect: nullable(text),
    upstream_attempted: nullable(flag),
    response_source: nullable(oneOf("upstream", "local")),
    upstream_status_code: nullable(whole()),
    local_response_reason: nullable(text),
    latency_ttft_ms: nullable(real(0)),
  },
});

const tokens = object<Tokens>({
  prompt_tokens: nullable(whole(0)),
  completion_tokens: nullable(whole(0)),
}, {
  unread: {
    reasoning_tokens: nullable(whole(0)),
    total_tokens: nullable(whole(0)),
    cached_tokens: nullable(whole(0)),
  },
});

const EMPTY = new TextEncoder().encode("{}");

const capturedCall = object<CapturedCall>({
  model_call_id: nullable(text),
  started_at: nullable(real()),
  response: nullable(bytes),
  response_metadata: optional(metadata, () => metadata(EMPTY)),
  token_stats: optional(tokens, () => tokens(EMPTY)),
}, {
  unread: {
    completed_at: nullable(real()),
    duration_ms: nullable(real(0)),
    request: nullable(bytes),
  },
});

const times = object<{ readonly started_at: number | null; readonly completed_at: number | null }>({
  started_at: nullable(real()),
  completed_at: nullable(real()),
}, {
  unread: {
    kind: optional<unknown>(oneOf("tool_call"), () => null),
    invocation_id: required(text),
    tool_call_id: required(text),
    sandbox_id: nullable(text),
    tool_name: nullable(text),
    duration_ms: nullable(real(0)),
    timing_source: nullable(oneOf("executor", "artifact", "harness")),
    status: optional<unknown>(
      oneOf("completed", "failed", "timeout", "cancelled", "incomplete", "unknown"),
      () => null,
    ),
    error_type: nullable(text),
    output: nullable(bytes),
  },
});

const toolCall: Shape<null> = (raw) => {
  const { started_at, completed_at } = times(raw);
  if (started_at !== null && completed_at !== null && completed_at < started_at) {
    throw new ShapeFault("a tool call that ended before it began");
  }
  return null;
};

const gap = object<Gap>({
  code: required(text),
  invocation_id: nullable(text),
  detail: nullable(text),
});

const record = object<Trajectory>({
  task_id: required(text),
  rollout_id: required(text),
  invocations: optional(list(invocation), none),
  turns: optional(list(turn), none),
  model_calls: optional(list(capturedCall), none),
  gaps: optional(list(gap), none),
}, {
  unread: {
    schema_version: optional<unknown>(oneOf("1.0"), () => null),
    tool_calls: optional<unknown>(list(toolCall), none),
  },
});

/**
 * Reads a trajectory from the bytes of a JSON value.
 *
 * @throws {ShapeFault} also when ids are there twice, or a turn is of another rollout
 */
export function readTrajectory(raw: Uint8Array): Trajectory {
  const trajectory = record(raw);
  const { task_id, rollout_id, invocations, turns, model_calls } = trajectory;
  refuseTwice(invocations.map(({ invocation_id }) => invocation_id), "an invocation id");
  refuseTwice(model_calls.map(({ model_call_id }) => model_call_id).filter(Boolean), "a call id");
  refuseTwice(turns.map(({ invocation_id, turn_no }) => `${turn_no} ${invocation_id}`), "a turn");
  if (turns.some((turn) => turn.task_id !== task_id || turn.rollout_id !== rollout_id)) {
    throw new ShapeFault("a turn of another rollout");
  }
  return trajectory;
}

function refuseTwice(ids: readonly unknown[], what: string): void {
  if (new Set(ids).size < ids.length) throw new ShapeFault(`${what} that is there twice`);
}

/** Whether a trajectory has one of these gaps. */
export function hasGap({ gaps }: Trajectory, ...codes: readonly string[]): boolean {
  return gaps.some(({ code }) => codes.includes(code));
}
