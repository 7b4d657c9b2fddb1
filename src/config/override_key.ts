/** The part of a word before its `=`: `a.b.c`, `group/sub`, `group@package`. */
import { WordError } from "./override_error.ts";

/** Parts that a path may have, so that nothing walks so deep that the stack ends. */
const LONGEST = 100;

const GROUP_PART = /^[A-Za-z_][A-Za-z0-9_-]*$/;
const NAME = /^[A-Za-z_$][A-Za-z0-9_$-]*$/;
const INDEX = /^(?:0|[1-9](?:_?[0-9])*)$/;

/**
 * The path that the code points from `start` up to `end` (an index, exclusive) name.
 *
 * Parts between dots become parts of the path. rollcall has no config groups, so a `group/name` stays one part,
 * and `@package` stays at the end of its part: both are then unknown keys, which is what Hydra says of
 * groups that do not exist.
 *
 * @throws {WordError} when a part is missing or holds a character that keys cannot have.
 */
export function readKey(points: readonly string[], start: number, end: number): string[] {
  const stray = points.slice(start, end).findIndex((point) => !/^[A-Za-z0-9_$./@-]$/.test(point));
  if (stray >= 0) throw new WordError(points, start + stray, strayReason(points[start + stray]!));
  const at = points.slice(start, end).indexOf("@");
  const nameEnd = at < 0 ? end : start + at;
  const parts = readParts(points, start, nameEnd);
  if (at < 0) return parts;
  // Hydra takes an empty package for the top of the configuration.
  const packageParts = nameEnd + 1 === end ? [] : readParts(points, nameEnd + 1, end, "package");
  parts.push(`${parts.pop()}@${packageParts.join(".")}`);
  return parts;
}

function readParts(points: readonly string[], start: number, end: number, what = "key"): string[] {
  const text = points.slice(start, end).join("");
  if (text === "") throw new WordError(points, start, `the ${what} is missing: write key=value`);
  const group = what === "key" && text.includes("/");
  const parts = text.split(group ? "/" : ".");
  if (parts.length > LONGEST) {
    throw new WordError(points, start, `the ${what} has more than ${LONGEST} parts`);
  }
  let from = start;
  for (const part of parts) {
    if (part === "") throw new WordError(points, from, `a part of the ${what} is missing`);
    // A number alone is not a key in Hydra; inside a path it is an index or a name.
    const good = group ? GROUP_PART.test(part) : NAME.test(part) || parts.length > 1 && INDEX.test(part);
    if (!good) {
      const mark = part.search(group ? /[$.@]/ : /[/@]/);
      throw new WordError(
        points,
        from + Math.max(mark, 0),
        `${JSON.stringify(part)} cannot be a part of the ${what}: names start with a letter or "_" ` +
          'and go on with letters, digits, "_" and "-"',
      );
    }
    from += part.length + 1;
  }
  return group ? [text] : parts;
}

function strayReason(point: string): string {
  if (/\s/u.test(point)) {
    return "white space in the key: write key=value without space before the equals sign";
  }
  if (point === "[") return "brackets in the key: write an index as a part of its own, list.0=value";
  if (point === "+" || point === "~") {
    return "an override starts with +, with ++, with ~ or with its key, nothing else";
  }
  return `${JSON.stringify(point)} cannot be in a key`;
}
