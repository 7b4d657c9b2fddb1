/**
 * The items of a conversation, as Gym's models write them: the items of OpenAI's Responses, with all their fields.
 * Gym has models of its own for messages, function calls, their outputs and reasoning, which drop what they do not know;
 * of hosted tools the fields of the item itself are completed, and what is inside of them is kept as it is.
 */
import { isText, type Tree } from "../rows/tree.ts";
import { HOSTED } from "./hosted_items.ts";
import { decimal, list, Misfit, object, oneOf, type Taker, text, whole } from "./lax.ts";
import { either, type Field, nullable, omissible, orElse, orNull, record } from "./record.ts";

const one = (word: string): Field => orElse(oneOf(word), word);
const STATUS = ["in_progress", "completed", "incomplete"] as const;
const phase = nullable(oneOf("commentary", "final_answer"));
const textOrNull = omissible(orNull(text));

// What is sent: typed dictionaries, of which only known keys stay.
const DETAIL = ["low", "high", "auto", "original"] as const;
const inputText = record({ text: [text], type: [oneOf("input_text")] }, "dropped");
const urlOrSource = either(text, object);
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
    file_id: textOrNull,
    image_url: textOrNull,
  }, "dropped"),
  record({
    type: [oneOf("input_file")],
    detail: omissible(oneOf("low", "high")),
    file_data: omissible(text),
    file_id: textOrNull,
    file_url: omissible(text),
    filename: omissible(text),
  }, "dropped"),
  (value) => {
    const part = video(value), sources = ["video_url", "video"].filter((name) => part.has(name));
    const source = part.get(sources[0]!), url = source instanceof Map ? source.get("url") : source;
    if (sources.length !== 1 || !isText(url) || (typeof url === "string" && url.trim() === "")) {
      throw new Misfit("no video");
    }
    return part;
  },
);
const outputPart = either(
  inputText,
  record({
    type: [oneOf("input_image")],
    detail: omissible(orNull(oneOf(...DETAIL))),
    file_id: textOrNull,
    image_url: textOrNull,
  }, "dropped"),
  record({
    type: [oneOf("input_file")],
    detail: omissible(oneOf("low", "high")),
    file_data: textOrNull,
    file_id: textOrNull,
    file_url: textOrNull,
    filename: textOrNull,
  }, "dropped"),
);

// What a model said.
const annotation = either(
  record({ file_id: [text], filename: [text], index: [whole], type: [oneOf("file_citation")] }, "kept"),
  record({
    end_index: [whole],
    start_index: [whole],
    title: [text],
    type: [oneOf("url_citation")],
    url: [text],
  }, "kept"),
  record({
    container_id: [text],
    end_index: [whole],
    file_id: [text],
    filename: [text],
    start_index: [whole],
    type: [oneOf("container_file_citation")],
  }, "kept"),
  record({ file_id: [text], index: [whole], type: [oneOf("file_path")] }, "kept"),
);
const token = { token: [text], bytes: [list(whole)], logprob: [decimal] } as const;
const logprob = record({ ...token, top_logprobs: [list(record(token, "kept"))] }, "kept");
const said = either(
  record({
    annotations: [list(annotation)],
    text: [text],
    type: one("output_text"),
    logprobs: nullable(list(logprob)),
  }, "dropped"),
  record({ refusal: [text], type: one("refusal") }, "dropped"),
);
const summary = record({ text: [text], type: [oneOf("summary_text")] }, "kept");
const thought = record({ text: [text], type: [oneOf("reasoning_text")] }, "kept");

/** The fields of Gym's own models, which are trained on. */
const OWN: Readonly<Record<string, Readonly<Record<string, Field>>>> = {
  easy_message: {
    content: [either(text, list(inputPart))],
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
    id: [text],
    content: [list(said)],
    role: one("assistant"),
    status: orElse(oneOf(...STATUS), "completed"),
    type: one("message"),
    phase,
  },
  function_call: {
    arguments: [text],
    call_id: [text],
    name: [text],
    type: one("function_call"),
    id: nullable(text),
    status: nullable(oneOf(...STATUS)),
    namespace: nullable(text),
  },
  reasoning: {
    id: [text],
    summary: [list(summary)],
    type: one("reasoning"),
    encrypted_content: nullable(text),
    content: nullable(list(thought)),
  },
};

/** What a sampled item carries to be trained on; it comes first. */
const TOKENS: Readonly<Record<string, Field>> = {
  prompt_token_ids: [list(whole)],
  generation_token_ids: [list(whole)],
  generation_log_probs: [list(decimal)],
  routed_experts: nullable(either(text, list(list(list(whole))))),
};
const SAMPLED = ["prompt_token_ids", "generation_token_ids", "generation_log_probs"];

/** What a function call gave the model; nothing is trained on it. */
const functionOutput = record({
  call_id: [text],
  output: [either(text, list(outputPart))],
  type: one("function_call_output"),
  id: nullable(text),
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
  if (isOneOf(at("role"), ROLES) && (isText(content) || Array.isArray(content))) {
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
