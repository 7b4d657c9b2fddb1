/**
 * Placeholders for what changes from run to run: folders, ports, measured times, free wording.
 */
import {
  decodeUtf8,
  isEmpty,
  isObject,
  type Json,
  type JsonObject,
  linesOf,
  mapValues,
  tryParseJson,
} from "./json.ts";

/** Stands in for a line that is not JSON: an object with the line's text under this key. */
export const UNREADABLE = "<unreadable line>";

/** What a {@linkcode Cleaner} replaces. */
export interface CleanerOptions {
  /** The working folder, by each of its names. */
  readonly folders: readonly string[];
  /** Keys whose values are measured, beside `total_latency_ms`. */
  readonly volatile: readonly string[];
}

/** Replaces values by the placeholders that the recordings have in the same places. */
export class Cleaner {
  readonly #folders: readonly string[];
  readonly #volatile: ReadonlySet<string>;

  constructor(options: CleanerOptions) {
    // The longest name first: one may begin with another.
    this.#folders = [...new Set(options.folders)].sort((a, b) => b.length - a.length);
    this.#volatile = new Set(["total_latency_ms", ...options.volatile]);
  }

  /** A string with `<work>` for the working folder and `<port>` for a port on this machine. */
  text(text: string): string {
    const placed = this.#folders.reduce((it, folder) => it.replaceAll(folder, "<work>"), text);
    return placed.replace(/(127\.0\.0\.1|localhost):\d{4,5}/g, "$1:<port>");
  }

  /** A value with every text in it cleaned (keys are kept), and `<time>` for what was measured. */
  value(value: Json): Json {
    if (typeof value === "string") return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    return isObject(value) ? this.#object(value) : value;
  }

  /** The content of a file: a list of cleaned records for JSONL, else a value, else its text. */
  file(name: string, bytes: Uint8Array): Json {
    const text = decodeUtf8(bytes);
    if (name.endsWith(".jsonl")) return linesOf(text).map((line) => this.line(line));
    const value = tryParseJson(text);
    if (value === undefined) return this.text(text);
    const cleaned = this.value(value);
    // A set of entries, one an environment server.
    if (name.endsWith("_aggregate_metrics.json") && Array.isArray(cleaned)) cleaned.sort(byServer);
    return cleaned;
  }

  /** A line of JSONL; one that is not JSON counts by its text. */
  line(line: string): Json {
    const value = tryParseJson(line);
    return value === undefined ? { [UNREADABLE]: this.text(line) } : this.value(value);
  }

  #object(object: JsonObject): JsonObject {
    const cleaned = mapValues(
      object,
      (value, key) => this.#volatile.has(key) && value !== null ? "<time>" : this.value(value),
    );
    freeFailureWords(cleaned);
    freeFindingReason(cleaned);
    return cleaned;
  }
}

/** A failure that the collector itself met: the wording is free, its presence is not. */
function freeFailureWords(object: JsonObject): void {
  if (!Object.hasOwn(object, "_ng_failure_http_status")) return;
  if (!isEmpty(object._ng_failure_message)) object._ng_failure_message = "<message>";
  if (!isEmpty(object._ng_failure_type)) object._ng_failure_type = "<type>";
  // rollcall's own additions
  delete object._ng_failure_delivery;
}

/** The sentence that goes with a health finding; its check, locator and other details are compared. */
function freeFindingReason(object: JsonObject): void {
  if (!Object.hasOwn(object, "check") || !isObject(object.detail)) return;
  if (Object.hasOwn(object.detail, "reason")) object.detail = { ...object.detail, reason: "<reason>" };
}

function byServer(a: Json, b: Json): number {
  const [left, right] = [serverOf(a), serverOf(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The sort key with which the recordings were made. */
function serverOf(entry: Json): string {
  if (!isObject(entry)) return "";
  return typeof entry._ng_environment_server === "string" ? entry._ng_environment_server : "None";
}
