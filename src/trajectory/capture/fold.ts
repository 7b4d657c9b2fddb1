/** A capture folded into its result. Pure; keys, gaps and rules are Gym's. */
import { DEEPEST_RESULT } from "../../json/depth.ts";
import { readObject } from "../../json/object.ts";
import { JsonFault } from "../../json/scan.ts";
import { float } from "../../rows/python.ts";
import { NumberText, type Tree } from "../../rows/tree.ts";
import { Moments } from "../../statistics/moments.ts";
import { type Call, callOf, PAYLOADS } from "./call_record.ts";
import type { CaptureRead } from "./capture_read.ts";
import { briefGap, type Gap, gap, wholeGap } from "../gap.ts";
import { joined, lacksCalls } from "./join.ts";
import { Misfit } from "../lax.ts";
import { type Observations, observationsOf } from "./observations.ts";
import { RawObject } from "../raw_object.ts";

/** What a capture adds to its result. */
export interface Folded {
  /** `ng_model_call_capture`: `{rollout_id, metrics, calls[], gaps?}`. */
  readonly capture: Map<string, Tree>;
  /** `ng_agent_observations`, joined; undefined where the result has none that can be. */
  readonly observations: Map<string, Tree> | undefined;
  /** Whether the observations name a call that the capture lacks. */
  readonly lacksCalls: boolean;
}

const OBSERVATIONS = "ng_agent_observations";

/** A rollout whose history was redacted is not to bring it back through its captures. */
const REDACTED = "multimodal_history_redacted";

/**
 * Folds what was read of a capture. Never throws: whatever cannot be used is a gap.
 *
 * @param result its top-level members
 * @param rolloutId the name of the rollout in captures, with the suffix of its attempt
 */
export function foldCapture(result: ReadonlyMap<string, Tree>, read: CaptureRead, rolloutId: string): Folded {
  const { calls, gaps } = callsOf(read);
  const observed = result.has(OBSERVATIONS) ? unlessUnfit(() => given(result)) : undefined;
  if (observed === null) gaps.push(gap("agent_observation_join_failed"));
  const isRedacted = ["ng_trajectory", OBSERVATIONS].some((name) => hasGap(result, name, REDACTED));
  const capture = new Map<string, Tree>([
    ["rollout_id", rolloutId],
    ["metrics", metricsOf(calls)],
    ["calls", calls.map(({ record }) => isRedacted ? withoutPayloads(record) : record)],
  ]);
  if (gaps.length > 0) capture.set("gaps", gaps.map(briefGap));
  return {
    capture,
    observations: observed ? observationsTree(joined(observed, calls)) : undefined,
    lacksCalls: observed ? lacksCalls(observed, calls) : false,
  };
}

/** The calls of a capture in the order in which they were written, and what is missing of them. */
export function callsOf(read: CaptureRead): { readonly calls: readonly Call[]; readonly gaps: Gap[] } {
  switch (read.kind) {
    case "absent":
      return { calls: [], gaps: [gap("model_call_capture_no_records")] };
    case "unreadable":
      return { calls: [], gaps: [gap("model_call_capture_unreadable", read.why)] };
    case "read": {
      const calls: Call[] = [];
      for (const [index, line] of read.lines.entries()) {
        const call = tryCall(line, index);
        if (call) calls.push(call);
      }
      const damaged = read.lines.length - calls.length, gaps: Gap[] = [];
      if (damaged > 0) gaps.push(gap("model_call_capture_records_unreadable", `count=${damaged}`));
      if (read.incomplete) gaps.push(gap("model_call_capture_incomplete"));
      else if (calls.length === 0 && damaged === 0) gaps.push(gap("model_call_capture_no_records"));
      return { calls, gaps };
    }
  }
}

function tryCall(line: Uint8Array, index: number): Call | undefined {
  return unlessUnfit(() => callOf(new RawObject(readObject(line, DEEPEST_RESULT)), index)) ?? undefined;
}

/** The result's observations; undefined where they are null. @throws {Misfit} */
function given(result: ReadonlyMap<string, Tree>): Observations | undefined {
  const value = result.get(OBSERVATIONS)!;
  return value === null ? undefined : observationsOf(value);
}

/** What `make` makes; null when what it is made of does not fit. Faults of our own stay faults. */
function unlessUnfit<T>(make: () => T): T | null {
  try {
    return make();
  } catch (error) {
    if (error instanceof Misfit || error instanceof JsonFault) return null;
    throw error;
  }
}

function metricsOf(calls: readonly Call[]): Map<string, Tree> {
  const sum = (count: (call: Call) => bigint | null): Tree => {
    const counts = calls.map(count).filter((count) => count !== null);
    return counts.length === 0 ? null : new NumberText(String(counts.reduce((all, one) => all + one)));
  };
  const latency = new Moments();
  for (const call of calls) if (call.latency !== null) latency.add(call.latency);
  return new Map<string, Tree>([
    ["tokens_in", sum(({ tokens }) => tokens.in)],
    ["tokens_out", sum(({ tokens }) => tokens.out)],
    ["tokens_reasoning", sum(({ tokens }) => tokens.reasoning)],
    ["tokens_total", sum(({ tokens }) => tokens.total)],
    ["cached_tokens", sum(({ tokens }) => tokens.cached)],
    ["latency_total_ms", latency.count === 0 ? null : new NumberText(float(latency.sum))],
    ["num_calls", new NumberText(String(calls.length))],
  ]);
}

function withoutPayloads(record: ReadonlyMap<string, Tree>): Map<string, Tree> {
  const left = new Map(record);
  for (const name of PAYLOADS) left.delete(name);
  return left;
}

function observationsTree({ source, records, gaps }: Observations): Map<string, Tree> {
  return new Map<string, Tree>([["source", source], ["records", [...records]], ["gaps", gaps.map(wholeGap)]]);
}

function hasGap(result: ReadonlyMap<string, Tree>, name: string, code: string): boolean {
  const value = unlessUnfit(() => result.get(name) ?? null);
  const gaps = value instanceof Map ? unlessUnfit(() => value.get("gaps") ?? null) : null;
  return Array.isArray(gaps) && gaps.some((gap) => gap instanceof Map && gap.get("code") === code);
}
