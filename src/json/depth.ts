/** How deep JSON is nested, without a stack of its own. */

/**
 * Results and captured calls that are nested deeper are refused: Gym's own tools cannot read them. What reads a part of
 * one reads as deep, or a result that was taken could end a run.
 */
export const DEEPEST_RESULT = 1024;

const QUOTE = 0x22, BACKSLASH = 0x5c;

/**
 * How many objects and lists stand in one another, 0 for a value that is neither.
 *
 * @param json the bytes of one valid JSON value
 */
export function depthOf(json: Uint8Array): number {
  let depth = 0, deepest = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!;
    if (byte === QUOTE) {
      for (at++; json[at] !== QUOTE; at++) if (json[at] === BACKSLASH) at++;
    } else if (byte === 0x7b || byte === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return deepest;
}
