/** What one line says of the tokens and the time that its attempt took. */
import { isObject, isString } from "../json/kind.ts";
import { numberAt } from "../json/number.ts";
import { type JsonObject, readObject } from "../json/object.ts";
import { textOf } from "../json/text.ts";
import { ELAPSED, elapsedSeconds } from "../record/elapsed.ts";

/** Null for what the line does not say. */
export interface Spend {
  readonly model: string | null;
  readonly input: number | null;
  readonly output: number | null;
  /** In seconds. */
  readonly duration: number | null;
  /** Whether the answer ended at its length limit. */
  readonly truncated: boolean;
}

const MODEL_NAME = 200;

/**
 * Tokens are those of `response.usage`, under the names of either API, else those that `ng_perf` counted; the duration is
 * `elapsed_seconds`, else the latency of `ng_perf`. An answer is truncated when its `incomplete_details` say
 * `max_output_tokens`, or its status is `incomplete` and they give no reason.
 */
export function spendOf(row: JsonObject): Spend {
  const response = objectIn(row, "response"), usage = objectIn(response, "usage");
  const perf = objectIn(row, "ng_perf");
  const input = countIn(usage, "input_tokens", "prompt_tokens"),
    output = countIn(usage, "output_tokens", "completion_tokens");
  const told = input !== null || output !== null, model = response?.raw("model");
  const latency = numberIn(perf, "total_latency_ms");
  return {
    model: told && isString(model) ? textOf(model, MODEL_NAME) : null,
    input: told ? input : countIn(perf, "prompt_tokens"),
    output: told ? output : countIn(perf, "completion_tokens"),
    duration: elapsedSeconds(row.raw(ELAPSED), row.raw("response")) ??
      (latency !== null && latency >= 0 ? latency / 1000 : null),
    truncated: response !== undefined && isTruncated(response),
  };
}

function isTruncated(response: JsonObject): boolean {
  const reason = objectIn(response, "incomplete_details")?.raw("reason");
  if (isString(reason)) return textOf(reason, MODEL_NAME) === "max_output_tokens";
  const status = response.raw("status");
  return isString(status) && textOf(status, MODEL_NAME) === "incomplete";
}

function objectIn(object: JsonObject | undefined, name: string): JsonObject | undefined {
  const raw = object?.raw(name);
  return isObject(raw) ? readObject(raw) : undefined;
}

/** The first member of these names, if it is a whole number, 0 or more. */
function countIn(object: JsonObject | undefined, ...names: readonly string[]): number | null {
  const name = names.find((name) => object?.has(name));
  const count = name === undefined ? null : numberIn(object, name);
  return count !== null && Number.isSafeInteger(count) && count >= 0 ? count : null;
}

function numberIn(object: JsonObject | undefined, name: string): number | null {
  const raw = object?.raw(name);
  return raw && !isTruth(raw) ? numberAt(raw, 0, raw.length) ?? null : null;
}

/** Whether it is `true` or `false`, which are numbers only where rewards are meant. */
function isTruth(raw: Uint8Array): boolean {
  return raw[0] === 0x74 || raw[0] === 0x66;
}
