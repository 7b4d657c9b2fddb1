/**
 * What an agent server tells of a rollout (`ng_agent_observations`), checked and completed as Gym's models do it: every
 * field of a record is written, with its default where it is missing; a field that none of them has is refused.
 */
import type { Tree } from "../../rows/tree.ts";
import { modelRefOf } from "./call_record.ts";
import type { Gap } from "./gap.ts";
import { amount, count, decimal, list, Misfit, object, oneOf, string, type Taker, whole } from "./lax.ts";

/** Observations of one rollout. Records are maps with all their fields. */
export interface Observations {
  readonly source: string;
  readonly records: readonly Map<string, Tree>[];
  readonly gaps: readonly Gap[];
}

/** A field: how it is taken, and what stands in its place; without that it must be given. */
type Field = readonly [take: Taker, absent?: () => Tree];

const nullable = (take: Taker): Field => [(value) => value === null ? null : take(value), () => null];
const orElse = (take: Taker, byDefault: string): Field => [take, () => byDefault];

/** Takes objects with these fields and no others. */
function record(fields: Readonly<Record<string, Field>>): Taker<Map<string, Tree>> {
  return (value) => {
    const given = object(value);
    for (const name of given.keys()) {
      if (!Object.hasOwn(fields, name)) throw new Misfit(`an unknown field ${name}`);
    }
    return new Map(
      Object.entries(fields).map(([name, [take, absent]]) => {
        const there = given.get(name);
        if (there !== undefined) return [name, take(there)];
        if (!absent) throw new Misfit(`no ${name}`);
        return [name, absent()];
      }),
    );
  };
}

const refFields = record({
  model_call_id: nullable(string),
  model_ref: nullable(modelRefOf),
  response_id: nullable(string),
});

/** A reference to a call: by its id, or by its model server and response. */
const ref: Taker<Map<string, Tree>> = (value) => {
  const taken = refFields(value);
  if (taken.get("model_call_id") || (taken.get("model_ref") && taken.get("response_id"))) return taken;
  throw new Misfit("a reference that refers to nothing");
};

const refs: Field = [list(ref), () => []];

const toolCallFields = record({
  kind: [string],
  invocation_id: [string],
  tool_call_id: [string],
  sandbox_id: nullable(string),
  tool_name: nullable(string),
  started_at: nullable(decimal),
  completed_at: nullable(decimal),
  duration_ms: nullable(amount),
  timing_source: nullable(oneOf("executor", "artifact", "harness")),
  status: orElse(oneOf("completed", "failed", "timeout", "cancelled", "incomplete", "unknown"), "unknown"),
  error_type: nullable(string),
});

const gapFields = record({ code: [string], invocation_id: nullable(string), detail: nullable(string) });

/** The kinds of record. */
const KINDS: ReadonlyMap<string, Taker<Map<string, Tree>>> = new Map([
  [
    "agent_invocation",
    record({
      kind: [string],
      invocation_id: [string],
      parent_invocation_id: nullable(string),
      spawned_by_tool_call_id: nullable(string),
      status: orElse(oneOf("completed", "failed", "incomplete", "unknown"), "unknown"),
      duration_ms: nullable(amount),
      error_type: nullable(string),
      model_calls: refs,
      conversation: [list(object), () => []],
    }),
  ],
  ["tool_call", (value: Tree) => {
    const taken = toolCallFields(value), [from, to] = [taken.get("started_at"), taken.get("completed_at")];
    if (from && to && numberOf(to) < numberOf(from)) {
      throw new Misfit("a tool call that ends before it starts");
    }
    return taken;
  }],
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
      before_model_call: nullable(ref),
      model_calls: refs,
      after_model_call: nullable(ref),
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
  gaps: [list(gapFields), () => []],
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

function numberOf(value: Tree): number {
  return Number((value as { text: string }).text);
}
