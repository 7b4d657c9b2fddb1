/**
 * A config as the block-style YAML in which a head server sends it.
 */
import { dumps, isObject, type Json, type JsonObject } from "./json.ts";

/** The lines of a document. Scalars are JSON scalars, which are YAML scalars too. */
export function toYaml(value: JsonObject | Json[], level = 0): string[] {
  const pad = "  ".repeat(level);
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      if (!isBlock(item)) return [`${pad}- ${scalar(item)}`];
      const [first, ...rest] = toYaml(item, level + 1);
      return [`${pad}- ${first!.trimStart()}`, ...rest];
    });
  }
  return Object.entries(value).flatMap(([key, item]) => {
    const name = /^[A-Za-z_][\w.-]*$/.test(key) ? key : JSON.stringify(key);
    if (!isBlock(item)) return [`${pad}${name}: ${scalar(item)}`];
    // The items of a list stand under its key without indentation, as PyYAML writes them.
    return [`${pad}${name}:`, ...toYaml(item, isObject(item) ? level + 1 : level)];
  });
}

function isBlock(item: Json): item is JsonObject | Json[] {
  return Array.isArray(item) ? item.length > 0 : isObject(item) && Object.keys(item).length > 0;
}

const RESERVED = new Set(["true", "false", "null", "yes", "no", "on", "off", "y", "n"]);

function scalar(item: Json): string {
  const isPlain = typeof item === "string" && /^[A-Za-z][\w./-]*$/.test(item) &&
    !RESERVED.has(item.toLowerCase());
  return isPlain ? item : dumps(item);
}
