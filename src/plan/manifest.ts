/**
 * The manifest next to an output: what its rollouts were planned from, and which runs collected them. It is written
 * when a fresh run starts; a resume compares what it is asked to do with it and adds itself.
 */
import { createHash, type Hash } from "node:crypto";
import type { Value } from "../config/config.ts";
import { DEEPEST, isDeeperThan } from "../kit/nesting.ts";

/** A file that determines what is run, as it was when the rollouts were planned. */
export interface Source {
  /** Where it was. */
  readonly path: string;
  /**
   * SHA-256 in hex of what was read from it, decompressed; for an input without blank lines, of the whole file. For skills
   * the hash that their rows carry.
   */
  readonly sha256: string;
}

/** One run into the output. */
export interface RunRecord {
  /** When it started. */
  readonly at: string;
  /** The machine it ran on. */
  readonly host: string;
  /** Its process id. */
  readonly pid: number;
  /** The version of rollcall. */
  readonly version: string;
  /** The Slurm job it ran in, `ARRAY_TASK` in an array; absent outside Slurm. */
  readonly job?: string;
  /** Whether it resumed. */
  readonly resumed: boolean;
  /** Differences that were accepted. */
  readonly accepted_drift?: readonly string[];
}

export interface Manifest {
  /** The version of this format. */
  readonly manifest: 1;
  /** The name of the output, which shares its manifest with outputs that differ only after the last dot. */
  readonly output?: string;
  /** The name of the summary of the health checks that this output writes; absent without health checks. */
  readonly quality_summary?: string;
  /** SHA-256 of the materialized inputs as they were written, in hex. */
  readonly materialized_sha256?: string;
  /** The tasks: the rows that count, one per line. With a `limit`, those up to it. */
  readonly input: Source;
  /** The prompt template, or null. */
  readonly prompt: Source | null;
  /** The file of `task_ids`; absent without one. */
  readonly task_ids?: Source;
  /** The skills, or null. */
  readonly skills: Source | null;
  /** Rows of the input, distinct tasks among them, and planned rollouts. */
  readonly counts: { readonly rows: number; readonly tasks: number; readonly rollouts: number };
  /** `HOST:PORT` of the servers that the rollouts were to go to. */
  readonly hosts: readonly string[];
  /** The configuration, complete, secrets masked. */
  readonly config: Readonly<Record<string, Value>>;
  /** The runs, in order. */
  readonly runs: readonly RunRecord[];
  /** What an extension has changed, as it was before. It holds as long as the materialized inputs are those of before. */
  readonly extended_from?: Extensible;
}

/** What an extension changes. */
export type Extensible = Pick<Manifest, "materialized_sha256" | "input" | "counts" | "hosts" | "config">;

/**
 * The manifest of a run that is extended. It is put in place before the inputs that it is about: until they are there,
 * {@link inForce} sees by their hash that the extension has not taken place.
 */
export function extended(then: Manifest, now: Manifest): Manifest {
  if (then.materialized_sha256 === now.materialized_sha256) return now;
  const { materialized_sha256, input, counts, hosts, config } = then;
  const was = materialized_sha256 === undefined ? {} : { materialized_sha256 };
  return { ...now, extended_from: { ...was, input, counts, hosts, config } };
}

/** What a manifest says of materialized inputs with this hash: an extension that was killed half-way has changed nothing. */
export function inForce({ extended_from: before, ...manifest }: Manifest, sha256: string): Manifest {
  return before?.materialized_sha256 === sha256 ? { ...manifest, ...before } : manifest;
}

/** The manifest as readable JSON. */
export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Parses a manifest; `undefined` when it is not one, or of an unknown version. */
export function readManifest(text: string): Manifest | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isManifest(value) ? value : undefined;
}

/** Whether it is one, of values of the types that are read of it: people edit files. */
function isManifest(value: unknown): value is Manifest {
  if (!isMap(value) || value.manifest !== 1 || isDeeperThan(value, 2 * DEEPEST)) return false;
  const { config, input, prompt, skills, runs } = value;
  const texts = [value.output, value.quality_summary, value.materialized_sha256];
  return isMap(config) && isSource(input) && isSource(prompt ?? input) && isSource(skills ?? input) &&
    isSource(value.task_ids ?? input) &&
    isExtensible(value.extended_from) &&
    Array.isArray(runs) && runs.every(isMap) &&
    texts.every((text) => text === undefined || typeof text === "string");
}

function isExtensible(value: unknown): boolean {
  return value === undefined || (isMap(value) && isMap(value.config) && isSource(value.input));
}

function isSource(value: unknown): value is Source {
  return isMap(value) && typeof value.path === "string" && typeof value.sha256 === "string";
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The reports of the health checks that a manifest, of a run or of a merge, says are its output's.
 *
 * @returns the name of the summary, and of the output where it is said; `undefined` when it names none
 */
export function reportsIn(
  text: string,
): { readonly summary: string; readonly output: string | undefined } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isMap(value) || value.manifest !== 1 || typeof value.quality_summary !== "string") return undefined;
  return {
    summary: value.quality_summary,
    output: typeof value.output === "string" ? value.output : undefined,
  };
}

/** The manifest with another run added. */
export function withRun(manifest: Manifest, run: RunRecord): Manifest {
  return { ...manifest, runs: [...manifest.runs, run] };
}

/** An incremental SHA-256. */
export class Sha256 {
  readonly #hash: Hash = createHash("sha256");

  add(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }

  /** The hash in hex; nothing may be added afterwards. */
  hex(): string {
    return this.#hash.digest("hex");
  }
}

/** The SHA-256 of bytes, in hex. */
export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
