/** Whether responses have content: strings in any of the shapes that models and agents use. */
import { isText } from "../json/text_at.ts";
import { parse, readObject } from "../json/object.ts";
import { skipColon, skipComma, skipName, skipSpace, skipString, skipValue } from "../json/scan.ts";
import { type Cursor, elements, type Shape } from "./shape.ts";

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

const QUOTE = 0x22, BACKSLASH = 0x5c, BRACE = 0x7b, CLOSE_BRACE = 0x7d, BRACKET = 0x5b, CLOSE_BRACKET = 0x5d;

/** Anything nested deeper is ignored. */
const DEEPEST = 500;

/** What a value holds. */
export interface Content {
  /** A non-blank string: the value itself, in its elements, or in its text members. */
  readonly text: boolean;
  /** Whether it is, or lists, a tool call or something that has tool calls. */
  readonly toolCall: boolean;
}

const SAID = 1, CALLED = 2;
const CONTENTS: readonly Content[] = [0, SAID, CALLED, SAID | CALLED].map((found) => ({
  text: (found & SAID) !== 0,
  toolCall: (found & CALLED) !== 0,
}));

/** What any value holds. */
export const content: Shape<Content> = (cursor) => CONTENTS[contentAt(cursor, 0)]!;

function contentAt(cursor: Cursor, depth: number): number {
  const { bytes, at } = cursor;
  if (depth <= DEEPEST) {
    switch (bytes[at]) {
      case QUOTE:
        cursor.at = skipString(bytes, at);
        return isBlank(bytes, at, cursor.at) ? 0 : SAID;
      case BRACKET:
        return contentOfList(cursor, depth);
      case BRACE:
        return contentOfObject(cursor, depth);
    }
  }
  cursor.at = skipValue(bytes, at);
  return 0;
}

/** Whether the string between two quotes is nothing but white space. */
function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  const first = bytes[from + 1]!;
  if (first > 0x20 && first < 0x80 && first !== BACKSLASH) return to - from === 2;
  return (parse(bytes.subarray(from, to)) as string).trim() === "";
}

function contentOfList(cursor: Cursor, depth: number): number {
  const { bytes } = cursor;
  let found = 0;
  cursor.at = skipSpace(bytes, cursor.at + 1);
  while (bytes[cursor.at] !== CLOSE_BRACKET) {
    found |= contentAt(cursor, depth + 1);
    cursor.at = skipComma(bytes, cursor.at, CLOSE_BRACKET);
  }
  cursor.at++;
  return found;
}

function contentOfObject(cursor: Cursor, depth: number): number {
  const { bytes } = cursor;
  // Of members with one name the last counts.
  let withText = 0, isCall = false, hasCalls = false;
  let at = skipSpace(bytes, cursor.at + 1);
  while (bytes[at] !== CLOSE_BRACE) {
    const end = skipName(bytes, at), value = cursor.at = skipColon(bytes, at, end);
    const name = nameAt(bytes, at, end);
    if (name >= 0 && name < TEXT.length) {
      const bit = 1 << name;
      withText = (contentAt(cursor, depth + 1) & SAID) !== 0 ? withText | bit : withText & ~bit;
    } else {
      cursor.at = skipValue(bytes, value);
      if (name === TYPE) isCall = isToolCall(bytes.subarray(value, cursor.at));
      else if (name === TOOLS) hasCalls = isSomething(bytes.subarray(value, cursor.at));
    }
    at = skipComma(bytes, cursor.at, CLOSE_BRACE);
  }
  cursor.at = at + 1;
  return (withText !== 0 ? SAID : 0) | (isCall || hasCalls ? CALLED : 0);
}

const NAMES = [...TEXT, "type", "tool_calls"], TYPE = TEXT.length, TOOLS = TYPE + 1;
const BY_LENGTH: number[][] = [];
NAMES.forEach((name, index) => (BY_LENGTH[name.length] ??= []).push(index));

/** The index among the names of the key between two quotes; -1 for any other. */
function nameAt(bytes: Uint8Array, from: number, to: number): number {
  for (const index of BY_LENGTH[to - from - 2] ?? []) {
    if (isText(bytes, from, to, NAMES[index]!)) return index;
  }
  return bytes.subarray(from, to).includes(BACKSLASH)
    ? NAMES.indexOf(parse(bytes.subarray(from, to)) as string)
    : -1;
}

function isToolCall(type: Uint8Array): boolean {
  return type[0] === QUOTE && TOOL_CALLS.has(parse(type));
}

function hasText(raw: Uint8Array | undefined): boolean {
  return raw !== undefined && (contentAt({ bytes: raw, at: 0 }, 0) & SAID) !== 0;
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
function isSomething(raw: Uint8Array): boolean {
  if (raw[0] === BRACKET) return elements(raw).length > 0;
  if (raw[0] === BRACE) return readObject(raw).members.length > 0;
  return Boolean(parse(raw));
}
