/**
 * Comparing what a step did with its record. Differences come out as lines for people.
 */
import { UNREADABLE } from "./clean.ts";
import { type Identity, identityKey, identityOf, nameOf } from "./identity.ts";
import { dumps, isObject, type Json, kindOf, Num } from "./json.ts";
import type { Observation, SeenStep } from "./record.ts";
import type { Step } from "./script.ts";
import type { SeenRequest } from "./world.ts";

/** Files that only rollcall writes beside Gym's, or keeps of an earlier run. */
export const OWN_FILES = /(_manifest\.json|_quarantine\.jsonl|\.old|\.lock|\.lease)$/;

/** What a step asks to be compared. */
export type Comparison = Pick<Step, "mustMention" | "ordered" | "peak" | "free" | "bounds">;

/** One line for each difference between the record and what the program did. */
export function* compareStep(step: Comparison, want: Observation, got: SeenStep): Generator<string> {
  if (want.exit !== got.exit) yield `exit: expected ${want.exit}, got ${got.exit}`;
  const free = freeNames(step, want, got);
  if (!free.has("requests")) yield* compareRequests(step, want, got);
  if (step.peak && want.peak !== got.peak) {
    yield `peak of simultaneous /run requests: expected ${want.peak}, got ${got.peak}`;
  }
  for (const name of [...new Set([...want.files.keys(), ...got.files.keys()])].sort()) {
    if (free.has(name) || step.bounds.has(name)) continue;
    yield* compareFile(name, want.files.get(name), got.files.get(name), step.ordered);
  }
  for (const [name, [least, most]] of step.bounds) {
    const count = name === "requests" ? got.requests.length : sizeOf(got.files.get(name));
    if (count < least || count > most) yield `${name}: expected between ${least} and ${most}, got ${count}`;
  }
  yield* missingWords(step.mustMention, got.output);
}

/** The files (and "requests") that a step leaves uncompared. */
function freeNames(step: Comparison, want: Observation, got: SeenStep): Set<string> {
  const free = new Set([...step.free, ...[...got.files.keys()].filter((name) => OWN_FILES.test(name))]);
  if (want.exit === "error" && got.exit === "error" && want.requests.length === 0) {
    // Refused before anything was sent. Gym has cleared and rewritten files by then; a program that checks
    // first and touches nothing does better, so the files are not compared.
    for (const name of [...want.files.keys(), ...got.files.keys()]) free.add(name);
  }
  return free;
}

function* compareRequests(step: Comparison, want: Observation, got: Observation): Generator<string> {
  yield* compareRecords<SeenRequest>("requests", want.requests, got.requests, (request) => {
    const who = identityOf(request.body), place = `${request.server} ${request.path}`;
    return {
      key: JSON.stringify([request.server, request.path, identityKey(who)]),
      label: who.task === null ? place : `${place} ${nameOf(who)}`,
    };
  });
  if (!step.ordered) return;
  const runs = (side: Observation) => side.requests.filter((it) => it.path === "/run").map((it) => it.body);
  yield* compareOrder("/run requests", runs(want), runs(got));
}

function* compareFile(
  name: string,
  want: Json | undefined,
  got: Json | undefined,
  ordered: boolean,
): Generator<string> {
  if (want === undefined) {
    yield `${name}: not expected to exist (${short(got!)})`;
  } else if (got === undefined) {
    yield `${name}: missing`;
  } else if (Array.isArray(want) && Array.isArray(got) && name.endsWith(".jsonl")) {
    yield* compareRecords(name, want, got, (record) => {
      const who: Identity = identityOf(record);
      const unreadable = isObject(record) && Object.hasOwn(record, UNREADABLE);
      return { key: `${identityKey(who)} ${unreadable}`, label: nameOf(who) };
    });
    if (ordered && name.includes("materialized")) yield* compareOrder(name, want, got);
  } else {
    yield* differences(name, want, got);
  }
}

function* compareOrder(what: string, want: readonly Json[], got: readonly Json[]): Generator<string> {
  const [expected, actual] = [want, got].map((side) =>
    `[${side.map((it) => quoted(nameOf(identityOf(it)))).join(", ")}]`
  );
  if (expected !== actual) yield `order of ${what}: expected ${expected}, got ${actual}`;
}

/** Compares two lists as sets of records by identity; repeats of one identity are compared in order. */
export function* compareRecords<T extends Json>(
  where: string,
  want: readonly T[],
  got: readonly T[],
  identify: (record: T) => { readonly key: string; readonly label: string },
): Generator<string> {
  const groups = new Map<string, { label: string; sides: [want: T[], got: T[]] }>();
  for (const [side, records] of [want, got].entries()) {
    for (const record of records) {
      const { key, label } = identify(record);
      if (!groups.has(key)) groups.set(key, { label, sides: [[], []] });
      groups.get(key)!.sides[side]!.push(record);
    }
  }
  for (const { label, sides: [expected, actual] } of groups.values()) {
    const place = `${where} [${label}]`;
    if (expected.length !== actual.length) {
      const sample = expected.length === 0 ? ` (${short(actual.at(-1)!)})` : "";
      yield `${place}: expected ${expected.length}, got ${actual.length}${sample}`;
    }
    for (const [index, record] of expected.entries()) {
      if (index < actual.length) yield* differences(place, record, actual[index]!);
    }
  }
}

/** One line for each place where two values differ. The order of keys is free; numbers are exact. */
export function* differences(where: string, want: Json, got: Json): Generator<string> {
  if (isObject(want) && isObject(got)) {
    for (const [key, value] of Object.entries(want)) {
      if (Object.hasOwn(got, key)) yield* differences(`${where}.${key}`, value, got[key]!);
      else yield `${where}.${key}: missing (expected ${short(value)})`;
    }
    for (const [key, value] of Object.entries(got)) {
      if (!Object.hasOwn(want, key)) yield `${where}.${key}: not expected (got ${short(value)})`;
    }
  } else if (Array.isArray(want) && Array.isArray(got)) {
    if (want.length !== got.length) yield `${where}: expected ${want.length} items, got ${got.length}`;
    for (const [index, value] of want.entries()) {
      if (index < got.length) yield* differences(`${where}[${index}]`, value, got[index]!);
    }
  } else if (!sameScalar(want, got)) {
    yield `${where}: expected ${short(want)}, got ${short(got)}`;
  }
}

function sameScalar(want: Json, got: Json): boolean {
  if (want instanceof Num && got instanceof Num) return want.equals(got);
  return kindOf(want) === kindOf(got) && want === got;
}

/** The words that an output lacks. Runs of white space, line breaks among them, count as one space. */
export function* missingWords(words: readonly string[], output: string): Generator<string> {
  const flat = output.trim().split(/\s+/).join(" ");
  for (const word of words) if (!flat.includes(word)) yield `output does not mention ${quoted(word)}`;
}

const LIMIT = 140;

/** A value as JSON, cut after 140 characters. */
function short(value: Json): string {
  const text = dumps(value);
  if (text.length <= LIMIT) return text;
  const characters = [...text.slice(0, 2 * LIMIT + 2)]; // a character may be two units
  return characters.length <= LIMIT ? text : `${characters.slice(0, LIMIT).join("")}…`;
}

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return quote + (quote === "'" ? escaped.replaceAll("'", "\\'") : escaped) + quote;
}

function sizeOf(content: Json | undefined): number {
  if (Array.isArray(content) || typeof content === "string") return content.length;
  return isObject(content) ? Object.keys(content).length : 0;
}
