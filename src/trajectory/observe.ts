/** What a result gets of what was observed: its trajectory and its performance record, as members to set. */
import { edit, join } from "../json/edit.ts";
import { type JsonObject, readObject } from "../json/object.ts";
import type { Tree } from "../rows/tree.ts";
import { buildTrajectory, emptyTrajectory } from "./build.ts";
import { PAYLOADS } from "./capture/call_record.ts";
import type { Folded } from "./capture/fold.ts";
import { briefGap, gap } from "./gap.ts";
import { RawObject } from "./raw_object.ts";
import { piecesOf } from "./write_tree.ts";
import { perfOf } from "./perf.ts";
import { Misfit } from "./lax.ts";
import type { Identity } from "./turns.ts";

const TRAJECTORY = "ng_trajectory", OBSERVATIONS = "ng_agent_observations", CAPTURE = "ng_model_call_capture";
const SOURCES = [CAPTURE, OBSERVATIONS, TRAJECTORY];

/** What is known of a result besides what it says. */
export interface Circumstances {
  readonly identity: Identity;
  /** Its captured calls, folded; undefined where none are captured. */
  readonly folded?: Folded | undefined;
  /** From request to answer, for the performance record; undefined with observability off, when there is none. */
  readonly latencyMs?: number | undefined;
}

/** What becomes of a result. */
export interface Observed {
  /** The result; without a trajectory of its own where it got none in its place. */
  readonly result: JsonObject;
  /** Members to set, in this order: bytes of JSON by name. They replace what a server put there. */
  readonly members: ReadonlyMap<string, Uint8Array>;
}

/** Whether a result gets a trajectory, captured or not: it tells something to make one of. */
export function tellsOfCalls(result: JsonObject): boolean {
  return SOURCES.some((name) => result.has(name));
}

/** Builds what a result gets. Everything else of it keeps its bytes. Never throws for what is in it. */
export function observed(result: JsonObject, { identity, folded, latencyMs }: Circumstances): Observed {
  const given = membersOf(result, folded), members = new Map<string, Uint8Array>();
  const set = (name: string, value: Tree) => members.set(name, join(piecesOf(value)));
  if (folded?.observations) set(OBSERVATIONS, folded.observations);
  let trajectory: Map<string, Tree>;
  try {
    trajectory = buildTrajectory(identity, given);
    const capture = withoutPayloads(given.get(CAPTURE));
    if (capture ?? folded) set(CAPTURE, capture ?? folded!.capture);
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    return unprojected(result, { identity, given, members, folded, kind: error.kind });
  }
  set(TRAJECTORY, trajectory);
  const perf = latencyMs === undefined ? undefined : perfOf(trajectory, latencyMs);
  if (perf) set("ng_perf", perf);
  return { result, members };
}

/** The members that a trajectory is made of. */
function membersOf(result: JsonObject, folded: Folded | undefined): Map<string, Tree> {
  const raw = new RawObject(result), members = new Map<string, Tree>();
  for (const name of [...SOURCES, "resolved"]) if (raw.has(name)) members.set(name, raw.get(name)!);
  if (folded) members.set(CAPTURE, folded.capture);
  if (folded?.observations) members.set(OBSERVATIONS, folded.observations);
  return members;
}

/** A capture whose calls no longer hold what the trajectory holds now; undefined where they do not. */
function withoutPayloads(capture: Tree | undefined): Tree | undefined {
  const calls = capture instanceof Map ? capture.get("calls") : undefined;
  const hasPayload = (call: Tree) => call instanceof Map && PAYLOADS.some((name) => call.has(name));
  if (!Array.isArray(calls) || !calls.some(hasPayload)) return undefined;
  return new Map(capture as Map<string, Tree>).set(
    "calls",
    calls.map((call) => hasPayload(call) ? bare(call) : call),
  );
}

function bare(call: Tree): Tree {
  if (call instanceof RawObject) {
    return new RawObject(join(edit(readObject(call.json), { drop: new Set(PAYLOADS) })));
  }
  return new Map(
    [...call as Map<string, Tree>].filter(([name]) => !PAYLOADS.some((payload) => payload === name)),
  );
}

/** No trajectory can be built: the payloads stay, and a gap says so where there is a place for it. */
function unprojected(
  result: JsonObject,
  { identity, given, members, folded, kind }: {
    readonly identity: Identity;
    readonly given: ReadonlyMap<string, Tree>;
    readonly members: Map<string, Uint8Array>;
    readonly folded: Folded | undefined;
    readonly kind: Misfit["kind"];
  },
): Observed {
  const failed = gap("trajectory_projection_failed", kind);
  const name = [CAPTURE, OBSERVATIONS].find((name) => given.get(name) instanceof Map);
  const place = name === undefined ? undefined : given.get(name) as Map<string, Tree>;
  const gaps = place?.has("gaps") ? place.get("gaps") : [];
  if (folded) members.set(CAPTURE, join(piecesOf(folded.capture)));
  if (name !== undefined && Array.isArray(gaps)) {
    members.set(name, join(piecesOf(new Map(place).set("gaps", [...gaps, briefGap(failed)]))));
    return { result: without(result, TRAJECTORY), members };
  }
  members.set(TRAJECTORY, join(piecesOf(emptyTrajectory(identity, [failed]))));
  return { result, members };
}

function without(result: JsonObject, name: string): JsonObject {
  return result.has(name) ? readObject(join(edit(result, { drop: new Set([name]) }))) : result;
}
