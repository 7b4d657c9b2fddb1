/**
 * Reads `ng_trajectory` of a result. All of it must have Gym's shape, or none of it is used; only the items of
 * conversations are not validated, since checks do not read them.
 */
import {
  anything,
  bytes,
  flag,
  list,
  nullable,
  object,
  oneOf,
  optional,
  readShape,
  real,
  required,
  type Shape,
  ShapeFault,
  someReal,
  someText,
  text,
  whole,
} from "./shape.ts";
import { content } from "./content.ts";
import type { CallRef, CapturedCall, Gap, Invocation, ModelRef, Trajectory, Turn } from "./trajectory.ts";

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

const callRef: Shape<CallRef> = (cursor) => {
  const ref = anyRef(cursor);
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
  answer: nullable(content),
  reasoning_content: nullable(content),
  model_calls: optional(list(callRef), none),
}, {
  unread: {
    timestamp: required(someReal()),
    question: nullable(anything),
    resolved: nullable(flag),
    step_count: required(whole(0)),
  },
});

const item: Shape<null> = (cursor) => {
  if (cursor.bytes[cursor.at] !== 0x7b) throw new ShapeFault("an item that is not an object");
  return anything(cursor);
};

const invocation = object<Invocation>({
  invocation_id: required(text),
  model_calls: optional(list(callRef), none),
}, {
  unread: {
    kind: optional<unknown>(oneOf("agent_invocation"), () => null),
    parent_invocation_id: nullable(someText),
    spawned_by_tool_call_id: nullable(someText),
    status: optional<unknown>(oneOf("completed", "failed", "incomplete", "unknown"), () => null),
    duration_ms: nullable(someReal(0)),
    error_type: nullable(someText),
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
    model: nullable(someText),
    dialect: nullable(someText),
    upstream_attempted: nullable(flag),
    response_source: nullable(oneOf("upstream", "local")),
    upstream_status_code: nullable(whole()),
    local_response_reason: nullable(someText),
    latency_ttft_ms: nullable(someReal(0)),
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
const empty = <T>(shape: Shape<T>) => () => readShape(EMPTY, shape);

const capturedCall = object<CapturedCall>({
  model_call_id: nullable(text),
  started_at: nullable(real()),
  response: nullable(bytes),
  response_metadata: optional(metadata, empty(metadata)),
  token_stats: optional(tokens, empty(tokens)),
}, {
  unread: {
    completed_at: nullable(someReal()),
    duration_ms: nullable(someReal(0)),
    request: nullable(anything),
  },
});

const times = object<{ readonly started_at: number | null; readonly completed_at: number | null }>({
  started_at: nullable(real()),
  completed_at: nullable(real()),
}, {
  unread: {
    kind: optional<unknown>(oneOf("tool_call"), () => null),
    invocation_id: required(someText),
    tool_call_id: required(someText),
    sandbox_id: nullable(someText),
    tool_name: nullable(someText),
    duration_ms: nullable(someReal(0)),
    timing_source: nullable(oneOf("executor", "artifact", "harness")),
    status: optional<unknown>(
      oneOf("completed", "failed", "timeout", "cancelled", "incomplete", "unknown"),
      () => null,
    ),
    error_type: nullable(someText),
    output: nullable(anything),
  },
});

const toolCall: Shape<null> = (cursor) => {
  const { started_at, completed_at } = times(cursor);
  if (started_at !== null && completed_at !== null && completed_at < started_at) {
    throw new ShapeFault("a tool call that ended before it started");
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
 * A trajectory.
 *
 * @throws {ShapeFault} also for duplicate ids, and for a turn of another rollout
 */
export const trajectory: Shape<Trajectory> = (cursor) => {
  const trajectory = record(cursor);
  const { task_id, rollout_id, invocations, turns, model_calls } = trajectory;
  refuseTwice(invocations.map(({ invocation_id }) => invocation_id), "an invocation id");
  refuseTwice(model_calls.map(({ model_call_id }) => model_call_id).filter(Boolean), "a call id");
  if (turns.length > 1) {
    refuseTwice(turns.map(({ invocation_id, turn_no }) => `${turn_no} ${invocation_id}`), "a turn");
  }
  if (turns.some((turn) => turn.task_id !== task_id || turn.rollout_id !== rollout_id)) {
    throw new ShapeFault("a turn of another rollout");
  }
  return trajectory;
};

function refuseTwice(ids: readonly unknown[], what: string): void {
  if (ids.length > 1 && new Set(ids).size < ids.length) throw new ShapeFault(`${what} that is there twice`);
}
