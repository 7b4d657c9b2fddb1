/** What a rollout took (`ng_perf`), out of its trajectory. Names and rules are Gym's. */
import { float } from "../rows/python.ts";
import { NumberText, type Tree } from "../rows/tree.ts";
import { listAt } from "./shapes.ts";

type Record = ReadonlyMap<string, Tree>;

/** Sums over calls: the name here, and of the count in a call. */
const TOKENS = [
  ["prompt_tokens", "prompt_tokens"],
  ["cached_prompt_tokens", "cached_tokens"],
  ["completion_tokens", "completion_tokens"],
  ["reasoning_tokens", "reasoning_tokens"],
] as const;

/**
 * The record; undefined for a trajectory without an invocation, of which there is nothing to tell.
 *
 * @param trajectory a whole one, as Gym's model takes it
 * @param latencyMs from request to answer
 */
export function perfOf(trajectory: Record, latencyMs: number): Map<string, Tree> | undefined {
  const invocations = listAt(trajectory, "invocations");
  if (invocations.length === 0) return undefined;
  const turns = countBy(listAt(trajectory, "turns")), tools = countBy(listAt(trajectory, "tool_calls"));
  const find = finder(listAt(trajectory, "model_calls"));
  const owned = new Set<Record>();
  let numTurns = 0, numToolCalls = 0;
  for (const invocation of invocations) {
    const id = invocation.get("invocation_id")!, before = owned.size;
    for (const ref of listAt(invocation, "model_calls")) {
      const call = find(ref);
      if (call) owned.add(call);
    }
    // Turns are what was reported; else a call is one; and what ran had one at least.
    numTurns += turns.get(id) || owned.size - before || 1;
    numToolCalls += tools.get(id) ?? 0;
  }
  const perf = new Map<string, Tree>([
    ["num_turns", new NumberText(String(numTurns))],
    ["num_tool_calls", new NumberText(String(numToolCalls))],
    ["token_observability_coverage", new NumberText(float(Math.min(1, owned.size / numTurns)))],
  ]);
  for (const [name, count] of TOKENS) {
    const counts = [...owned].map((call) => (call.get("token_stats") as Record).get(count))
      .filter((value) => value instanceof NumberText);
    if (counts.length > 0) perf.set(name, sumOf(counts));
  }
  return perf.set("total_latency_ms", new NumberText(float(latencyMs)));
}

function countBy(records: readonly Record[]): Map<Tree, number> {
  const counts = new Map<Tree, number>();
  for (const record of records) {
    const id = record.get("invocation_id")!;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

function sumOf(counts: readonly NumberText[]): NumberText {
  return new NumberText(String(counts.reduce((sum, { text }) => sum + BigInt(text), 0n)));
}

/** Finds the one call that a reference fits; none when there are several. */
function finder(calls: readonly Record[]): (ref: Record) => Record | undefined {
  const fits = (ref: Record, call: Record) => {
    const metadata = call.get("response_metadata") as Record;
    const server = ref.get("model_ref") as Record | null, response = ref.get("response_id");
    return (server === null || isSame(server, metadata.get("model_ref") as Record | null)) &&
      (response === null || response === metadata.get("response_id"));
  };
  const byId = Map.groupBy(calls, (call): Tree => call.get("model_call_id") || null);
  const byResponse = Map.groupBy(
    calls,
    (call): Tree => (call.get("response_metadata") as Record).get("response_id") || null,
  );
  return (ref) => {
    const id = ref.get("model_call_id");
    const candidates = (id ? byId.get(id) : byResponse.get(ref.get("response_id")!))?.filter((call) =>
      fits(ref, call)
    );
    return candidates?.length === 1 ? candidates[0] : undefined;
  };
}

function isSame(one: Record, other: Record | null): boolean {
  return other !== null && one.get("type") === other.get("type") && one.get("name") === other.get("name");
}
