/** What is wrong with a value, in words, without ever showing a secret. */
import type { z } from "zod";
import type { KeyName } from "./config.ts";
import { keyOf, KEYS } from "./keys.ts";
import { suggestion } from "../kit/nearest.ts";
import { isSecret, MASKED, withoutSecrets } from "../kit/secrets.ts";

/** Characters of a value that an error shows. */
const LONGEST = 60;

/** One thing that is wrong inside a key's value. */
export interface Wrong {
  /** Where, from the key on. */
  readonly path: readonly string[];
  /** What: a sentence without its subject. */
  readonly what: string;
}

/** What the schema has against a key's value, everything at once. */
export function wrongsOf(key: string, value: unknown, error: z.ZodError): Wrong[] {
  return error.issues.flatMap((issue) => wrongsIn([key], value, issue));
}

type Issue = z.core.$ZodIssue;

function wrongsIn(above: readonly string[], value: unknown, issue: Issue): Wrong[] {
  const path = [...above, ...issue.path.map(String)];
  const at = issue.path.reduce<unknown>((in_, part) => (in_ as Record<PropertyKey, unknown>)?.[part], value);
  if (issue.code === "unrecognized_keys") {
    const keys = membersOf(path);
    return issue.keys.map((key) => ({
      path: [...path, key],
      what: `is unknown${suggestion(key, keys)}; there is ${keys.join(" and ")}`,
    }));
  }
  if (issue.code === "invalid_union") {
    // Of several shapes the one that the value has is the one to talk about.
    const fitting = issue.errors.find(([first]) =>
      first && (first.code !== "invalid_type" || first.path.length)
    );
    if (fitting) return fitting.flatMap((inner) => wrongsIn(path, at, inner));
  }
  const meant = issue.code === "invalid_value" && typeof at === "string"
    ? suggestion(at, issue.values.map(String))
    : "";
  return [{ path, what: `${must(issue, at)}, got ${shown(at, path)}${meant}` }];
}

function must(issue: Issue, value: unknown): string {
  if (typeof value === "number" && !Number.isFinite(value)) return "must be a finite number";
  switch (issue.code) {
    case "invalid_type":
      return `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be ${issue.values.join(", ").replace(/, ([^,]*)$/, " or $1")}`;
    case "too_small":
      if (issue.origin === "string") return "must not be empty";
      return `must be ${issue.inclusive ? "at least" : "more than"} ${issue.minimum}`;
    case "too_big":
      return `must be at most ${issue.maximum}`;
    case "invalid_union": {
      const types = issue.errors.map(([first]) =>
        first?.code === "invalid_type" ? TYPES[first.expected] : ""
      );
      return `must be ${[...new Set(types)].filter(Boolean).join(" or ")}`;
    }
    default:
      return `cannot be used (${issue.message})`;
  }
}

/** The members of a key that has fixed ones. */
function membersOf([name, ...inner]: readonly string[]): readonly string[] {
  const isKey = inner.length === 0 && Object.hasOwn(KEYS, name!);
  return isKey ? keyOf(name as KeyName).type.members ?? [] : [];
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  null: "null",
  array: "a list",
  record: "a map",
  object: "a map",
};

/**
 * A value for an error: secrets masked, credentials in addresses masked, long strings cut, and of lists and maps,
 * which may hold anything, only that they are that.
 *
 * @param path the key that it is the value of, and those above
 */
export function shown(value: unknown, path: readonly string[]): string {
  if (path.some(isSecret)) return MASKED;
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a map";
  if (typeof value === "number") return String(value);
  if (typeof value !== "string") return JSON.stringify(value) ?? "nothing";
  const text = withoutCredentials(value);
  return JSON.stringify(text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`);
}

/** A string with what may be secret in addresses masked, those without a scheme too: `http://•••@host`. */
export function withoutCredentials(text: string): string {
  return withoutSecrets(text.replace(/([a-z][a-z0-9+.-]*:\/\/)?\S*@/gi, `$1${MASKED}@`));
}
