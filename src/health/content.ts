/** Whether responses have content: strings in any of the shapes that models and agents use. */
import { parse, readObject } from "../json/object.ts";
import { elements } from "./shape.ts";

/** Members of an object that can hold text. */
const TEXT = [
  "text",
  "content",
  "output_text",
  "answer",
  "refusal",
  "encrypted_content",
  "reasoning",
  "reasoning_content",
  "summary",
];

/** Types of items that are tool calls. */
const TOOL_CALLS = new Set<unknown>([
  "function_call",
  "tool_call",
  "tool_use",
  "mcp_call",
  "mcp_list_tools",
  "mcp_approval_request",
  "file_search_call",
  "web_search_call",
  "computer_call",
  "image_generation_call",
  "code_interpreter_call",
  "local_shell_call",
  "custom_tool_call",
]);

const QUOTE = 0x22, BRACE = 0x7b, BRACKET = 0x5b;

/** Anything nested deeper is ignored. */
const DEEPEST = 500;

/** Whether a JSON value has a non-blank string: itself, in its elements, or in its text members. */
export function hasText(raw: Uint8Array | undefined | null, depth: number = 0): boolean {
  if (depth > DEEPEST) return false;
  switch (raw?.[0]) {
    case QUOTE:
      return (parse(raw!) as string).trim() !== "";
    case BRACKET:
      return elements(raw!).some((raw) => hasText(raw, depth + 1));
    case BRACE: {
      const object = readObject(raw!);
      return TEXT.some((name) => hasText(object.raw(name), depth + 1));
    }
  }
  return false;
}

/** Whether a JSON value is, or lists, a tool call or something that has tool calls. */
export function hasToolCall(raw: Uint8Array | undefined | null, depth: number = 0): boolean {
  if (depth > DEEPEST) return false;
  if (raw?.[0] === BRACKET) return elements(raw).some((raw) => hasToolCall(raw, depth + 1));
  if (raw?.[0] !== BRACE) return false;
  const object = readObject(raw), type = object.raw("type");
  return (type?.[0] === QUOTE && TOOL_CALLS.has(parse(type))) || isSomething(object.raw("tool_calls"));
}

/** Whether a model's response, of either API, has content. */
export function responseHasText(raw: Uint8Array): boolean {
  if (raw[0] !== BRACE) return false;
  const response = readObject(raw);
  if (["output_text", "content", "output"].some((name) => hasText(response.raw(name)))) return true;
  const choices = response.raw("choices");
  if (choices?.[0] !== BRACKET) return false;
  return elements(choices).some((raw) => {
    if (raw[0] !== BRACE) return false;
    const choice = readObject(raw), message = choice.raw("message");
    return hasText(choice.raw("text")) ||
      (message?.[0] === BRACE && hasText(readObject(message).raw("content")));
  });
}

/** Whether a value is neither empty nor zero nor false nor null. */
function isSomething(raw: Uint8Array | undefined): boolean {
  if (!raw) return false;
  if (raw[0] === BRACKET) return elements(raw).length > 0;
  if (raw[0] === BRACE) return readObject(raw).members.length > 0;
  return Boolean(parse(raw));
}
