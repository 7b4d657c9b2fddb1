/** What counts as a reward: one rule for live means, counts and metrics. */
import { numberAt } from "../json/number.ts";
import type { JsonObject } from "../json/object.ts";
import { KEYS } from "./keys.ts";

/**
 * The reward of a result: a finite number, or true and false as 1 and 0. `undefined` for anything else (absent, null,
 * a string, a list, an object, a number beyond a double such as 1e400): the result is then unscored.
 */
export function rewardOf(result: JsonObject): number | undefined {
  return rewardIn(result.raw(KEYS.reward));
}

/** The same of the bytes of its `reward`, where only these were looked for. */
export function rewardIn(raw: Uint8Array | undefined): number | undefined {
  return raw && numberAt(raw, 0, raw.length);
}
