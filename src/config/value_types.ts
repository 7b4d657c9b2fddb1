/**
 * The types that keys can have. Each describes itself in words, has its default, knows the values that are right as they
 * are, and builds its zod schema when asked for it: zod is loaded only for what needs converting or an explanation.
 * It is long because it is a list of types, none of which is long.
 */
import type { z as Z } from "zod";
import { isExact } from "../kit/exact_number.ts";
import { perSecond } from "../kit/per_second.ts";
import { parseRanges, rangesText } from "../kit/ranges.ts";
import { parseShard, shardFault, shardText } from "../kit/shard.ts";

/** A plain nested value, as configuration files and words hold it. */
export type Value = null | boolean | number | string | Value[] | { [key: string]: Value };

/** Repeats per task: a number, or numbers by agent or routing key with `_default` for the rest; null counts as 1. */
export type Repeats = number | null | Readonly<Record<string, number | null>>;

/** How rows find their environment server; see the key of that name. */
export type RoutingMode = "agent" | "legacy" | "taskset";

/** Whether connections are kept between requests; see the key of that name. */
export type ConnectionReuse = "auto" | "never" | "always";

/** What a schema is built with. */
export type Zod = typeof Z;

/** The type of a key whose values are `T`. */
export interface Type<T> {
  /** In words: `a whole number, 1 or more, or null`. */
  readonly words: string;
  /** What a key has that nobody sets; without it the key must be given. */
  readonly default?: T;
  /** The members of a map that has fixed ones. */
  readonly members?: readonly string[];
  /** The values, where they are a few strings. */
  readonly choices?: readonly string[];
  /** Whether the schema would certainly take the value as it is. A no means only that it is for the schema to say. */
  readonly isPlain: (value: unknown) => boolean;
  /** The schema, without the default. */
  readonly schema: (z: Zod) => Z.ZodType;
}

/** A string that must be given. */
export const given: Type<string> = { words: "a string", isPlain: isText, schema: (z) => z.string().min(1) };

/** A string or nothing. */
export const text: Type<string | null> = {
  words: "a string or null",
  default: null,
  isPlain: (value) => value === null || isText(value),
  schema: (z) => z.string().min(1).nullable(),
};

/** A switch. */
export function toggle(byDefault: boolean): Type<boolean> {
  return {
    words: "true or false",
    default: byDefault,
    isPlain: (value) => typeof value === "boolean",
    schema: (z) => z.preprocess(switched, z.boolean()),
  };
}

/** The type of a number whose default is of type `T`: one that is null by default may be null. */
type Widened<T extends number | null> = T extends null ? number | null : number;

/** A time in seconds, fractions allowed; 0 only where `min` says so. */
export function seconds<T extends number | null>(
  byDefault: T,
  min: "zero" | "more" = "zero",
): Type<Widened<T>> {
  return {
    words: `seconds, ${min === "zero" ? "0 or more" : "more than 0"}${byDefault === null ? ", or null" : ""}`,
    default: byDefault as Widened<T>,
    isPlain: (value) =>
      (value === null && byDefault === null) ||
      (Number.isFinite(value) && (value as number) >= 0 && (value !== 0 || min === "zero")),
    schema: (z) => {
      const number = min === "zero" ? z.number().nonnegative() : z.number().positive();
      return z.preprocess(numeric, byDefault === null ? number.nullable() : number);
    },
  };
}

/** A whole number of at least `min`. */
export function whole<T extends number | null>(byDefault: T, min: number, max?: number): Type<Widened<T>> {
  const range = max === undefined ? `${min} or more` : `${min} to ${max}`;
  return {
    words: `a whole number, ${range}${byDefault === null ? ", or null" : ""}`,
    default: byDefault as Widened<T>,
    isPlain: (value) => (value === null && byDefault === null) || isWhole(value, min, max),
    schema: (z) => {
      const number = max === undefined ? z.int().min(min) : z.int().min(min).max(max);
      return z.preprocess(numeric, byDefault === null ? number.nullable() : number);
    },
  };
}

/** How many at once: a number, or what is found out. */
export const concurrency: Type<number | "auto" | null> = {
  words: "a whole number, 1 or more, auto, or null",
  default: null,
  isPlain: (value) => value === null || value === "auto" || isWhole(value, 1),
  // Not a union: what is wrong with a number is then told as of any other.
  schema: (z) => {
    const number = z.int().min(1).nullable();
    return z.preprocess(
      numeric,
      z.unknown().superRefine((value, context) => {
        if (value === "auto") return;
        for (const issue of number.safeParse(value).error?.issues ?? []) {
          context.addIssue({ ...issue, input: value } as Parameters<typeof context.addIssue>[0]);
        }
      }),
    );
  },
};

/** How often: `60/min`. */
export const startRate: Type<string | null> = {
  words: "a rate, as in 2/s, 60/min or 1000/h, or null",
  default: null,
  isPlain: (value) => value === null,
  schema: (z) =>
    z.string().refine((text) => perSecond(text) !== undefined, {
      error: "must be a rate, as in 2/s, 60/min or 1000/h",
    }).nullable(),
};

/** A part of a whole, or null. */
export const share: Type<number | null> = {
  words: "a number from 0 to 1, or null",
  default: null,
  isPlain: (value) =>
    value === null || (Number.isFinite(value) && (value as number) >= 0 && (value as number) <= 1),
  schema: (z) => z.preprocess(numeric, z.number().min(0).max(1).nullable()),
};

/** The same, or null. */
export function orNull<T>(type: Type<T>): Type<T | null> {
  return {
    ...type,
    words: `${type.words}, or null`,
    isPlain: (value) => value === null || type.isPlain(value),
    schema: (z) => type.schema(z).nullable(),
  };
}

/** One of a few words, the first by default. */
export function choice<const T extends string>(...words: [T, ...T[]]): Type<T> {
  return {
    words: words.join(", ").replace(/, ([^,]*)$/, " or $1"),
    default: words[0],
    choices: words,
    isPlain: (value) => (words as unknown[]).includes(value),
    schema: (z) => z.enum(words),
  };
}

/** A list of names. */
export const names: Type<readonly string[]> = {
  words: "a list of strings",
  default: [],
  isPlain: (value) => isPlainList(value, isString),
  schema: (z) => z.preprocess((value) => value ?? [], z.array(z.string())),
};

/** Whole numbers and ranges of them, as one text in order: `17,20-29`. */
export const numberList: Type<string | null> = {
  words: "whole numbers and ranges, as in 17,20-29, or null",
  default: null,
  isPlain: (value) => value === null,
  schema: (z) =>
    z.preprocess(
      (value) => {
        const given = Array.isArray(value)
          ? value.join(",")
          : typeof value === "number"
          ? String(value)
          : value;
        const ranges = typeof given === "string" ? parseRanges(given) : undefined;
        return ranges ? rangesText(ranges) : value;
      },
      z.string().refine((text) => parseRanges(text) !== undefined, {
        error: "must be whole numbers and ranges, as in 17,20-29",
      }).nullable(),
    ),
};

/** A part of the tasks, `3/64`, or what says which: `auto`, `auto/64`. */
export const shardNumber: Type<string | null> = {
  words: "i/n with i from 0, as in 3/64, or auto, or auto/n, or null",
  default: null,
  isPlain: (value) => value === null || value === "auto",
  schema: (z) =>
    z.string().transform((text, context) => {
      const count = /^auto\/0*([1-9]\d{0,8})$/.exec(text)?.[1], shard = parseShard(text);
      if (text === "auto" || count !== undefined) return count === undefined ? text : `auto/${count}`;
      if (!shard) context.addIssue({ code: "custom", message: shardFault(text) });
      return shard ? shardText(shard) : text;
    }).nullable(),
};

/** Names by names. */
export const mapping: Type<Readonly<Record<string, string>> | null> = {
  words: "a map of strings, or null",
  default: null,
  isPlain: (value) => value === null || isPlainMap(value, isString),
  schema: (z) => z.record(z.string(), z.string()).nullable(),
};

/** Lists of names by names. */
export const lists: Type<Readonly<Record<string, readonly string[]>> | null> = {
  words: "a map of lists of strings, or null",
  default: null,
  isPlain: (value) => value === null || isPlainMap(value, (list) => isPlainList(list, isString)),
  schema: (z) => z.record(z.string(), z.array(z.string())).nullable(),
};

/** Base URLs by server. */
export const urls: Type<Readonly<Record<string, string>>> = {
  words: "a map of URLs",
  default: {},
  isPlain: (value) => isPlainMap(value, isString),
  schema: (z) => z.preprocess((value) => value ?? {}, z.record(z.string(), z.string())),
};

/** Strings by names, none by default. */
export const namedValues: Type<Readonly<Record<string, string>>> = {
  words: "a map of strings",
  default: {},
  isPlain: (value) => isPlainMap(value, isString),
  schema: (z) => z.preprocess((value) => value ?? {}, z.record(z.string(), z.string())),
};

/** How often a task is run. */
export const repeats: Type<Repeats> = {
  words: "a whole number, 1 or more, or a map of such numbers",
  default: 1,
  isPlain: (value) => value === null || isWhole(value, 1),
  schema: (z) => {
    const one = z.preprocess(numeric, z.int().min(1).nullable());
    return z.union([one, z.record(z.string(), one)]);
  },
};

/** A map of anything; its numbers may be exact ones (see `kit/exact_number.ts`). */
export const anything: Type<Readonly<Record<string, Value>>> = {
  words: "a map",
  default: {},
  isPlain: (value) => isPlainMap(value, isPlainValue),
  schema: (z) => {
    const value: Z.ZodType = z.lazy(() =>
      z.union([
        z.custom((one) => isExact(one)),
        z.null(),
        z.boolean(),
        z.number(),
        z.string(),
        z.array(value),
        z.record(z.string(), value),
      ])
    );
    return z.preprocess((given) => given ?? {}, z.record(z.string(), value));
  },
};

/** A folder of skills. */
export const skillsFolder: Type<{ readonly path: string | null } | null> = {
  words: "a map with path, or null",
  default: null,
  members: ["path"],
  isPlain: (value) => value === null,
  schema: (z) => z.strictObject({ path: z.string().min(1).nullable().default(null) }).nullable(),
};

/** A server's host and port. */
export const address: Type<{ readonly host: string; readonly port: number } | null> = {
  words: "a map with host and port, or null",
  default: null,
  members: ["host", "port"],
  isPlain(value) {
    if (value === null) return true;
    const { host, port, ...others } = Object(value);
    return isPlainMap(value, () => true) && isText(host) && isWhole(port, 1, 65535) &&
      Object.keys(others).length === 0;
  },
  schema: (z) =>
    z.strictObject({
      host: z.string().min(1).default("127.0.0.1"),
      port: z.preprocess(numeric, z.int().min(1).max(65535)).default(11000),
    }).nullable(),
};

function isString(value: unknown): boolean {
  return typeof value === "string";
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isWhole(value: unknown, min: number, max = Infinity): boolean {
  return Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
}

function isPlainList(value: unknown, isRight: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isRight);
}

/** Of the object of a literal, as parsers make them; a key that means something to the language is for the schema. */
function isPlainMap(value: unknown, isRight: (item: unknown) => boolean): boolean {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype &&
    !isExact(value) && !Object.hasOwn(value, "__proto__") && Object.values(value).every(isRight);
}

function isPlainValue(value: unknown): boolean {
  return value === null || typeof value === "boolean" || typeof value === "string" ||
    Number.isFinite(value) ||
    isExact(value) || isPlainList(value, isPlainValue) || isPlainMap(value, isPlainValue);
}

const NUMBER = /^\s*[-+]?(\d+(_\d+)*)?\.?\d+([eE][-+]?\d+)?\s*$/;
const SWITCH = new Map([
  ...["true", "yes", "on", "y", "t", "1"].map((word) => [word, true] as const),
  ...["false", "no", "off", "n", "f", "0"].map((word) => [word, false] as const),
]);

/** Numbers and switches may be strings, as in Gym: shells, templates and `${oc.env:…}` make strings. */
function numeric(value: unknown): unknown {
  return typeof value === "string" && NUMBER.test(value) ? Number(value.replaceAll("_", "")) : value;
}

function switched(value: unknown): unknown {
  if (typeof value !== "string" && typeof value !== "number") return value;
  return SWITCH.get(String(value).toLowerCase()) ?? value;
}
