/** Turns a prompt template into `responses_create_params.input`. */
import { isNull, isObject } from "../json/kind.ts";
import { edit, join, toJson } from "../json/edit.ts";
import { type JsonObject, MEMBER, parse, readObject } from "../json/object.ts";
import { JsonFault, skipSpace } from "../json/scan.ts";
import { UsageFault } from "../kit/fault.ts";
import { type Kind, RowFault, shown } from "./problems.ts";
import { type Row } from "./row.ts";
import { KEYS } from "../record/keys.ts";
import { FieldFault, fillTemplate, parseTemplate, type Template } from "./template.ts";
import { readTree } from "./tree.ts";

/** The templates of a prompt file. */
export interface Templates {
  /** The first message, if there is one. */
  readonly system: Template | undefined;
  /** The user's message. */
  readonly user: Template;
}

const INPUT_TWICE: Kind = {
  heading: "prompt_config writes responses_create_params.input, and these rows bring one already",
  advice: "Leave out prompt_config, or the input of these rows.",
};
const NOT_FILLED: Kind = {
  heading: "The prompt template cannot be filled in from these rows",
  advice: "Every {field} of the template must be a member of every row; {{ and }} are braces.",
};
const NO_OBJECT: Kind = { heading: "responses_create_params must be an object", advice: "" };

/**
 * The templates in a parsed prompt file: an object with a string `user` and optionally a string `system`.
 * Other keys are ignored, as Gym does.
 *
 * @param file as shown in messages
 * @throws {UsageFault} when it is something else, or a template cannot be parsed.
 */
export function asTemplates(value: unknown, file: string): Templates {
  const { user, system } = (value ?? {}) as { user?: unknown; system?: unknown };
  const given = system !== undefined && system !== null;
  if (typeof user !== "string" || (given && typeof system !== "string")) {
    const key = typeof user === "string" ? "system" : "user";
    throw new UsageFault(
      `${file} must hold a string "user", and may hold a string "system"; its "${key}" is ` +
        `${shown(key === "user" ? user : system)}.`,
    );
  }
  return {
    system: given ? parseTemplate(system as string, `${file}: system`) : undefined,
    user: parseTemplate(user, `${file}: user`),
  };
}

/**
 * Writes the messages into the row's `responses_create_params`, whose other members stay.
 *
 * @throws {RowFault} when the row has an input already, or lacks a field of the template.
 */
export function applyPrompt(row: Row, templates: Templates): void {
  const given = row.raw(KEYS.params);
  const params = given && !isNull(given) ? given : EMPTY;
  if (!isObject(params)) throw new RowFault(NO_OBJECT, "");
  const object = readObject(params);
  const input = object.raw("input");
  if (input && !isEmpty(input)) throw new RowFault(INPUT_TWICE, "");
  row.set(KEYS.params, join(edit(object, { set: new Map([["input", toJson(messages(row, templates))]]) })));
}

const EMPTY = toJson({});

/** Whether Python would call the value empty: `null`, `false`, zero, and an empty string, list or object. */
function isEmpty(json: Uint8Array): boolean {
  const first = json[0]!;
  if (first === 0x5b || first === 0x7b) return skipSpace(json, 1) === json.length - 1;
  if (first === 0x22) return json.length === 2;
  const value = parse(json);
  return value === null || value === false || value === 0;
}

function messages(row: Row, { system, user }: Templates): { role: string; content: string }[] {
  const value = (name: string) => {
    const json = member(row.object, name);
    return json && readTree(json);
  };
  try {
    const parts = [];
    if (system) parts.push({ role: "system", content: fillTemplate(system, value) });
    parts.push({ role: "user", content: fillTemplate(user, value) });
    return parts;
  } catch (error) {
    if (error instanceof JsonFault) throw new RowFault(NOT_FILLED, error.message);
    if (!(error instanceof FieldFault)) throw error;
    throw new RowFault(NOT_FILLED, `${error.message}; there are ${row.object.names().join(", ") || "none"}`);
  }
}

/** A member's value by any name; `raw` finds ASCII names only. */
function member(object: JsonObject, name: string): Uint8Array | undefined {
  // deno-lint-ignore no-control-regex
  if (/^[\x00-\x7f]*$/.test(name)) return object.raw(name);
  const at = object.names().lastIndexOf(name) * MEMBER;
  return at < 0 ? undefined : object.bytes.subarray(object.members[at + 2], object.members[at + 3]);
}
