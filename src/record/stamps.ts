/**
 * The keys that tie a result to its row. Each is copied from the row, as bytes, when the row has it; the row's value
 * replaces one that the server sent, and where the row has none the server's stays. Names and rule are Gym's.
 */
import type { JsonObject } from "../json/object.ts";
import { edit, toJson } from "../json/edit.ts";
import type { Route } from "../config/topology.ts";

/** Keys that a result takes over from its row. */
const FROM_ROW = [
  "_ng_task_index",
  "_ng_rollout_index",
  "agent_ref",
  "task_source",
  "skills_ref",
  "_ng_attempt_index",
  "_ng_rollout_id",
] as const;

/** Stamp names to the bytes of their JSON values. Small: they outlive the row while its request is in flight. */
export type Stamps = ReadonlyMap<string, Uint8Array>;

/** The stamps of a row as it is sent over a route. The bytes are copies, so the row itself can go. */
export function stampsOf(row: JsonObject, route: Route, attempt: number): Stamps {
  const stamps = new Map<string, Uint8Array>();
  for (const name of FROM_ROW) {
    const raw = name === "_ng_attempt_index" && attempt > 0 ? toJson(attempt) : row.raw(name);
    if (raw) stamps.set(name, raw.slice());
  }
  for (const [name, value] of stampsOfRoute(route)) stamps.set(name, value);
  return stamps;
}

/** A run has few routes and many rows, so the bytes of theirs are made once. */
const ofRoutes = new WeakMap<Route, Stamps>();

function stampsOfRoute(route: Route): Stamps {
  let stamps = ofRoutes.get(route);
  if (!stamps) {
    stamps = new Map(
      route.resultType === undefined ? [] : [
        ["_ng_environment_server", toJson(route.server)],
        ["_ng_result_type", toJson(route.resultType)],
      ],
    );
    ofRoutes.set(route, stamps);
  }
  return stamps;
}

/** A result with its stamps, in pieces; every other byte is as the server sent it. */
export function stamped(result: JsonObject, stamps: Stamps): Uint8Array[] {
  return edit(result, { set: stamps });
}
