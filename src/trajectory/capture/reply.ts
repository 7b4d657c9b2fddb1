/** What a model did in a response, in each of the three dialects: the tools it called, and its reasoning as text. */
import { join } from "../../json/edit.ts";
import { skipSpace, skipValue } from "../../json/scan.ts";
import { isText, LongText, type Tree } from "../../rows/tree.ts";
import { isTruthy, Misfit } from "../lax.ts";
import { rawTree } from "../raw_object.ts";

type Text = string | LongText;

const encoder = new TextEncoder();

/** In JSON. */
const QUOTE = encoder.encode('"'), NEWLINE = encoder.encode("\\n");

/** Arguments nested deeper are no JSON for Python. */
const DEEPEST = 1000;

/** The tools called, `{call_id, name, arguments}` each, and the reasoning; null without any. */
export interface Reply {
  readonly toolCalls: Map<string, Tree>[];
  readonly reasoning: Text | null;
}

/** Reads a response: `output` is that of Responses, `choices` of chat completions, `content` of Anthropic messages. */
export function replyOf(response: ReadonlyMap<string, Tree>): Reply {
  const toolCalls: Map<string, Tree>[] = [], reasoning: Text[] = [];
  for (const [name, read] of DIALECTS) {
    const items = response.get(name);
    if (!Array.isArray(items)) continue;
    for (const item of items) if (item instanceof Map) read(item, toolCalls, reasoning);
    break;
  }
  return { toolCalls, reasoning: joined(reasoning) };
}

type Read = (item: ReadonlyMap<string, Tree>, toolCalls: Map<string, Tree>[], reasoning: Text[]) => void;

const DIALECTS: readonly (readonly [string, Read])[] = [
  ["output", readOutput],
  ["choices", readChoice],
  ["content", readBlock],
];

function readOutput(
  item: ReadonlyMap<string, Tree>,
  toolCalls: Map<string, Tree>[],
  reasoning: Text[],
): void {
  if (item.get("type") === "function_call") {
    const id = item.get("call_id");
    toolCalls.push(
      toolCall(isTruthy(id) ? id : item.get("id"), item.get("name"), argumentsOf(item.get("arguments"))),
    );
  } else if (item.get("type") === "reasoning") {
    for (const summary of listAt(item, "summary")) {
      const text = summary instanceof Map ? summary.get("text") : undefined;
      if (isText(text) && isTruthy(text)) reasoning.push(text);
    }
  }
}

function readChoice(
  choice: ReadonlyMap<string, Tree>,
  toolCalls: Map<string, Tree>[],
  reasoning: Text[],
): void {
  const message = choice.get("message");
  if (!(message instanceof Map)) return;
  for (const call of listAt(message, "tool_calls")) {
    if (!(call instanceof Map)) continue;
    const tool = call.get("function"), called = tool instanceof Map ? tool : new Map<string, Tree>();
    toolCalls.push(toolCall(call.get("id"), called.get("name"), argumentsOf(called.get("arguments"))));
  }
  const older = message.get("reasoning_content"), text = isTruthy(older) ? older : message.get("reasoning");
  if (isText(text) && isTruthy(text)) reasoning.push(text);
}

function readBlock(
  block: ReadonlyMap<string, Tree>,
  toolCalls: Map<string, Tree>[],
  reasoning: Text[],
): void {
  const type = block.get("type"), thinking = block.get("thinking");
  if (type === "tool_use") {
    const input = block.get("input");
    toolCalls.push(toolCall(block.get("id"), block.get("name"), isTruthy(input) ? input! : new Map()));
  } else if ((type === "thinking" || type === "redacted_thinking") && isText(thinking)) {
    reasoning.push(thinking);
  }
}

function toolCall(id: Tree | undefined, name: Tree | undefined, args: Tree): Map<string, Tree> {
  return new Map([["call_id", id ?? null], ["name", name ?? null], ["arguments", args]]);
}

/** Line by line; null for nothing. */
function joined(texts: readonly Text[]): Text | null {
  const short = texts.filter((text) => typeof text === "string");
  if (short.length === texts.length) return short.join("\n") || null;
  const jsons = texts.map((text) =>
    text instanceof LongText ? text.json : encoder.encode(JSON.stringify(text))
  );
  const inside = jsons.map((json) => json.subarray(1, -1));
  return new LongText(join([QUOTE, ...inside.flatMap((json, k) => k > 0 ? [NEWLINE, json] : [json]), QUOTE]));
}

/** Arguments as they were meant: an object, or the JSON in a string; a string that is not JSON is kept as `_raw`. */
function argumentsOf(value: Tree | undefined): Tree {
  if (value instanceof Map) return value;
  if (!isText(value)) return new Map();
  try {
    const json = encoder.encode(value instanceof LongText ? value.text() : value),
      start = skipSpace(json, 0),
      end = skipValue(json, start, DEEPEST);
    if (skipSpace(json, end) < json.length) throw new SyntaxError("more text after the value");
    return rawTree(json.subarray(start, end));
  } catch {
    return new Map([["_raw", value]]);
  }
}

/** The items of a list; a string or an object has none that count, as when Python walks through them. */
function listAt(object: ReadonlyMap<string, Tree>, name: string): readonly Tree[] {
  const value = object.get(name);
  if (Array.isArray(value)) return value;
  if (isTruthy(value) && !isText(value) && !(value instanceof Map)) {
    throw new Misfit(`${name} is not a list`);
  }
  return [];
}
