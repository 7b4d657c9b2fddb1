/**
 * The items of a conversation, as Gym's models write them: the items of OpenAI's Responses, with all their fields.
 * Gym has models of its own for messages, function calls, their outputs and reasoning, which drop what they do not know;
 * of hosted tools the fields of the item itself are completed, and what is inside of them is kept as it is.
 */
import type { Tree } from "../rows/tree.ts";
import { HOSTED } from "./hosted_items.ts";
import { decimal, list, Misfit, object, oneOf, string, type Taker, whole } from "./lax.ts";
import { either, type Field, nullable, omissible, orElse, orNull, record } from "./record.ts";

const one = (word: string): Field => orElse(oneOf(word), word);
const STATUS = ["in_progress", "completed", "incomplete"] as const;
const phase = nullable(oneOf("commentary", "final_answer"));
const stringOrNull = omissible(orNull(string));

// What is sent: typed dictionaries, of which only known keys stay.
const DETAIL = ["low", "high", "auto", "original"] as const;
const inputText = record({ text: [string], type: [oneOf("input_text")] }, "dropped");
const urlOrSource = either(string, object);
const video = record({
  type: [oneOf("input_video")],
  video_url: omissible(urlOrSource),
  video: omissible(urlOrSource),
}, "dropped");
const inputPart = either(
  inputText,
  record({
    detail: [oneOf(...DETAIL)],
    type: [oneOf("input_image")],
    file_id: stringOrNull,
    image_url: stringOrNull,
  }, "dropped"),
  record({
    type: [oneOf("input_file")],
    detail: omissible(oneOf("low", "high")),
    file_data: omissible(string),
    file_id: stringOrNull,
    file_url: omissible(string),
    filename: omissible(string),
  }, "dropped"),
  (value) => {
    const part = video(value), sources = ["video_url", "video"].filter((name) => part.has(name));
    const source = part.get(sources[0]!), url = source instanceof Map ? source.get("url") : source;
    if (sources.length !== 1 || typeof url !== "string" || url.trim() === "") throw new Misfit("no video");
    return part;
  },
);
const outputPart = either(
  inputText,
  record({
    type: [oneOf("input_image")],
    detail: omissible(orNull(oneOf(...DETAIL))),
    file_id: stringOrNull,
    image_url: stringOrNull,
  }, "dropped"),
  record({
    type: [oneOf("input_file")],
    detail: omissible(oneOf("low", "high")),
    file_data: stringOrNull,
    file_id: stringOrNull,
    file_url: stringOrNull,
    filename: stringOrNull,
  }, "dropped"),
);

// What a model said.
const annotation = either(
  record({ file_id: [string], filename: [string], index: [whole], type: [oneOf("file_citation")] }, "kept"),
  record({
    end_index: [whole],
    start_index: [whole],
    title: [string],
    type: [oneOf("url_citation")],
    url: [string],
  }, "kept"),
  record({
    container_id: [string],
    end_index: [whole],
    file_id: [string],
    filename: [string],
    start_index: [whole],
    type: [oneOf("container_file_citation")],
  }, "kept"),
  record({ file_id: [string], index: [whole], type: [oneOf("file_path")] }, "kept"),
);
const token = { token: [string], bytes: [list(whole)], logprob: [decimal] } as const;
const logprob = record({ ...token, top_logprobs: [list(record(token, "kept"))] }, "kept");
const said = either(
  record({
    annotations: [list(annotation)],
    text: [string],
    type: one("output_text"),
    logprobs: nullable(list(logprob)),
  }, "dropped"),
  record({ refusal: [string], type: one("refusal") }, "dropped"),
);
const summary = record({ text: [string], type: [oneOf("summary_text")] }, "kept");
const thought = record({ text: [string], type: [oneOf("reasoning_text")] }, "kept");

/** The fields of Gym's own models, which are trained on. */
const OWN: Readonly<Record<string, Readonly<Record<string, Field>>>> = {
  easy_message: {
    content: [either(string, list(inputPart))],
    role: [oneOf("user", "assistant", "system", "developer")],
    type: one("message"),
    phase,
  },
  input_message: {
    content: [list(inputPart)],
    role: [oneOf("user", "system", "developer")],
    status: orElse(oneOf(...STATUS), "completed"),
    type: one("message"),
  },
  output_message: {
    id: [string],
    content: [list(said)],
    role: one("assistant"),
    status: orElse(oneOf(...STATUS), "completed"),
    type: one("message"),
    phase,
  },
  function_call: {
    arguments: [string],
    call_id: [string],
    name: [string],
    type: one("function_call"),
    id: nullable(string),
    status: nullable(oneOf(...STATUS)),
    namespace: nullable(string),
  },
  reasoning: {
    id: [string],
    summary: [list(summary)],
    type: one("reasoning"),
    encrypted_content: nullable(string),
    content: nullable(list(thought)),
  },
};

/** What a sampled item carries to be trained on; it comes first. */
const TOKENS: Readonly<Record<string, Field>> = {
  prompt_token_ids: [list(whole)],
  generation_token_ids: [list(whole)],
  generation_log_probs: [list(decimal)],
  routed_experts: nullable(either(string, list(list(list(whole))))),
};
const SAMPLED = ["prompt_token_ids", "generation_token_ids", "generation_log_probs"];

/** What a function call gave the model; nothing is trained on it. */
const functionOutput = record({
  call_id: [string],
  output: [either(string, list(outputPart))],
  type: one("function_call_output"),
  id: nullable(string),
  status: nullable(oneOf(...STATUS)),
}, "dropped");

const MODELS = new Map<string, Taker<Map<string, Tree>>>([
  ...Object.entries(OWN).flatMap(([model, fields]) => [
    [model, record(fields, "dropped")] as const,
    [`${model} sampled`, record({ ...TOKENS, ...fields }, "dropped")] as const,
  ]),
  ["function_call_output", functionOutput],
  ...Object.entries(HOSTED),
]);

/** An item of a conversation. @throws {Misfit} when it fits none of the models */
export const conversationItem: Taker<Map<string, Tree>> = (value) => {
  const item = object(value), model = modelOf(item);
  const isSampled = Object.hasOwn(OWN, model) && SAMPLED.every((name) => item.has(name));
  const take = MODELS.get(isSampled ? `${model} sampled` : model);
  if (!take) throw new Misfit("an item of an unknown type");
  return take(item);
};

const GIVEN_ROLES = ["user", "system", "developer"], ROLES = [...GIVEN_ROLES, "assistant"];

function modelOf(item: ReadonlyMap<string, Tree>): string {
  const type = item.get("type");
  if (type === "message") return messageModel(item);
  if (typeof type === "string") return type;
  if (type === undefined || type === null) return guessed(item);
  throw new Misfit("an item whose type is not a string");
}

function messageModel(item: ReadonlyMap<string, Tree>): string {
  const content = item.get("content");
  if (isOneOf(item.get("role"), GIVEN_ROLES)) {
    return Array.isArray(content) && isOneOf(item.get("status"), STATUS) ? "input_message" : "easy_message";
  }
  if (!Array.isArray(content)) return "easy_message";
  const isSaid = content.length > 0 ? beginsWithSaid(content) : typeof item.get("id") === "string";
  return isSaid ? "output_message" : "easy_message";
}

/** An item without a type is guessed by what it has; what is like nothing is a list of tools, which takes anything. */
function guessed(item: ReadonlyMap<string, Tree>): string {
  const at = (name: string) => item.get(name), content = at("content");
  const hasId = typeof at("id") === "string";
  if (isOneOf(at("role"), ROLES) && (typeof content === "string" || Array.isArray(content))) {
    const model = messageModel(item);
    if (model === "output_message") return hasId ? model : "mcp_list_tools";
    return Array.isArray(content) && beginsWithSaid(content) ? "mcp_list_tools" : model;
  }
  if (
    !item.has("role") && hasId && Array.isArray(content) && (content.length === 0 || beginsWithSaid(content))
  ) {
    return "output_message";
  }
  if (item.has("arguments") && item.has("name")) return item.has("call_id") ? "function_call" : "mcp_call";
  if (typeof at("call_id") === "string" && item.has("output")) return "function_call_output";
  return hasId && Array.isArray(at("summary")) ? "reasoning" : "mcp_list_tools";
}

/** Whether the first part of a content is one that a model says. */
function beginsWithSaid(content: readonly Tree[]): boolean {
  const part = content[0];
  if (!(part instanceof Map)) return false;
  const type = part.get("type");
  return type ? isOneOf(type, ["output_text", "refusal"]) : part.has("refusal");
}

/** @throws {Misfit} for lists and objects, which Python cannot look up */
function isOneOf(value: Tree | undefined, words: readonly string[]): boolean {
  if (Array.isArray(value) || value instanceof Map) throw new Misfit("not a word", "TypeError");
  return typeof value === "string" && words.includes(value);
}
