/** One captured exchange as a call record. Names, order and rules are Gym's. */
import { isText, type LongText, NumberText, type Tree } from "../../rows/tree.ts";
import { decimal, isTruthy, Misfit, object, oneOf, optional, string, truth, whole } from "../lax.ts";
import { replyOf } from "./reply.ts";
import { type Tokens, tokensOf } from "./usage.ts";

/** A model server: all there is of a reference to one. */
export interface ModelRef {
  readonly type: string;
  readonly name: string;
}

/** A captured call. */
export interface Call {
  readonly id: string | null;
  readonly responseId: string | null;
  readonly modelRef: ModelRef | null;
  /** What its client called its session. */
  readonly session: string | null;
  /** Its place among the records of the file, damaged ones counted too. */
  readonly index: number;
  readonly tokens: Tokens;
  /** In milliseconds. */
  readonly latency: number | null;
  /** The record, payloads (`request`, `response`, `request_raw`, `response_raw`) included. */
  readonly record: Map<string, Tree>;
}

/** What a record holds of what was sent and answered, as it was. */
export const PAYLOADS = ["request", "response", "request_raw", "response_raw"] as const;

const EMPTY: ReadonlyMap<string, Tree> = new Map();

/** The record of an exchange. @throws {Misfit} when a field holds what no record can */
export function callOf(exchange: ReadonlyMap<string, Tree>, index: number): Call {
  const request = mapAt(exchange, "request"), response = mapAt(exchange, "response");
  const answered = response ?? EMPTY, tokens = tokensOf(answered.get("usage"));
  const { toolCalls, reasoning } = replyOf(answered);
  const id = optional(exchange.get("model_call_id"), string);
  const responseId = stringAt(answered, "id"), session = stringAt(exchange, "client_session_id");
  const modelRef = optional(exchange.get("model_ref"), modelRefOf);
  const latency = optional(exchange.get("latency_ms"), decimal);
  const answeredModel = answered.get("model");
  const model = isTruthy(answeredModel) ? answeredModel : request?.get("model");
  const as = <T extends Tree>(name: string, take: (value: Tree) => T) => optional(exchange.get(name), take);
  const record = new Map<string, Tree>([
    ["model_call_id", id],
    ["response_id", responseId],
    ["client_session_id", session],
    ["call_index", new NumberText(String(index))],
    ["model_ref", modelRef],
    ["model", typeof model === "string" ? model : null],
    ["dialect", as("dialect", string)],
    ["status_code", as("status_code", whole)],
    ["response_status", stringAt(answered, "status")],
    ["finish_reason", finishReason(answered)],
    ["upstream_attempted", as("upstream_attempted", truth)],
    ["response_source", as("response_source", oneOf("upstream", "local"))],
    ["upstream_status_code", as("upstream_status_code", whole)],
    ["local_response_reason", as("local_response_reason", string)],
    ["started_at", as("started_at", decimal)],
    ["completed_at", as("completed_at", decimal)],
    ["tokens_in", counted(tokens.in)],
    ["tokens_out", counted(tokens.out)],
    ["tokens_reasoning", counted(tokens.reasoning)],
    ["tokens_total", counted(tokens.total)],
    ["request", request ?? null],
    ["response", response ?? null],
    ["request_raw", textAt(exchange, "request_raw")],
    ["response_raw", textAt(exchange, "response_raw")],
    ["tool_calls", toolCalls],
    ["reasoning_content", reasoning],
    ["cache_hit", tokens.cached === null ? null : tokens.cached > 0n],
    ["cached_tokens", counted(tokens.cached)],
    ["cache_creation_tokens", counted(tokens.cacheCreation)],
    ["error_category", as("error_category", string)],
    ["latency_total_ms", latency],
    ["latency_ttft_ms", as("latency_ttft_ms", decimal)],
  ]);
  return {
    id,
    responseId,
    modelRef: modelRef && { type: modelRef.get("type") as string, name: modelRef.get("name") as string },
    session,
    index,
    tokens,
    latency: latency && Number(latency.text),
    record,
  };
}

const modelType = oneOf("responses_api_models");

/** A reference to a model server, without what else stands in it. @throws {Misfit} */
export function modelRefOf(value: Tree): Map<string, Tree> {
  const ref = object(value), type = ref.get("type"), name = ref.get("name");
  if (type === undefined || name === undefined) throw new Misfit("a reference without type or name");
  return new Map([["type", modelType(type)], ["name", string(name)]]);
}

function finishReason(response: ReadonlyMap<string, Tree>): string | null {
  const choices = response.get("choices"), choice = Array.isArray(choices) ? choices[0] : undefined;
  return stringAt(response, "stop_reason") ??
    (choice instanceof Map ? stringAt(choice, "finish_reason") : null) ??
    stringAt(mapAt(response, "incomplete_details") ?? EMPTY, "reason");
}

function mapAt(object: ReadonlyMap<string, Tree>, name: string): Map<string, Tree> | undefined {
  const value = object.get(name);
  return value instanceof Map ? value : undefined;
}

function stringAt(object: ReadonlyMap<string, Tree>, name: string): string | null {
  const value = object.get(name);
  return typeof value === "string" ? value : null;
}

function textAt(object: ReadonlyMap<string, Tree>, name: string): string | LongText | null {
  const value = object.get(name);
  return isText(value) ? value : null;
}

function counted(count: bigint | null): Tree {
  return count === null ? null : new NumberText(String(count));
}
