/**
 * The manifest next to an output: what its rollouts were planned from, and which runs collected them. It is written
 * when a fresh run starts; a resume compares what it is asked to do with it and adds itself.
 */
import { createHash, type Hash } from "node:crypto";
import type { Value } from "../config/config.ts";

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
}

/** The manifest as readable JSON. */
export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Parses a manifest; `undefined` when it is not one, or of an unknown version. */
export function readManifest(text: string): Manifest | undefined {
  let value: Partial<Manifest> | null;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const isWhole = typeof value === "object" && value?.manifest === 1 && typeof value.config === "object" &&
    value.config !== null &&
    typeof value.input?.sha256 === "string" && Array.isArray(value.runs);
  return isWhole ? value as Manifest : undefined;
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
