import assert from "node:assert/strict";
import { captured, folded, type Values } from "./_captures.ts";

const brain = { type: "responses_api_models", name: "brain" };
const call = (id: string | null, response: string | null, more: Values = {}) => ({
  model_call_id: id,
  model_ref: brain,
  response: response && { id: response },
  ...more,
});
const whole = (id: string | null, response: string | null) => ({
  model_call_id: id,
  model_ref: brain,
  response_id: response,
});
const invocation = (id: string, calls: readonly unknown[] = []) => ({
  kind: "agent_invocation",
  invocation_id: id,
  model_calls: calls,
});
const compaction = (calls: Values) => ({ kind: "context_compaction", invocation_id: "root", ...calls });
const gap = (code: string, invocation: string | null, detail: string) => ({
  code: `model_call_${code}`,
  invocation_id: invocation,
  detail,
});

interface Case {
  readonly calls: readonly unknown[];
  readonly records: readonly unknown[];
  readonly before?: readonly unknown[];
  /** By invocation or compaction, in order. */
  readonly refs: readonly unknown[];
  readonly gaps: readonly unknown[];
}

const cases: Record<string, Case> = {
  "references by id, and by server and response, are written in full": {
    calls: [call("a", "r"), call("b", "s")],
    records: [
      invocation("root", [{ model_call_id: "a" }, { model_ref: { ...brain, more: 1 }, response_id: "s" }]),
    ],
    refs: [[whole("a", "r"), whole("b", "s")]],
    gaps: [],
  },
  "an id beside which something does not fit matches nothing": {
    calls: [call("a", "r")],
    records: [invocation("root", [{ model_call_id: "a", response_id: "z" }])],
    refs: [[{ model_call_id: "a", model_ref: null, response_id: "z" }]],
    gaps: [
      gap("reference_unmatched", "root", "a"),
      gap("ownership_unavailable", null, "capture:a:call_index=0"),
    ],
  },
  "two calls that fit are ambiguous": {
    calls: [call(null, "r"), call(null, "r")],
    records: [invocation("root", [{ model_ref: brain, response_id: "r" }])],
    refs: [[whole(null, "r")]],
    gaps: [
      gap("reference_ambiguous", "root", "r"),
      gap("ownership_unavailable", null, "capture:r:call_index=0"),
      gap("ownership_unavailable", null, "capture:r:call_index=1"),
    ],
  },
  "the second invocation that names a call does not get it": {
    calls: [call("a", "r")],
    records: [invocation("root", [{ model_call_id: "a" }]), invocation("helper", [{ model_call_id: "a" }])],
    refs: [[whole("a", "r")], [{ model_call_id: "a", model_ref: null, response_id: null }]],
    gaps: [gap("reference_conflict", "helper", "a")],
  },
  "a call whose client names an invocation as its session belongs to it, once": {
    calls: [call("a", "r", { client_session_id: "root" }), call("b", "s", { client_session_id: "root" })],
    records: [invocation("root", [{ model_ref: brain, response_id: "r" }])],
    refs: [[whole("a", "r"), whole("b", "s")]],
    gaps: [],
  },
  "a call without ids, or with a session that is no invocation, belongs to nobody": {
    calls: [call(null, null, { client_session_id: "root" }), call("b", null, { client_session_id: "other" })],
    records: [invocation("root")],
    refs: [[]],
    gaps: [
      gap("ownership_unavailable", null, "capture:unknown:call_index=0"),
      gap("ownership_unavailable", null, "capture:b:call_index=1"),
    ],
  },
  "a compaction names calls of its own invocation, and calls around it": {
    calls: [call("a", "r"), call("b", "s"), call("c", "t")],
    records: [
      invocation("root", [{ model_call_id: "a" }]),
      invocation("helper", [{ model_call_id: "b" }]),
      compaction({
        model_calls: [{ model_call_id: "a" }, { model_call_id: "b" }, { model_call_id: "c" }],
        before_model_call: { model_call_id: "b" },
        after_model_call: { model_call_id: "c" },
      }),
    ],
    refs: [
      [whole("a", "r")],
      [whole("b", "s")],
      [
        whole("a", "r"),
        { model_call_id: "b", model_ref: null, response_id: null },
        { model_call_id: "c", model_ref: null, response_id: null },
      ],
    ],
    gaps: [
      gap("reference_conflict", "root", "model_calls:b"),
      gap("ownership_unavailable", "root", "model_calls:c"),
      gap("reference_conflict", "root", "before_model_call:b"),
      gap("ownership_unavailable", null, "capture:c:call_index=2"),
    ],
  },
  "gaps of an earlier join give way, others stay, and none is told twice": {
    calls: [call("a", "r")],
    records: [invocation("root", [{ model_call_id: "z" }, { model_call_id: "z" }])],
    before: [
      gap("reference_conflict", "root", "old"),
      gap("ownership_unavailable", null, "capture:old:call_index=0"),
      gap("ownership_unavailable", "root", "capture:kept"),
      { code: "own" },
    ],
    refs: [[
      { model_call_id: "z", model_ref: null, response_id: null },
      { model_call_id: "z", model_ref: null, response_id: null },
    ]],
    gaps: [
      gap("ownership_unavailable", "root", "capture:kept"),
      { code: "own", invocation_id: null, detail: null },
      gap("reference_unmatched", "root", "z"),
      gap("ownership_unavailable", null, "capture:a:call_index=0"),
    ],
  },
};

for (const [name, { calls, records, before = [], refs, gaps }] of Object.entries(cases)) {
  Deno.test(`joining observations and calls: ${name}`, () => {
    const { observations } = folded(captured(calls), {
      ng_agent_observations: { source: "s", records, gaps: before },
    });
    assert.deepEqual(observations!.records.map(({ model_calls }) => model_calls), refs);
    assert.deepEqual(observations!.gaps, gaps);
  });
}

Deno.test("joining writes every field of a record, and numbers of the kind that the field has", () => {
  const records = [
    { kind: "tool_call", invocation_id: "root", tool_call_id: "t", started_at: 1, completed_at: "2.5" },
    { kind: "sandbox", role: "agent", exit_code: -9.0, wall_time_s: 3 },
    { kind: "context_compaction", invocation_id: "root", tokens_before: "7" },
  ];
  const { observations } = folded(captured([]), { ng_agent_observations: { source: "s", records } });
  assert.deepEqual(observations!.records, [
    {
      ...{ kind: "tool_call", invocation_id: "root", tool_call_id: "t", sandbox_id: null, tool_name: null },
      ...{ started_at: 1, completed_at: 2.5, duration_ms: null, timing_source: null, status: "unknown" },
      error_type: null,
    },
    {
      ...{
        kind: "sandbox",
        role: "agent",
        provider: null,
        sandbox_id: null,
        outcome: "unknown",
        exit_code: -9,
      },
      ...{
        wall_time_s: 3,
        cpu_time_s: null,
        peak_memory_mib: null,
        resource_usage_source: null,
        error_type: null,
      },
    },
    {
      ...{
        kind: "context_compaction",
        invocation_id: "root",
        observed_at: null,
        trigger: null,
        tokens_before: 7,
      },
      ...{ tokens_after: null, outcome: "unknown", summary: null, first_kept_item_id: null },
      ...{ before_model_call: null, model_calls: [], after_model_call: null },
    },
  ]);
});

const root = { kind: "agent_invocation", invocation_id: "root" };
const refused: Record<string, readonly unknown[]> = {
  "two invocations with one id": [root, root],
  "an invocation that is its own ancestor": [
    { ...root, parent_invocation_id: "helper" },
    { kind: "agent_invocation", invocation_id: "helper", parent_invocation_id: "root" },
  ],
  "a field that no invocation has": [{ ...root, more: 1 }],
  "a reference that refers to nothing": [{ ...root, model_calls: [{ response_id: "r" }] }],
  "a record of no kind": [{ invocation_id: "root" }],
  "a tool call that ends before it starts": [
    { kind: "tool_call", invocation_id: "root", tool_call_id: "t", started_at: 2, completed_at: 1 },
  ],
  "a time that is negative": [{ ...root, duration_ms: -1 }],
  "a list that is null": [{ ...root, conversation: null }],
};

Deno.test("observations that Gym's models do not take are not joined", () => {
  for (const [name, records] of Object.entries(refused)) {
    const { capture, observations } = folded(captured([]), {
      ng_agent_observations: { source: "s", records },
    });
    assert.equal(observations, undefined, name);
    assert.deepEqual(capture.gaps!.at(-1), { code: "agent_observation_join_failed" }, name);
  }
});
