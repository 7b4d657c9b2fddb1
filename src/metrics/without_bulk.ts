/** What is sent of a rollout for metrics: everything but its bulky parts. List and rule are Gym's. */
import { KEYS } from "../record/keys.ts";
import { isNull, isObject } from "../json/kind.ts";
import { edit, join, toJson } from "../json/edit.ts";
import { type JsonObject, readObject } from "../json/object.ts";

const BULKY = new Set([
  KEYS.params,
  "ng_agent_observations",
  "ng_model_call_capture",
  "ng_trajectory",
]);
const BULKY_AND_RESPONSE = new Set([...BULKY, "response"]);
const KEPT_OF_RESPONSE = ["usage", "incomplete_details"];

/**
 * A rollout's row for the metrics request, in pieces. Of `response` only `usage` and `incomplete_details` are kept; a
 * response that has neither, or is not an object, is dropped.
 */
export function strip(row: JsonObject): Uint8Array[] {
  const kept = new Map<string, Uint8Array>();
  const raw = row.raw("response");
  if (isObject(raw)) {
    const response = readObject(raw);
    for (const name of KEPT_OF_RESPONSE) {
      const value = response.raw(name);
      if (value && !isNull(value)) kept.set(name, value);
    }
  }
  if (kept.size === 0) return edit(row, { drop: BULKY_AND_RESPONSE });
  const response = join(edit(readObject(toJson({})), { set: kept }));
  return edit(row, { drop: BULKY, set: new Map([["response", response]]) });
}
