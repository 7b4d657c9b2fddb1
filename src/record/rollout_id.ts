/** The name that a rollout has in captures and traces. */
import type { JsonObject } from "../json/object.ts";
import { KEYS } from "./keys.ts";

/** The name of a materialized row's rollout, without the suffix of its attempt. */
export function rolloutIdOf(row: JsonObject): string {
  const given = row.value(KEYS.rolloutId);
  return typeof given === "string" ? given : `${row.value(KEYS.task)}-${row.value(KEYS.rollout)}`;
}

/** The name of one of its attempts, which counts from 0. */
export function captureId(rolloutId: string, attempt: number): string {
  return attempt > 0 ? `${rolloutId}-a${attempt}` : rolloutId;
}
