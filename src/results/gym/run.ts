/** One run for Gym's comparison: its aggregate metrics file, narrowed to an agent. */
import { UsageFault } from "../../kit/fault.ts";
import type { GymRunFile } from "./report.ts";

export type Json = Readonly<Record<string, unknown>>;

/** A run's file with what is in it, by agent. */
export interface GymRun {
  readonly file: GymRunFile;
  readonly entries: ReadonlyMap<string, Json>;
}

/** The entries of an aggregate metrics file by agent. @throws {UsageFault} when it is none */
export function gymEntries(value: unknown, path: string): Map<string, Json> {
  const wrong = (what: string) => new UsageFault(`${path} ${what}`);
  if (!Array.isArray(value)) {
    throw wrong("is not an aggregate metrics file: it is not a list with an entry an agent.");
  }
  if (value.length === 0) throw wrong("has no entry of an agent.");
  const entries = new Map<string, Json>();
  value.forEach((entry: unknown, k) => {
    const agent = isMap(entry) && isMap(entry.agent_ref) ? entry.agent_ref.name : undefined;
    if (!isMap(entry) || typeof agent !== "string" || agent === "") {
      throw wrong(`: entry ${k} names no agent.`);
    }
    if (entries.has(agent)) throw wrong(`has two entries for the agent ${agent}.`);
    if (!Object.hasOwn(entry, "repeat_level_metrics")) {
      throw wrong(
        `has no repeat_level_metrics for the agent ${agent}: an older version wrote it. Make it again with ` +
          `rollcall aggregate.`,
      );
    }
    entries.set(agent, entry);
  });
  return entries;
}

/** One side, narrowed to an agent. */
export interface Run {
  readonly agent: string;
  readonly metrics: Json;
  readonly key: Json;
  readonly groups: readonly Json[];
  readonly repeats: readonly unknown[];
  readonly repeatCount: number | null;
  readonly hasIntervals: boolean;
}

export function runOf(entry: Json, agent: string): Run {
  const metrics = mapOf(entry.agent_metrics), groups = listOf(entry.group_level_metrics).filter(isMap);
  const repeats = listOf(entry.repeat_level_metrics);
  const expected = groups.map((group) => group.expected_num_rollouts).filter((n) =>
    Number.isInteger(n)
  ) as number[];
  return {
    agent,
    metrics,
    key: mapOf(entry.key_metrics),
    groups,
    repeats,
    repeatCount: expected.length > 0 ? Math.max(...expected) : repeats.length > 0 ? repeats.length : null,
    hasIntervals: Object.keys(metrics).some((key) => key.startsWith("ci_low_95_across_repeats/")),
  };
}

export function numberAt(object: Json, key: string): number | null {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === "number" ? value : null;
}

export function isMap(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function mapOf(value: unknown): Json {
  return isMap(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
