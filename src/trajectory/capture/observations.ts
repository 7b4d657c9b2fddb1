/**
 * What an agent server tells of a rollout (`ng_agent_observations`), checked and completed as Gym's models do it: every
 * field of a record is written, with its default where it is missing; a field that none of them has is refused.
 */
import type { Tree } from "../../rows/tree.ts";
import type { Gap } from "../gap.ts";
import { nullable, orElse, record } from "../record.ts";
import { callRef, callRefs, gapRecord, invocation, observedToolCall } from "../shapes.ts";
import { amount, count, decimal, list, Misfit, object, oneOf, string, type Taker, whole } from "../lax.ts";

/** Observations of one rollout. Records are maps with all their fields. */
export interface Observations {
  readonly source: string;
  readonly records: readonly Map<string, Tree>[];
  readonly gaps: readonly Gap[];
}

/** The kinds of record. */
const KINDS: ReadonlyMap<string, Taker<Map<string, Tree>>> = new Map([
  ["agent_invocation", invocation],
  ["tool_call", observedToolCall],
  [
    "context_compaction",
    record({
      kind: [string],
      invocation_id: [string],
      observed_at: nullable(decimal),
      trigger: nullable(string),
      tokens_before: nullable(count),
      tokens_after: nullable(count),
      outcome: orElse(oneOf("completed", "failed", "aborted", "unknown"), "unknown"),
      summary: nullable(string),
      first_kept_item_id: nullable(string),
      before_model_call: nullable(callRef),
      model_calls: callRefs,
      after_model_call: nullable(callRef),
    }),
  ],
  [
    "sandbox",
    record({
      kind: [string],
      role: [oneOf("agent", "verifier", "environment")],
      provider: nullable(string),
      sandbox_id: nullable(string),
      outcome: orElse(
        oneOf("completed", "failed", "timeout", "oom", "sandbox_error", "cancelled", "unknown"),
        "unknown",
      ),
      exit_code: nullable(whole),
      wall_time_s: nullable(amount),
      cpu_time_s: nullable(amount),
      peak_memory_mib: nullable(amount),
      resource_usage_source: nullable(string),
      error_type: nullable(string),
    }),
  ],
]);

const anyRecord: Taker<Map<string, Tree>> = (value) => {
  const kind = object(value).get("kind"), take = typeof kind === "string" ? KINDS.get(kind) : undefined;
  if (!take) throw new Misfit("a record of no known kind");
  return take(value);
};

const bundle = record({
  source: [string],
  records: [list(anyRecord), () => []],
  gaps: [list(gapRecord), () => []],
});

/** Checks and completes observations. @throws {Misfit} when they are none */
export function observationsOf(value: Tree): Observations {
  const taken = bundle(value), records = taken.get("records") as Map<string, Tree>[];
  const invocations = records.filter(isInvocation);
  const parents = new Map(
    invocations.map((one) => [one.get("invocation_id"), one.get("parent_invocation_id")]),
  );
  if (parents.size < invocations.length) throw new Misfit("two invocations with one id");
  if (hasCycle(parents)) throw new Misfit("an invocation that is its own ancestor");
  const gaps = (taken.get("gaps") as Map<string, Tree>[]).map((one) => ({
    code: one.get("code") as string,
    invocation: one.get("invocation_id") as string | null,
    detail: one.get("detail") as string | null,
  }));
  return { source: taken.get("source") as string, records, gaps };
}

/** Whether a record is an agent's, or a subagent's, part of the rollout. */
export function isInvocation(record: ReadonlyMap<string, Tree>): boolean {
  return record.get("kind") === "agent_invocation";
}

/** Whether a record is a compaction of the context. */
export function isCompaction(record: ReadonlyMap<string, Tree>): boolean {
  return record.get("kind") === "context_compaction";
}

/** Parents that nobody observed are no fault: they end the chain. */
function hasCycle(parents: ReadonlyMap<Tree | undefined, Tree | undefined>): boolean {
  const checked = new Set<Tree | undefined>();
  for (const start of parents.keys()) {
    const chain = new Set<Tree | undefined>();
    for (let at: Tree | undefined = start; parents.has(at) && !checked.has(at); at = parents.get(at)) {
      if (chain.has(at)) return true;
      chain.add(at);
    }
    for (const id of chain) checked.add(id);
  }
  return false;
}
