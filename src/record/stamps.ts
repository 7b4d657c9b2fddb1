/**
 * The keys that tie a result to its row. Each is copied from the row, as bytes, when the row has it; the row's value
 * replaces one that the server sent, and if the row has none, the server's stays. Names and rule are Gym's.
 */
import { KEYS } from "./keys.ts";
import type { JsonObject } from "../json/object.ts";
import { edit, toJson } from "../json/edit.ts";
import type { Route } from "../config/topology.ts";

/** Keys that a result takes from its row. */
const FROM_ROW = [
  KEYS.task,
  KEYS.rollout,
  KEYS.agent,
  KEYS.source,
  KEYS.skills,
  KEYS.attempt,
  KEYS.rolloutId,
] as const;

/** Stamp names to the bytes of their JSON values. Small: they outlive the row while its request is in flight. */
export type Stamps = ReadonlyMap<string, Uint8Array>;

/** The stamps of a row as it is sent over a route. The bytes are copies, so the row itself can be freed. */
export function stampsOf(row: JsonObject, route: Route, attempt: number): Stamps {
  const stamps = new Map<string, Uint8Array>();
  for (const name of FROM_ROW) {
    const raw = name === KEYS.attempt && attempt > 0 ? toJson(attempt) : row.raw(name);
    if (raw) stamps.set(name, raw.slice());
  }
  for (const [name, value] of stampsOfRoute(route)) stamps.set(name, value);
  return stamps;
}

/** A run has few routes and many rows, so a route's bytes are made once. */
const ofRoutes = new WeakMap<Route, Stamps>();

function stampsOfRoute(route: Route): Stamps {
  let stamps = ofRoutes.get(route);
  if (!stamps) {
    stamps = new Map(
      route.resultType === undefined ? [] : [
        [KEYS.server, toJson(route.server)],
        [KEYS.resultType, toJson(route.resultType)],
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
