/**
 * A trajectory (`ng_trajectory`) out of what a result holds: the producer's own, what its agent observed, and the
 * captured calls. Steps, gaps and their order are Gym's.
 */
import { JsonFault } from "../json/scan.ts";
import { isText, NumberText, type Tree } from "../rows/tree.ts";
import { distinct, type Gap, gap, wholeGap } from "./gap.ts";
import { isTruthy, Misfit } from "./lax.ts";
import { isInvocation, observationsOf } from "./capture/observations.ts";
import { countOf } from "./capture/usage.ts";
import {
  checked,
  gapRecord,
  keyOf,
  listAt,
  modelCall,
  RESPONSE_METADATA,
  toolCall,
  trajectory as taken,
} from "./shapes.ts";
import { type Identity, turnsOf } from "./turns.ts";

type Taken = Map<string, Tree>;

/** A trajectory in the making. */
interface Parts {
  invocations: Taken[];
  turns: Taken[];
  calls: Taken[];
  tools: Taken[];
  readonly gaps: Gap[];
}

/**
 * Builds the trajectory of a result.
 *
 * @param result its top-level members
 * @throws {Misfit} when its captured calls cannot be part of one
 */
export function buildTrajectory(identity: Identity, result: ReadonlyMap<string, Tree>): Taken {
  const parts: Parts = { invocations: [], turns: [], calls: [], tools: [], gaps: [] };
  const produced = result.get("ng_trajectory"), isProduced = produced instanceof Map;
  const isObserved = isProduced && takeProduced(produced, identity, parts);
  const observations = result.get("ng_agent_observations") ?? null;
  if (observations !== null) takeObservations(observations, parts);
  parts.turns.sort(byTime);
  return fitOr(() => {
    const capture = result.get("ng_model_call_capture");
    if (capture instanceof Map) takeCapture(capture, parts);
    if (!isProduced) {
      parts.turns = turnsOf(identity, parts.invocations, parts.calls, result.get("resolved"));
    }
    const { invocations, turns, calls, tools, gaps } = parts;
    if (calls.length === 0) gaps.push(gap("model_calls_unavailable"));
    // A producer that reports no turns has said that there were none.
    if (turns.length === 0 && !isObserved) gaps.push(gap("turns_unavailable"));
    if (!invocations.some((one) => listAt(one, "conversation").length > 0)) {
      gaps.push(gap("conversation_unavailable"));
    }
    return checked(trajectoryOf(identity, { invocations, turns, calls, tools, gaps }));
  }, (kind): never => {
    throw new Misfit("no trajectory", kind);
  });
}

/** A trajectory that holds nothing but what it lacks. */
export function emptyTrajectory(identity: Identity, gaps: Gap[]): Taken {
  return trajectoryOf(identity, { invocations: [], turns: [], calls: [], tools: [], gaps });
}

function trajectoryOf({ task_id, rollout_id }: Identity, parts: Parts): Taken {
  return new Map<string, Tree>([
    ["schema_version", "1.0"],
    ["task_id", task_id],
    ["rollout_id", rollout_id],
    ["invocations", parts.invocations],
    ["turns", parts.turns],
    ["model_calls", parts.calls],
    ["tool_calls", parts.tools],
    ["gaps", distinct(parts.gaps).map(wholeGap)],
  ]);
}

/** The producer's own. Returns whether it is one. */
function takeProduced(produced: Tree, identity: Identity, parts: Parts): boolean {
  const own = fitOr(
    () => taken(produced),
    (kind) => void parts.gaps.push(gap("producer_trajectory_invalid", kind)),
  );
  if (!own) return false;
  const differs = (["task_id", "rollout_id"] as const).filter((name) => own.get(name) !== identity[name]);
  if (differs.length > 0) parts.gaps.push(gap("producer_trajectory_identity_mismatch", differs.join(",")));
  parts.turns = listAt(own, "turns").map((turn) => new Map([...turn, ...Object.entries(identity)]));
  parts.gaps.push(...listAt(own, "gaps").map(gapOf));
  parts.invocations = listAt(own, "invocations");
  parts.tools = listAt(own, "tool_calls");
  parts.calls = listAt(own, "model_calls");
  return true;
}

/** What its agent observed: it adds to what the producer told, and does not take away from it. */
function takeObservations(observations: Tree, parts: Parts): void {
  fitOr(() => {
    const { records, gaps } = observationsOf(observations);
    parts.gaps.push(...gaps);
    const known = new Set(parts.invocations.map((one) => one.get("invocation_id")));
    parts.invocations.push(
      ...records.filter((one) => isInvocation(one) && !known.has(one.get("invocation_id")!)),
    );
    takeTools(records.filter((one) => one.get("kind") === "tool_call"), parts);
  }, (kind) => void parts.gaps.push(gap("agent_observations_invalid", kind)));
}

function takeTools(observed: readonly Taken[], { invocations, tools }: Parts): void {
  if (observed.length === 0) return;
  const outputs = outputsOf(invocations);
  const positions = new Map(tools.map((tool, k) => [keyOf(tool, "tool_call_id"), k]));
  for (const one of observed) {
    const key = keyOf(one, "tool_call_id"), position = positions.get(key) ?? tools.length;
    const existing = tools[position], merged = new Map(existing);
    for (const [name, value] of one) {
      const isKnown = name === "status" && value === "unknown" && existing &&
        existing.get(name) !== "unknown";
      if (value !== null && !isKnown) merged.set(name, value);
    }
    const output = outputs.get(key);
    if (output !== undefined) merged.set("output", output);
    tools[position] = toolCall(merged);
    positions.set(key, position);
  }
}

/** What function calls gave the model, by invocation and call. */
function outputsOf(invocations: readonly Taken[]): Map<string, Tree> {
  return new Map(invocations.flatMap((one) =>
    listAt(one, "conversation")
      .filter((item) => item.get("type") === "function_call_output")
      .map((item) =>
        [JSON.stringify([one.get("invocation_id"), item.get("call_id")]), item.get("output")!] as const
      )
  ));
}

/** The captured calls, each merged into the call of its id, and what the capture lacks. */
function takeCapture(capture: ReadonlyMap<string, Tree>, { calls, gaps }: Parts): void {
  const positions = new Map(
    calls.flatMap((call, k) => call.get("model_call_id") === null ? [] : [[call.get("model_call_id"), k]]),
  );
  for (const raw of itemsOf(capture.get("calls"))) {
    if (!(raw instanceof Map)) continue;
    const call = projected(raw), id = raw.get("model_call_id") ?? null;
    const position = id === null ? undefined : positions.get(id);
    if (position === undefined) calls.push(call);
    else {
      positions.delete(id!);
      calls[position] = modelCall(merged(calls[position]!, call));
    }
  }
  for (const raw of itemsOf(capture.get("gaps"))) {
    if (!(raw instanceof Map)) continue;
    gaps.push(fitOr(() => gapOf(gapRecord(raw)), () => gap("model_call_capture_gap_invalid")));
  }
}

/** A captured call as a call of a trajectory. */
function projected(raw: ReadonlyMap<string, Tree>): Taken {
  const at = (name: string) => raw.get(name) ?? null;
  const metadata = new Map(
    Object.keys(RESPONSE_METADATA).map((name) => [name, at(name)] as const).filter(([, value]) =>
      value !== null
    ),
  );
  const response = at("response"), status = response instanceof Map ? response.get("status") : undefined;
  if (typeof status === "string" && !metadata.has("response_status")) metadata.set("response_status", status);
  return modelCall(
    new Map<string, Tree>([
      ["model_call_id", at("model_call_id")],
      ["started_at", at("started_at")],
      ["completed_at", at("completed_at")],
      ["duration_ms", at("latency_total_ms")],
      ["request", at("request") ?? at("request_raw")],
      ["response", response ?? at("response_raw")],
      ["response_metadata", metadata],
      [
        "token_stats",
        new Map<string, Tree>([
          ["prompt_tokens", counted(at("tokens_in"))],
          ["completion_tokens", counted(at("tokens_out"))],
          ["reasoning_tokens", counted(at("tokens_reasoning"))],
          ["total_tokens", counted(at("tokens_total"))],
          ["cached_tokens", counted(at("cached_tokens"))],
        ]),
      ],
    ]),
  );
}

/** A count, or null: what is no whole number is unknown. */
function counted(value: Tree): Tree {
  const count = countOf(value);
  return count === null ? null : new NumberText(String(count));
}

/** A call with what another record of it knows more. */
function merged(call: Taken, update: Taken): Taken {
  const all = new Map(call);
  for (const [name, value] of update) {
    if (name === "response_metadata" || name === "token_stats") {
      all.set(name, new Map([...call.get(name) as Taken, ...known(value as Taken)]));
    } else if (value !== null) all.set(name, value);
  }
  return all;
}

function known(record: Taken): [string, Tree][] {
  return [...record].filter(([, value]) => value !== null);
}

function gapOf(record: Taken): Gap {
  return {
    code: record.get("code") as string,
    invocation: record.get("invocation_id") as string | null,
    detail: record.get("detail") as string | null,
  };
}

/** What Python goes through in a loop over a value, as far as objects are concerned. */
function itemsOf(value: Tree | undefined): readonly Tree[] {
  if (Array.isArray(value)) return value;
  if (!isTruthy(value) || isText(value) || value instanceof Map) return [];
  throw new Misfit("neither a list nor nothing", "TypeError");
}

function byTime(one: Taken, other: Taken): number {
  const numbers = ["timestamp", "turn_no"].map((name) => numberAt(one, name) - numberAt(other, name));
  const a = one.get("invocation_id") as string, b = other.get("invocation_id") as string;
  return numbers[0]! || compareCodePoints(a, b) || numbers[1]!;
}

function numberAt(record: Taken, name: string): number {
  return Number((record.get(name) as NumberText).text);
}

/** As Python compares strings; JavaScript would by UTF-16. */
function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0;
  const [left, right] = [a, b].map((text) => [...text].map((character) => character.codePointAt(0)!));
  const k = left!.findIndex((point, k) => point !== right![k]);
  return k < 0 ? -1 : left![k]! - (right![k] ?? -1);
}

/** What `make` makes; what `unfit` makes of the kind of error when what it is made of does not fit. */
function fitOr<T, U>(make: () => T, unfit: (kind: Misfit["kind"]) => U): T | U {
  try {
    return make();
  } catch (error) {
    if (error instanceof Misfit) return unfit(error.kind);
    if (error instanceof JsonFault) return unfit("ValidationError"); // nested too deep to be read
    throw error;
  }
}
