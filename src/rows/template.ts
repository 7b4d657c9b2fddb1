/**
 * Python's `str.format` as far as prompts need it: `{field}`, `{field[key]}`, `{field[0]}`, and doubled braces.
 * Conversions, format specs and attributes are refused, since they would need Python itself.
 */
import { UsageFault } from "../kit/fault.ts";
import { str } from "./python.ts";
import { NumberText, type Tree } from "./tree.ts";

/** A replacement field. */
export interface Field {
  /** The name of the value. */
  readonly name: string;
  /** What to look up inside it, from the outside in: numbers for lists and strings, keys for objects. */
  readonly path: readonly (string | number)[];
  /** As written between the braces, for messages. */
  readonly text: string;
}

/** A template, parsed: text and replacement fields in order. */
export type Template = readonly (string | Field)[];

/** A template asks for something that is not there. */
export class FieldFault extends Error {
  /** Shown when the error is printed raw. */
  override name = "FieldFault";
}

/**
 * Parses a template.
 *
 * @param where what to call it in an error: `prompt.yaml: user`
 * @throws {UsageFault} for what Python would not parse, and what is not supported.
 */
export function parseTemplate(text: string, where: string): Template {
  const parts: (string | Field)[] = [];
  let literal = "";
  let i = 0;
  while (i < text.length) {
    const c = text[i]!;
    if (c !== "{" && c !== "}") {
      literal += c;
      i++;
    } else if (text[i + 1] === c) {
      literal += c;
      i += 2;
    } else if (c === "}") {
      throw new UsageFault(
        `${where}: a "}" that closes nothing at character ${i + 1}; write "}}" for a brace.`,
      );
    } else {
      const end = fieldEnd(text, i + 1);
      if (end < 0) {
        throw new UsageFault(
          `${where}: a "{" that is never closed at character ${i + 1}; write "{{" for a brace.`,
        );
      }
      if (literal) parts.push(literal);
      literal = "";
      parts.push(parseField(text.slice(i + 1, end), where));
      i = end + 1;
    }
  }
  if (literal) parts.push(literal);
  return parts;
}

/** The index of the brace that closes a field; braces inside square brackets belong to a key. */
function fieldEnd(text: string, from: number): number {
  let inKey = false;
  for (let i = from; i < text.length; i++) {
    if (text[i] === "[") inKey = true;
    else if (text[i] === "]") inKey = false;
    else if (text[i] === "}" && !inKey) return i;
  }
  return -1;
}

function parseField(text: string, where: string): Field {
  const refuse = (why: string) => new UsageFault(`${where}: {${text}}: ${why}.`);
  const [name] = /^[^.[\]:!{]*/.exec(text)!;
  const path: (string | number)[] = [];
  let rest = text.slice(name.length);
  for (let key; (key = /^\[([^\]]*)\]/.exec(rest)) !== null; rest = rest.slice(key[0].length)) {
    if (key[1] === "") throw refuse("the square brackets are empty");
    path.push(/^\d+$/.test(key[1]!) ? Number(key[1]) : key[1]!);
  }
  if (rest.startsWith("!")) throw refuse("conversions such as !r are not supported");
  if (rest.startsWith(":")) throw refuse("format specs such as :.2f are not supported");
  if (rest.startsWith(".")) throw refuse("attributes are not supported; keys are written {field[key]}");
  if (rest !== "") throw refuse(`what follows ${JSON.stringify(text.slice(0, -rest.length))} makes no sense`);
  if (name === "" || /^\d+$/.test(name)) {
    throw refuse("fields have names: the braces must hold that of a row's member");
  }
  return { name, path, text };
}

/**
 * The template with its fields filled in.
 *
 * @param value the value of a name, `undefined` when there is none
 * @throws {FieldFault} when a field is missing or cannot be reached into.
 */
export function fillTemplate(template: Template, value: (name: string) => Tree | undefined): string {
  let text = "";
  for (const part of template) text += typeof part === "string" ? part : str(reach(part, value(part.name)));
  return text;
}

function reach(field: Field, found: Tree | undefined): Tree {
  if (found === undefined) throw new FieldFault(`there is no member "${field.name}"`);
  for (const key of field.path) {
    const inside = step(found, key);
    if (inside === undefined) {
      throw new FieldFault(`{${field.text}}: there is nothing at [${key}] in ${kindOf(found)}`);
    }
    found = inside;
  }
  return found;
}

/** `value[key]` as in Python: numbers count in lists and in the characters of a string, keys only name members. */
function step(value: Tree, key: string | number): Tree | undefined {
  if (value instanceof Map) return typeof key === "string" ? value.get(key) : undefined;
  if (typeof key !== "number") return undefined;
  if (Array.isArray(value)) return value[key];
  return typeof value === "string" ? Array.from(value)[key] : undefined;
}

function kindOf(value: Tree): string {
  if (value instanceof Map) return `an object with ${[...value.keys()].join(", ") || "no members"}`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value instanceof NumberText) return "a number";
  return typeof value === "string" ? "a string" : String(value);
}
