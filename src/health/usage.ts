/** A result's own token counts, in `response.usage`. */
import type { JsonObject } from "../json/object.ts";
import { skipValue } from "../json/scan.ts";
import { anything, digitsOf, object, optional, readShape, type Shape } from "./shape.ts";

/** Counts; null if absent. */
export interface Usage {
  /** Of the prompts. */
  readonly prompt: number | null;
  /** Of the responses. */
  readonly completion: number | null;
}

export const NO_USAGE: Usage = { prompt: null, completion: null };

const BRACE = 0x7b;

/** Only whole numbers, 0 or more, count. */
const count: Shape<number | null> = (cursor) => {
  const { bytes, at } = cursor;
  cursor.at = skipValue(bytes, at);
  return digitsOf(bytes.subarray(at, cursor.at)) ?? null;
};

const absent = () => undefined;
const counts = object<Record<string, number | null | undefined>>({
  input_tokens: optional<number | null | undefined>(count, absent),
  prompt_tokens: optional<number | null | undefined>(count, absent),
  output_tokens: optional<number | null | undefined>(count, absent),
  completion_tokens: optional<number | null | undefined>(count, absent),
}, { open: true });

/** The counts under the names of either API; those of the Responses API win. */
const usage = ifObject<Usage>((cursor) => {
  const { input_tokens, prompt_tokens, output_tokens, completion_tokens } = counts(cursor);
  return {
    prompt: (input_tokens === undefined ? prompt_tokens : input_tokens) ?? null,
    completion: (output_tokens === undefined ? completion_tokens : output_tokens) ?? null,
  };
}, NO_USAGE);

const response = object<{ readonly usage: Usage }>({ usage: optional(usage, () => NO_USAGE) }, {
  open: true,
});

/** The token counts of a result's `response`, whatever it is. */
export const responseUsage: Shape<Usage> = ifObject((cursor) => response(cursor).usage, NO_USAGE);

/** A result's token counts. */
export function usageOf(row: JsonObject): Usage {
  const raw = row.raw("response");
  return raw ? readShape(raw, responseUsage) : NO_USAGE;
}

function ifObject<T>(shape: Shape<T>, otherwise: T): Shape<T> {
  return (cursor) => {
    if (cursor.bytes[cursor.at] === BRACE) return shape(cursor);
    anything(cursor);
    return otherwise;
  };
}
