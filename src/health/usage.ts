/** A result's own token counts, in `response.usage`. */
import type { JsonObject } from "../json/object.ts";
import { readObject } from "../json/object.ts";
import { isObject } from "../json/kind.ts";
import { digitsOf } from "./shape.ts";

/** Counts; null if absent. */
export interface Usage {
  /** Of the prompts. */
  readonly prompt: number | null;
  /** Of the responses. */
  readonly completion: number | null;
}

/** A result's token counts, under the names of either API. Only whole numbers, 0 or more, count. */
export function usageOf(row: JsonObject): Usage {
  const usage = objectIn(objectIn(row, "response"), "usage");
  const count = (...names: readonly string[]) => {
    const name = names.find((name) => usage?.has(name));
    return name === undefined ? null : digitsOf(usage!.raw(name)!) ?? null;
  };
  return {
    prompt: count("input_tokens", "prompt_tokens"),
    completion: count("output_tokens", "completion_tokens"),
  };
}

function objectIn(object: JsonObject | undefined, name: string): JsonObject | undefined {
  const raw = object?.raw(name);
  return isObject(raw) ? readObject(raw) : undefined;
}
