/**
 * Which call belongs to which invocation: the references of an agent's observations, resolved against the captured
 * calls. Nothing is guessed: a reference that does not match exactly one call, and a call that nobody refers to, is a
 * gap. Codes and rules are Gym's.
 */
import type { Tree } from "../../rows/tree.ts";
import type { Call, ModelRef } from "./call_record.ts";
import { distinct, type Gap, gap } from "../gap.ts";
import { isCompaction, isInvocation, type Observations } from "./observations.ts";

/** A reference, read. */
interface Ref {
  readonly id: string | null;
  readonly modelRef: ModelRef | null;
  readonly responseId: string | null;
}

/** Gaps that joining writes: those of an earlier join do not count. */
const CODES = new Set([
  "model_call_reference_ambiguous",
  "model_call_reference_conflict",
  "model_call_reference_unmatched",
]);
const UNOWNED = "model_call_ownership_unavailable";

/** The observations with references to calls written out in full, and gaps for what does not fit. */
export function joined(observed: Observations, calls: readonly Call[]): Observations {
  const find = finder(calls);
  const owners = new Map<Call, string>(), gaps: Gap[] = [];
  const records = observed.records.map((record) => new Map(record));
  const invocations = records.filter(isInvocation);
  for (const invocation of invocations) {
    const id = invocation.get("invocation_id") as string;
    const resolved = [...refsOf(invocation), ...ofSession(invocation, calls)].map((ref) => {
      const found = find(ref), call = found[0];
      if (found.length === 1 && !owners.has(call!)) {
        owners.set(call!, id);
        return refTo(call!);
      }
      const code = found.length === 1 ? "conflict" : found.length === 0 ? "unmatched" : "ambiguous";
      gaps.push(referenceGap(code, id, nameOf(found.length === 1 ? call! : ref)));
      return ref;
    });
    invocation.set("model_calls", resolved.map(treeOf));
  }
  for (const compaction of records.filter(isCompaction)) {
    const id = compaction.get("invocation_id") as string;
    /** A reference in `field`, resolved; one that must be the invocation's own also needs a call with an owner. */
    const resolve = (ref: Ref, field: string, mustOwn: boolean): Ref => {
      const found = find(ref), call = found[0], owner = call && owners.get(call);
      const isOne = found.length === 1, isOwn = owner === id || (!mustOwn && owner === undefined);
      if (isOne && isOwn) return refTo(call!);
      const detail = `${field}:${nameOf(isOne ? call! : ref)}`;
      if (!isOne) gaps.push(referenceGap(found.length === 0 ? "unmatched" : "ambiguous", id, detail));
      else if (owner !== undefined) gaps.push(referenceGap("conflict", id, detail));
      else gaps.push({ code: UNOWNED, invocation: id, detail });
      return ref;
    };
    compaction.set("model_calls", refsOf(compaction).map((ref) => treeOf(resolve(ref, "model_calls", true))));
    for (const field of ["before_model_call", "after_model_call"]) {
      const ref = compaction.get(field);
      if (ref instanceof Map) compaction.set(field, treeOf(resolve(refOf(ref), field, false)));
    }
  }
  const unowned = calls.filter((call) => !owners.has(call)).map((call) =>
    gap(UNOWNED, `capture:${call.id || call.responseId || "unknown"}:call_index=${call.index}`)
  );
  const earlier = observed.gaps.filter(({ code, invocation, detail }) =>
    !CODES.has(code) && !(code === UNOWNED && invocation === null && detail?.startsWith("capture:"))
  );
  return { source: observed.source, records, gaps: distinct([...earlier, ...gaps, ...unowned]) };
}

/** Whether some reference names a call that is not there. */
export function lacksCalls({ records }: Observations, calls: readonly Call[]): boolean {
  const find = finder(calls);
  return records.some((record) => refsOf(record).some((ref) => find(ref).length === 0));
}

/** The references to calls whose client said that it is this invocation, as far as it has none yet. */
function ofSession(invocation: ReadonlyMap<string, Tree>, calls: readonly Call[]): Ref[] {
  const id = invocation.get("invocation_id"), known = new Set(refsOf(invocation).map(keyOf));
  const added: Ref[] = [];
  for (const call of calls) {
    if (!call.session || !call.id || call.session !== id) continue;
    const { id: callId, modelRef, responseId } = call;
    const ways: Ref[] = [
      { id: callId, modelRef: null, responseId: null },
      { id: callId, modelRef, responseId: null },
      { id: callId, modelRef: null, responseId },
      { id: callId, modelRef, responseId },
      ...(modelRef && responseId !== null ? [{ id: null, modelRef, responseId }] : []),
    ];
    if (ways.some((way) => known.has(keyOf(way)))) continue;
    added.push(refTo(call));
    known.add(keyOf(refTo(call)));
  }
  return added;
}

/** Finds the calls that a reference fits. */
function finder(calls: readonly Call[]): (ref: Ref) => readonly Call[] {
  const byId = Map.groupBy(calls.filter(({ id }) => id), ({ id }) => id!);
  const byResponse = Map.groupBy(
    calls.filter(({ modelRef, responseId }) => modelRef && responseId),
    (call) => keyOf({ ...refTo(call), id: null }),
  );
  return (ref) => {
    if (!ref.id) return byResponse.get(keyOf({ ...ref, id: null })) ?? [];
    return (byId.get(ref.id) ?? []).filter((call) =>
      (ref.modelRef === null || isSame(ref.modelRef, call.modelRef)) &&
      (ref.responseId === null || ref.responseId === call.responseId)
    );
  };
}

function isSame(one: ModelRef, other: ModelRef | null): boolean {
  return other !== null && one.type === other.type && one.name === other.name;
}

function keyOf({ id, modelRef, responseId }: Ref): string {
  return JSON.stringify([id, modelRef?.type, modelRef?.name, responseId]);
}

function refTo({ id, modelRef, responseId }: Call): Ref {
  return { id, modelRef, responseId };
}

/** How messages call it. */
function nameOf({ id, responseId }: Ref): string | null {
  return id || responseId;
}

function referenceGap(
  what: "ambiguous" | "conflict" | "unmatched",
  invocation: string,
  detail: string | null,
): Gap {
  return { code: `model_call_reference_${what}`, invocation, detail };
}

function refsOf(record: ReadonlyMap<string, Tree>): Ref[] {
  return (record.get("model_calls") as Map<string, Tree>[] | undefined ?? []).map(refOf);
}

function refOf(ref: ReadonlyMap<string, Tree>): Ref {
  const server = ref.get("model_ref") as Map<string, Tree> | null;
  return {
    id: ref.get("model_call_id") as string | null,
    modelRef: server && { type: server.get("type") as string, name: server.get("name") as string },
    responseId: ref.get("response_id") as string | null,
  };
}

function treeOf({ id, modelRef, responseId }: Ref): Map<string, Tree> {
  return new Map<string, Tree>([
    ["model_call_id", id],
    ["model_ref", modelRef && new Map(Object.entries(modelRef))],
    ["response_id", responseId],
  ]);
}
