/** What a model did in a response, in each of the three dialects: the tools it called, and its reasoning as text. */
import { skipSpace, skipValue } from "../../json/scan.ts";
import type { Tree } from "../../rows/tree.ts";
import { isTruthy, Misfit } from "../lax.ts";
import { rawTree } from "../raw_object.ts";

/** Arguments nested deeper are no JSON for Python. */
const DEEPEST = 1000;

/** The tools called, `{call_id, name, arguments}` each, and the reasoning; null without any. */
export interface Reply {
  readonly toolCalls: Map<string, Tree>[];
  readonly reasoning: string | null;
}

/** Reads a response: `output` is that of Responses, `choices` of chat completions, `content` of Anthropic messages. */
export function replyOf(response: ReadonlyMap<string, Tree>): Reply {
  const toolCalls: Map<string, Tree>[] = [], reasoning: string[] = [];
  for (const [name, read] of DIALECTS) {
    const items = response.get(name);
    if (!Array.isArray(items)) continue;
    for (const item of items) if (item instanceof Map) read(item, toolCalls, reasoning);
    break;
  }
  return { toolCalls, reasoning: reasoning.join("\n") || null };
}

type Read = (item: ReadonlyMap<string, Tree>, toolCalls: Map<string, Tree>[], reasoning: string[]) => void;

const DIALECTS: readonly (readonly [string, Read])[] = [
  ["output", readOutput],
  ["choices", readChoice],
  ["content", readBlock],
];

function readOutput(
  item: ReadonlyMap<string, Tree>,
  toolCalls: Map<string, Tree>[],
  reasoning: string[],
): void {
  if (item.get("type") === "function_call") {
    const id = item.get("call_id");
    toolCalls.push(
      toolCall(isTruthy(id) ? id : item.get("id"), item.get("name"), argumentsOf(item.get("arguments"))),
    );
  } else if (item.get("type") === "reasoning") {
    for (const summary of listAt(item, "summary")) {
      const text = summary instanceof Map ? summary.get("text") : undefined;
      if (typeof text === "string" && text) reasoning.push(text);
    }
  }
}

function readChoice(
  choice: ReadonlyMap<string, Tree>,
  toolCalls: Map<string, Tree>[],
  reasoning: string[],
): void {
  const message = choice.get("message");
  if (!(message instanceof Map)) return;
  for (const call of listAt(message, "tool_calls")) {
    if (!(call instanceof Map)) continue;
    const tool = call.get("function"), called = tool instanceof Map ? tool : new Map<string, Tree>();
    toolCalls.push(toolCall(call.get("id"), called.get("name"), argumentsOf(called.get("arguments"))));
  }
  const older = message.get("reasoning_content"), text = isTruthy(older) ? older : message.get("reasoning");
  if (typeof text === "string" && text) reasoning.push(text);
}

function readBlock(
  block: ReadonlyMap<string, Tree>,
  toolCalls: Map<string, Tree>[],
  reasoning: string[],
): void {
  const type = block.get("type"), thinking = block.get("thinking");
  if (type === "tool_use") {
    const input = block.get("input");
    toolCalls.push(toolCall(block.get("id"), block.get("name"), isTruthy(input) ? input! : new Map()));
  } else if ((type === "thinking" || type === "redacted_thinking") && typeof thinking === "string") {
    reasoning.push(thinking);
  }
}

function toolCall(id: Tree | undefined, name: Tree | undefined, args: Tree): Map<string, Tree> {
  return new Map([["call_id", id ?? null], ["name", name ?? null], ["arguments", args]]);
}

/** Arguments as they were meant: an object, or the JSON in a string; a string that is not JSON is kept as `_raw`. */
function argumentsOf(value: Tree | undefined): Tree {
  if (value instanceof Map) return value;
  if (typeof value !== "string") return new Map();
  try {
    const json = new TextEncoder().encode(value),
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
  if (isTruthy(value) && typeof value !== "string" && !(value instanceof Map)) {
    throw new Misfit(`${name} is not a list`);
  }
  return [];
}
