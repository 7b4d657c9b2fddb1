/**
 * What a step did: as it was recorded, and how folders of files are read.
 */
import { join } from "node:path";
import { type Json, type JsonObject, linesOf, Num, parseJson, parseOrText } from "./json.ts";
import type { SeenRequest } from "./world.ts";

/** Everything of a step that can be compared. */
export interface Observation {
  readonly exit: string;
  readonly peak: number;
  /** In order of arrival. */
  readonly requests: readonly SeenRequest[];
  /** Under `out/`, by path. */
  readonly files: ReadonlyMap<string, Json>;
}

/** What the program under test did: also its words. */
export interface SeenStep extends Observation {
  readonly output: string;
}

/** Reads the record of one step: `result.json`, `requests.jsonl`, and the files under `out/`. */
export async function readRecord(folder: string): Promise<Observation> {
  const result = parseJson(await Deno.readTextFile(join(folder, "result.json"))) as JsonObject;
  const rows = linesOf(await Deno.readTextFile(join(folder, "requests.jsonl"))).map(parseJson);
  const requests = (rows as JsonObject[])
    .sort((a, b) => toNumber(a.order) - toNumber(b.order))
    .map(({ order: _, ...request }) => request as SeenRequest);
  const files = new Map<string, Json>();
  for await (const name of filesUnder(folder, "out")) {
    const text = await Deno.readTextFile(join(folder, name));
    files.set(name, name.endsWith(".jsonl") ? linesOf(text).map(parseJson) : parseOrText(text));
  }
  return { exit: String(result.exit), peak: toNumber(result.peak), requests, files };
}

/** The paths of the files in and below a folder, from `root` on; nothing if the folder does not exist. */
export async function* filesUnder(root: string, folder: string): AsyncGenerator<string> {
  let entries: Deno.DirEntry[];
  try {
    entries = await Array.fromAsync(Deno.readDir(join(root, folder)));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return;
    throw error;
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) yield* filesUnder(root, path);
    else if (entry.isFile || await isFile(join(root, path))) yield path;
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile; // follows a link
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function toNumber(value: Json | undefined): number {
  if (!(value instanceof Num)) throw new TypeError(`Cannot read the record: expected a number, got ${value}`);
  return Number(value.text);
}
