/** Which rollout a line belongs to. Gym accepts whole numbers and strings as indexes; most are small numbers. */
import { KEYS } from "../record/keys.ts";
import type { JsonObject } from "../json/object.ts";
import { isNull } from "../json/kind.ts";
import { digitsOf } from "./shape.ts";

/** A task's, rollout's or stage's index. A number beyond 2^53 keeps its digits. */
export type Index = number | bigint | string;

/** Task, rollout and stage. */
export interface Identity {
  /** The task. */
  readonly task: Index;
  /** Its rollout. */
  readonly rollout: Index;
  /** The stage, if a rollout has a line for each of several; otherwise null. */
  readonly stage: Index | null;
}

/**
 * The identity in a row. What is missing, or is neither a whole number nor a string, is replaced, a
 * rollout by 0.
 *
 * @param ordinal the task if the row names none: the number of non-blank lines before it
 */
export function identityOf(row: JsonObject, ordinal: number): Identity {
  return {
    task: indexOf(row, KEYS.task) ?? ordinal,
    rollout: indexOf(row, KEYS.rollout) ?? 0,
    stage: indexOf(row, "stage_index") ?? null,
  };
}

/** The id of a rollout that has none of its own. */
export function plainId({ task, rollout }: Identity): string {
  return `${task}-${rollout}`;
}

/**
 * The id of a rollout: its own, its trajectory's, or one made from its indexes.
 *
 * @param trajectory as it was read, or as it stands there if it could not be; undefined for none
 */
export function idOf(
  row: JsonObject,
  trajectory: JsonObject | { readonly rollout_id: string } | undefined,
  identity: Identity,
): string {
  const ofTrajectory = () =>
    trajectory && "rollout_id" in trajectory ? trajectory.rollout_id : trajectory?.value("rollout_id");
  for (const value of [row.value(KEYS.rolloutId) || ofTrajectory()]) {
    if (value) return typeof value === "object" ? JSON.stringify(value) : String(value);
  }
  return plainId(identity);
}

/** Compares for sorting. Numbers come before strings; no stage sorts as "None". */
export function compareIdentities(a: Identity, b: Identity): number {
  return compare(a.task, b.task) || compare(a.rollout, b.rollout) ||
    compare(a.stage ?? "None", b.stage ?? "None") || Number(b.stage === null) - Number(a.stage === null);
}

/** An index as JSON. */
export function indexJson(index: Index): string {
  return typeof index === "string" ? JSON.stringify(index) : String(index);
}

function compare(a: Index, b: Index): number {
  const isText = typeof a === "string";
  if (isText !== (typeof b === "string")) return isText ? 1 : -1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function indexOf(row: JsonObject, name: string): Index | undefined {
  const raw = row.raw(name);
  if (!raw || isNull(raw)) return undefined;
  const small = digitsOf(raw);
  if (small !== undefined) return small;
  const value = raw[0] === 0x22 || raw.length < 400 ? row.value(name) : undefined;
  if (typeof value === "string") return value;
  if (typeof value !== "number" || !Number.isInteger(value)) return undefined;
  if (Number.isSafeInteger(value)) return value + 0;
  const digits = String.fromCharCode(...raw);
  return /^-?\d+$/.test(digits) ? BigInt(digits) : undefined;
}
