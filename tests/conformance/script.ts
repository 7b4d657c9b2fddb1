/**
 * What `case.json` says, checked and with the defaults filled in.
 */
import { isEmpty, isObject, type Json, type JsonObject, Num, parseJson } from "./json.ts";
import { type Part, partOf } from "./identity.ts";

/** A case: one behaviour, pinned by the steps that show it. */
export interface Case {
  readonly title: string;
  readonly steps: readonly Step[];
}

/** One command of a case, the servers it meets, and what is compared afterwards. */
export interface Step {
  readonly command: "collect" | "aggregate" | "health";
  /** `{work}` stands for the working folder, here and in `config`. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files to delete first, then the folder beside case.json whose content is laid over the working folder. */
  readonly remove: readonly string[];
  readonly plant: string | undefined;
  readonly config: JsonObject;
  readonly configFormat: "yaml" | "json";
  readonly replies: readonly Rule[];
  /** No head server answers. */
  readonly noHead: boolean;
  /** Keys beyond the usual whose values are measured, so they are not compared. */
  readonly volatile: readonly string[];
  readonly mustMention: readonly string[];
  /** Whether the order of /run requests and of the materialized inputs is compared. */
  readonly ordered: boolean;
  /** Whether the largest number of /run requests in progress at once is compared. */
  readonly peak: boolean;
  /** Files (or "requests") that are not compared. */
  readonly free: readonly string[];
  /** Files (or "requests") of which only the number of records is compared: least and most. */
  readonly bounds: ReadonlyMap<string, readonly [least: number, most: number]>;
}

/** A rule that answers requests. */
export interface Rule {
  /** What the request must be: server, path, task, rollout, attempt; those that are absent match anything. */
  readonly match: ReadonlyMap<MatchKey, Part>;
  /** How many requests it answers before it is used up. */
  readonly times: number;
  /** Seconds to wait, then files to write into the working folder, before the answer. */
  readonly delay: number;
  readonly write: JsonObject;
  /** Close the connection without an answer. */
  readonly drop: boolean;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RuleBody;
}

/** Bytes; or a string a number of times; or JSON with `$req:a.b` strings, over the request's fields on `echo`. */
export type RuleBody =
  | { readonly hex: string }
  | { readonly text: string; readonly repeat: number }
  | { readonly json: Json; readonly echo: boolean };

const MATCH_KEYS = ["server", "path", "task", "rollout", "attempt"] as const;

/** What a rule can match a request on. */
export type MatchKey = (typeof MATCH_KEYS)[number];

const CASE_KEYS = ["title", "area", "config", "config_format", "replies", "steps", "volatile"];
const STEP_KEYS =
  "command args env remove plant config replies no_head volatile must_mention ordered peak free bounds"
    .split(" ");
/** Read by the recorder alone: the exit code is in the record, and Gym is not what is checked here. */
const RECORDER_KEYS = ["expect_exit", "reference_silent"];
const RULE_KEYS = [
  ...MATCH_KEYS,
  ..."times delay write drop status headers hex text repeat json echo".split(" "),
];

/**
 * Reads a `case.json`.
 *
 * @throws {SyntaxError} if it is not JSON
 * @throws {TypeError} if a key is unknown (a rule of comparison would be lost without a word) or a value is of
 * the wrong kind; the message names the place
 */
export function readCase(text: string): Case {
  const raw = objectAt("case.json", parseJson(text), CASE_KEYS);
  const steps = listAt("steps", raw.steps).map((step, index) => readStep(`steps[${index}]`, step, raw));
  return { title: textAt("title", raw.title ?? ""), steps };
}

function readStep(where: string, value: Json, base: JsonObject): Step {
  const raw = objectAt(where, value, [...STEP_KEYS, ...RECORDER_KEYS]);
  const command = textAt(`${where}.command`, raw.command);
  if (command !== "collect" && command !== "aggregate" && command !== "health") {
    throw new TypeError(
      `${where}.command: expected collect, aggregate or health, got ${JSON.stringify(command)}`,
    );
  }
  const texts = (key: string, from = raw) =>
    listAt(`${where}.${key}`, from[key] ?? []).map((item) => textAt(`${where}.${key}`, item));
  return {
    command,
    args: texts("args"),
    env: textsAt(`${where}.env`, raw.env),
    remove: texts("remove"),
    plant: raw.plant === undefined ? undefined : textAt(`${where}.plant`, raw.plant),
    config: objectAt("config", raw.config ?? base.config),
    configFormat: base.config_format === "json" ? "json" : "yaml",
    replies: listAt("replies", raw.replies ?? base.replies ?? [])
      .map((rule, index) => readRule(`${where}.replies[${index}]`, rule)),
    noHead: !isEmpty(raw.no_head),
    volatile: [...texts("volatile", base), ...texts("volatile")],
    mustMention: texts("must_mention"),
    ordered: !isEmpty(raw.ordered),
    peak: !isEmpty(raw.peak),
    free: texts("free"),
    bounds: boundsAt(`${where}.bounds`, raw.bounds),
  };
}

/** Reads one reply rule; `where` is its place, for messages. */
export function readRule(where: string, value: Json): Rule {
  const raw = objectAt(where, value, RULE_KEYS);
  const number = (key: string, otherwise: number) =>
    raw[key] === undefined ? otherwise : numberAt(`${where}.${key}`, raw[key]);
  return {
    match: new Map(MATCH_KEYS.filter((key) => Object.hasOwn(raw, key)).map((key) => [key, partOf(raw[key])])),
    times: number("times", Infinity),
    delay: number("delay", 0),
    write: objectAt(`${where}.write`, raw.write ?? {}),
    drop: !isEmpty(raw.drop),
    status: number("status", 200) || 200,
    headers: textsAt(`${where}.headers`, raw.headers),
    body: raw.hex !== undefined
      ? { hex: textAt(`${where}.hex`, raw.hex) }
      : raw.text !== undefined
      ? { text: textAt(`${where}.text`, raw.text), repeat: number("repeat", 1) || 1 }
      : { json: raw.json === undefined ? {} : raw.json, echo: !isEmpty(raw.echo) },
  };
}

function boundsAt(where: string, value: Json | undefined): Step["bounds"] {
  const bounds = Object.entries(objectAt(where, value ?? {})).map(([name, range]) => {
    const [least, most] = listAt(`${where}.${name}`, range);
    return [name, [numberAt(where, least), numberAt(where, most)] as const] as const;
  });
  return new Map(bounds);
}

function objectAt(where: string, value: Json | undefined, known?: readonly string[]): JsonObject {
  if (!isObject(value)) throw wrong(where, "an object", value);
  const unknown = Object.keys(value).filter((key) => known && !known.includes(key));
  if (unknown.length) {
    throw new TypeError(`${where}: unknown ${unknown.join(", ")} (known: ${known!.join(", ")})`);
  }
  return value;
}

function listAt(where: string, value: Json | undefined): Json[] {
  if (!Array.isArray(value)) throw wrong(where, "a list", value);
  return value;
}

function textAt(where: string, value: Json | undefined): string {
  if (typeof value !== "string") throw wrong(where, "a string", value);
  return value;
}

function numberAt(where: string, value: Json | undefined): number {
  if (!(value instanceof Num)) throw wrong(where, "a number", value);
  return Number(value.text);
}

function textsAt(where: string, value: Json | undefined): Record<string, string> {
  const entries = Object.entries(objectAt(where, value ?? {}));
  return Object.fromEntries(entries.map(([key, item]) => [key, textAt(`${where}.${key}`, item)]));
}

function wrong(where: string, expected: string, value: Json | undefined): TypeError {
  return new TypeError(
    `${where}: expected ${expected}, got ${value === undefined ? "nothing" : JSON.stringify(value)}`,
  );
}
