/**
 * Hydra-style words on the command line, `key=value` and its relatives: recognised, read, and laid over a
 * configuration. What a value may look like is in `hydra_value.ts`.
 */
import type { KeyName } from "./config.ts";
import { keyOf, KEYS } from "./keys.ts";
import { isExact } from "../kit/exact_number.ts";
import { WordError } from "./override_error.ts";
import { readKey } from "./override_key.ts";
import { put, readValue, type WordValue } from "./hydra_value.ts";

export { WordError } from "./override_error.ts";
export type { WordValue } from "./hydra_value.ts";

/** One word of the command line, read. */
export interface Word {
  /** The argument as it was given. It may hold a secret: do not print it. */
  text: string;
  /** `key=`, `+key=`, `++key=` or `~key`. */
  mode: "set" | "add" | "force" | "delete";
  /** The key, split at its dots; at least one part. */
  path: string[];
  /** The value; of a `~key` without one, null. */
  value: WordValue;
}

/** Files and addresses, which may well hold an equals sign: `./lr=1.jsonl`, `/data/a=b`, `~/x`, `http://…`, `C:\…`. */
const PLACE = /^(?:\.{0,2}\/|~\/|[a-z][a-z0-9+.-]*:[/\\])/i;

/**
 * Whether an argument is meant as a word (`key=value`, `+key=value`, `++key=value`, `~key`) rather than as a
 * flag or a plain argument. True also for words with a mistake in them, so that {@link parseWord} can tell it.
 * A path that holds an equals sign is plain only if it starts with `/`, `./`, `../` or `~/`.
 */
export function isWord(arg: string): boolean {
  if (arg.startsWith("-") || PLACE.test(arg)) return false;
  return /^[+~]/.test(arg) || arg.includes("=");
}

/** Whether the key's value is sent on as JSON, so that its numbers stay as they were typed. */
function isSentOn(name: string): boolean {
  return Object.hasOwn(KEYS, name) && keyOf(name as KeyName).holds === "anything";
}

/**
 * One argument as a word.
 *
 * @throws {WordError} with `column` (from 1, in code points) and a message that shows the word and a caret
 * under that column.
 */
export function parseWord(arg: string): Word {
  const points = Array.from(arg);
  const mode = arg.startsWith("++")
    ? "force"
    : arg.startsWith("+")
    ? "add"
    : arg.startsWith("~")
    ? "delete"
    : "set";
  const start = MARK[mode].length;
  const equals = points.indexOf("=");
  const path = readKey(points, start, equals < 0 ? points.length : equals);
  if (equals >= 0) {
    return { text: arg, mode, path, value: readValue(points, equals + 1, isSentOn(path[0]!)) };
  }
  if (mode === "delete") return { text: arg, mode, path, value: null };
  throw new WordError(points, points.length, 'the "=" is missing: write key=value');
}

const MARK = { set: "", add: "+", force: "++", delete: "~" } as const;

/**
 * `base` with the words laid over it in order; later ones win. Neither is changed, but the result shares what
 * no word touched: treat it as read-only.
 *
 * The three ways to set a key are one here, since rollcall knows its keys: Hydra's difference, whether the key
 * has to be there before, protects configurations that it does not know. As in Hydra a map is merged into a map
 * that is there and everything else replaces; `a.b=c` makes the maps on the way, replaces what is not a map, and
 * reaches into lists by index. `~key` takes a key away, and does nothing when it is not there; `~key=value`
 * insists on the value.
 *
 * @throws {WordError} for an index that a list does not have, for taking an item out of a list, and for a
 * `~key=value` that finds another value.
 */
export function applyWords(
  base: Record<string, WordValue>,
  words: readonly Word[],
): Record<string, WordValue> {
  let result: WordValue = { ...base };
  for (const word of words) {
    result = word.mode === "delete" ? without(result, word, 0) : withValue(result, word, 0);
  }
  return result as Record<string, WordValue>;
}

function withValue(there: WordValue | undefined, word: Word, depth: number): WordValue {
  const part = word.path[depth];
  if (part === undefined) return merged(there, word.value);
  if (Array.isArray(there)) {
    const index = indexIn(there, part);
    if (index === undefined) {
      fail(
        word,
        depth,
        `there is a list of ${there.length} here without an item "${part}": write the whole list`,
      );
    }
    return there.with(index, withValue(there[index], word, depth + 1));
  }
  const map = isMap(there) ? { ...there } : {};
  put(map, part, withValue(own(map, part), word, depth + 1));
  return map;
}

function without(there: WordValue, word: Word, depth: number): WordValue {
  const part = word.path[depth]!, last = depth === word.path.length - 1;
  const index = Array.isArray(there) ? indexIn(there, part) : undefined;
  if (index !== undefined && last) {
    fail(word, depth, "an item cannot be taken out of a list: write the whole list");
  }
  const found = Array.isArray(there) ? index === undefined ? undefined : there[index] : own(there, part);
  if (found === undefined) return there;
  if (!last) {
    const child = without(found, word, depth + 1);
    if (index !== undefined) return (there as WordValue[]).with(index, child);
    const map = { ...there as Record<string, WordValue> };
    put(map, part, child);
    return map;
  }
  if (word.value !== null && !same(found, word.value)) {
    fail(
      word,
      depth,
      "the key has another value, so it is not taken away: write ~key without a value to do it anyway",
    );
  }
  const map = { ...there as Record<string, WordValue> };
  delete map[part];
  return map;
}

function merged(there: WordValue | undefined, value: WordValue): WordValue {
  if (!isMap(there) || !isMap(value)) return value;
  const map = { ...there };
  for (const [key, member] of Object.entries(value)) put(map, key, merged(own(map, key), member));
  return map;
}

function indexIn(list: readonly WordValue[], part: string): number | undefined {
  return /^\d+$/.test(part) && Number(part) < list.length ? Number(part) : undefined;
}

function isMap(value: WordValue | undefined): value is Record<string, WordValue> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isExact(value);
}

function own(value: WordValue, key: string): WordValue | undefined {
  return isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function same(a: WordValue | undefined, b: WordValue | undefined): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, at) => same(item, b[at]));
  }
  if (!isMap(a) || !isMap(b)) return Object.is(a, b);
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
}

/** Points at a part of the word's key. */
function fail(word: Word, depth: number, reason: string): never {
  const before = word.path.slice(0, depth).reduce((length, part) => length + part.length + 1, 0);
  throw new WordError(Array.from(word.text), MARK[word.mode].length + before, reason);
}
