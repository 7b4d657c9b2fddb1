/** What tells one task's row in the materialized inputs from another's, whatever run they were made for. */
import { createHash } from "node:crypto";
import { isNull, isObject } from "../json/kind.ts";
import { numberAt } from "../json/number.ts";
import { type JsonObject, MEMBER, readObject } from "../json/object.ts";
import { textOf } from "../json/text.ts";
import { KEYS } from "../record/keys.ts";

/** What a row gets from the run rather than from its dataset: who runs it, and with which skills. */
const OF_THE_RUN = new Set<string>([KEYS.agent, KEYS.source, KEYS.skills]);
const INPUT = "input", TOOLS = "tools";
/** Between a name and a value: in neither, since both are JSON. */
const BREAK = new Uint8Array([0x0a]);

/**
 * 128 bits in hex over all members of a row but those that Gym and rollcall stamp on it (`_ng_…`, the agent, the source,
 * the skills). Of `responses_create_params` only `input` and `tools` count: the rest, such as seed, temperature and model, is
 * how a run asks, not what.
 */
export function rowHash(row: JsonObject): string {
  const hash = createHash("sha256");
  const add = (of: JsonObject, at: number) => {
    hash.update(of.bytes.subarray(of.members[at], of.members[at + 1])).update(BREAK);
    hash.update(of.bytes.subarray(of.members[at + 2], of.members[at + 3])).update(BREAK);
  };
  for (let at = 0; at < row.members.length; at += MEMBER) {
    const name = row.nameAt(at);
    if (name.startsWith("_ng_") || OF_THE_RUN.has(name)) continue;
    const value = row.bytes.subarray(row.members[at + 2], row.members[at + 3]);
    if (name !== KEYS.params || !isObject(value)) {
      add(row, at);
      continue;
    }
    const params = readObject(value);
    for (let k = 0; k < params.members.length; k += MEMBER) {
      if (params.isNamed(k, INPUT) || params.isNamed(k, TOOLS)) add(params, k);
    }
  }
  return hash.digest("hex").slice(0, 32);
}

/** The longest text of a field, in characters: it names a group, it is not read. */
const LONGEST = 200;

/**
 * A field of a row as text: a string's content, else the JSON of its value, cut after 200 characters.
 *
 * @param path a member's name, or several with dots between them, each inside the one before; a member whose own name
 * has the dots comes first
 * @returns null where there is no such member
 */
export function fieldOf(row: JsonObject, path: string): string | null {
  const raw = rawAt(row, path);
  if (!raw) return null;
  return isNull(raw) ? null : textOf(raw, LONGEST);
}

/** The same with numbers as numbers, and null where the row says null. */
export function valueOf(row: JsonObject, path: string): string | number | null {
  const raw = rawAt(row, path);
  if (!raw || isNull(raw)) return null;
  const number = /^[-\d]/.test(String.fromCharCode(raw[0]!)) ? numberAt(raw, 0, raw.length) : undefined;
  return number ?? textOf(raw, LONGEST);
}

function rawAt(object: JsonObject, path: string): Uint8Array | undefined {
  const whole = object.raw(path);
  if (whole) return whole;
  for (let dot = path.indexOf("."); dot >= 0; dot = path.indexOf(".", dot + 1)) {
    const inside = object.raw(path.slice(0, dot));
    const found = isObject(inside) && rawAt(readObject(inside), path.slice(dot + 1));
    if (found) return found;
  }
}
