/** The records of a trajectory and of an agent's observations, checked and completed as Gym's models do it. */
import { NumberText, type Tree } from "../rows/tree.ts";
import { modelRefOf } from "./capture/call_record.ts";
import { amount, count, decimal, list, Misfit, oneOf, string, type Taker, truth, whole } from "./lax.ts";
import { conversationItem } from "./conversation.ts";
import { anything, type Field, nullable, orElse, record } from "./record.ts";

type Taken = Map<string, Tree>;

const refFields = record({
  model_call_id: nullable(string),
  model_ref: nullable(modelRefOf),
  response_id: nullable(string),
});

/** A reference to a call: by its id, or by its model server and response. */
export const callRef: Taker<Taken> = (value) => {
  const taken = refFields(value);
  if (taken.get("model_call_id") || (taken.get("model_ref") && taken.get("response_id"))) return taken;
  throw new Misfit("a reference that refers to nothing");
};

/** References to calls. */
export const callRefs: Field = [list(callRef), () => []];

/** An agent's, or a subagent's, part of the rollout. Its kind is written first, also where it goes without saying. */
export const invocation: Taker<Taken> = record({
  kind: orElse(oneOf("agent_invocation"), "agent_invocation"),
  invocation_id: [string],
  parent_invocation_id: nullable(string),
  spawned_by_tool_call_id: nullable(string),
  status: orElse(oneOf("completed", "failed", "incomplete", "unknown"), "unknown"),
  duration_ms: nullable(amount),
  error_type: nullable(string),
  model_calls: callRefs,
  conversation: [list(conversationItem), () => []],
});

const TOOL_CALL: Readonly<Record<string, Field>> = {
  kind: orElse(oneOf("tool_call"), "tool_call"),
  invocation_id: [string],
  tool_call_id: [string],
  sandbox_id: nullable(string),
  tool_name: nullable(string),
  started_at: nullable(decimal),
  completed_at: nullable(decimal),
  duration_ms: nullable(amount),
  timing_source: nullable(oneOf("executor", "artifact", "harness")),
  status: orElse(oneOf("completed", "failed", "timeout", "cancelled", "incomplete", "unknown"), "unknown"),
  error_type: nullable(string),
};

/** A tool call as it was observed. */
export const observedToolCall: Taker<Taken> = timed(record(TOOL_CALL));

/** A tool call of a trajectory, with what it gave the model. */
export const toolCall: Taker<Taken> = timed(record({ ...TOOL_CALL, output: nullable(anything) }));

function timed(take: Taker<Taken>): Taker<Taken> {
  return (value) => {
    const taken = take(value), from = taken.get("started_at"), to = taken.get("completed_at");
    if (from instanceof NumberText && to instanceof NumberText && Number(to.text) < Number(from.text)) {
      throw new Misfit("a tool call that ends before it starts");
    }
    return taken;
  };
}

/** What could not be observed. */
export const gapRecord: Taker<Taken> = record({
  code: [string],
  invocation_id: nullable(string),
  detail: nullable(string),
});

/** Of a model call: what its response said of itself. */
export const RESPONSE_METADATA: Readonly<Record<string, Field>> = {
  response_id: nullable(string),
  model_ref: nullable(modelRefOf),
  model: nullable(string),
  dialect: nullable(string),
  status_code: nullable(whole),
  response_status: nullable(string),
  finish_reason: nullable(string),
  upstream_attempted: nullable(truth),
  response_source: nullable(oneOf("upstream", "local")),
  upstream_status_code: nullable(whole),
  local_response_reason: nullable(string),
  error_category: nullable(string),
  latency_ttft_ms: nullable(amount),
};

const metadata = record(RESPONSE_METADATA);
const tokens = record({
  prompt_tokens: nullable(count),
  completion_tokens: nullable(count),
  reasoning_tokens: nullable(count),
  total_tokens: nullable(count),
  cached_tokens: nullable(count),
});

/** One exchange with a model. */
export const modelCall: Taker<Taken> = record({
  model_call_id: nullable(string),
  started_at: nullable(decimal),
  completed_at: nullable(decimal),
  duration_ms: nullable(amount),
  request: nullable(anything),
  response: nullable(anything),
  response_metadata: [metadata, () => metadata(new Map())],
  token_stats: [tokens, () => tokens(new Map())],
});

const FIRST_TURN = 1;

/** One decision of a model: what it was asked, what it answered. */
export const turn: Taker<Taken> = record({
  invocation_id: [string],
  task_id: [string],
  rollout_id: [string],
  turn_no: [(value) => {
    const number = whole(value);
    if (Number(number.text) < FIRST_TURN) throw new Misfit("turns count from 1");
    return number;
  }],
  timestamp: [decimal],
  question: nullable(anything),
  answer: nullable(anything),
  reasoning_content: nullable(anything),
  resolved: nullable(truth),
  step_count: [count],
  model_calls: callRefs,
});

const fields = record({
  schema_version: orElse(oneOf("1.0"), "1.0"),
  task_id: [string],
  rollout_id: [string],
  invocations: [list(invocation), () => []],
  turns: [list(turn), () => []],
  model_calls: [list(modelCall), () => []],
  tool_calls: [list(toolCall), () => []],
  gaps: [list(gapRecord), () => []],
});

/** A whole trajectory: ids are unique, and its turns are its own. */
export const trajectory: Taker<Taken> = (value) => checked(fields(value));

/** A trajectory whose records were taken already. @throws {Misfit} when they do not fit together */
export function checked(trajectory: Taken): Taken {
  unique(listAt(trajectory, "invocations").map((one) => one.get("invocation_id")), "invocations");
  unique(
    listAt(trajectory, "model_calls").map((call) => call.get("model_call_id") || undefined),
    "model calls",
  );
  const turns = listAt(trajectory, "turns");
  for (const turn of turns) {
    for (const name of ["task_id", "rollout_id"]) {
      if (turn.get(name) !== trajectory.get(name)) throw new Misfit(`a turn of another ${name}`);
    }
  }
  unique(turns.map((turn) => keyOf(turn, "turn_no")), "turns");
  return trajectory;
}

/** The records of a list of a taken record. */
export function listAt(record: ReadonlyMap<string, Tree>, name: string): Taken[] {
  return record.get(name) as Taken[];
}

/** A key of a record within its invocation. */
export function keyOf(record: ReadonlyMap<string, Tree>, name: string): string {
  const value = record.get(name);
  return JSON.stringify([record.get("invocation_id"), value instanceof NumberText ? value.text : value]);
}

function unique(ids: readonly (Tree | undefined)[], what: string): void {
  const given = ids.filter((id) => id !== undefined);
  if (new Set(given).size < given.length) throw new Misfit(`two ${what} with one id`);
}
