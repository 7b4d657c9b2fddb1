import assert from "node:assert/strict";
import fc from "fast-check";
import type { CaptureRead } from "../../../src/trajectory/capture/capture_read.ts";
import { foldCapture } from "../../../src/trajectory/capture/fold.ts";
import { captured, folded, text, tree, type Values } from "./_captures.ts";

const call = (id: string, more: Values = {}) => ({
  model_call_id: id,
  model_ref: { type: "responses_api_models", name: "brain" },
  response: { id: `r-${id}`, usage: { prompt_tokens: 10, completion_tokens: 5 } },
  latency_ms: 0.1,
  ...more,
});

const unreadable = (n: number) => ({ code: "model_call_capture_records_unreadable", detail: `count=${n}` });
const damages: Record<string, [read: CaptureRead, calls: number, gaps: unknown]> = {
  "no files": [{ kind: "absent" }, 0, [{ code: "model_call_capture_no_records" }]],
  "a file that cannot be used": [
    { kind: "unreadable", why: "it is a link" },
    0,
    [{ code: "model_call_capture_unreadable", detail: "it is a link" }],
  ],
  "an empty file": [captured([]), 0, [{ code: "model_call_capture_no_records" }]],
  "only the mark of a damage": [captured([], true), 0, [{ code: "model_call_capture_incomplete" }]],
  "calls and the mark of a damage": [captured([call("a")], true), 1, [{
    code: "model_call_capture_incomplete",
  }]],
  "a half-written last record": [captured([call("a"), '{"model_call_id": "b", "resp']), 1, [unreadable(1)]],
  "a record that is not an object": [captured([call("a"), "[]", "7"]), 1, [unreadable(2)]],
  "numbers that are not JSON": [captured(['{"latency_ms": NaN}']), 0, [unreadable(1)]],
  "a record nested too deep": [
    captured([`{"request": ${"[".repeat(2000)}${"]".repeat(2000)}}`, call("a")]),
    1,
    [unreadable(1)],
  ],
  "damaged records and the mark": [
    captured(["x"], true),
    0,
    [unreadable(1), { code: "model_call_capture_incomplete" }],
  ],
  "whole": [captured([call("a"), call("b")]), 2, undefined],
};

for (const [name, [read, calls, gaps]] of Object.entries(damages)) {
  Deno.test(`foldCapture() tells what a capture lacks: ${name}`, () => {
    const { capture } = folded(read);
    assert.equal(capture.calls.length, calls);
    assert.equal(capture.metrics.num_calls, calls);
    assert.deepEqual(capture.gaps, gaps);
  });
}

Deno.test("foldCapture() sums what the calls report, latencies as Python sums floats", () => {
  const calls = Array.from({ length: 10 }, (_, n) => call(String(n)));
  const capture = text(foldCapture(new Map(), captured([...calls, { usage: null }]), "7-1-a2").capture);
  assert.match(
    capture,
    /^\{"rollout_id":"7-1-a2","metrics":\{"tokens_in":100,"tokens_out":50,"tokens_reasoning":null,"tokens_total":150,"cached_tokens":null,"latency_total_ms":1\.0,"num_calls":11\}/,
  );
});

Deno.test("foldCapture() keeps whole numbers that no float holds", () => {
  const usage = { response: { usage: { prompt_tokens: 0 } } };
  const line = JSON.stringify(usage).replace(":0}", ":9007199254740993}");
  const capture = text(foldCapture(new Map(), captured([line, line]), "0-0").capture);
  assert.match(capture, /"metrics":\{"tokens_in":18014398509481986,/);
});

Deno.test("foldCapture() keeps requests and responses as they were written", () => {
  const line = '{"request": {"b": 1.50, "a": [1e2, "\\u00e9"]}, "response": {"output": [ {"x":1.0} ]}}';
  const capture = text(foldCapture(new Map(), captured([line]), "0-0").capture);
  assert.ok(
    capture.includes('"request":{"b": 1.50, "a": [1e2, "\\u00e9"]},"response":{"output": [ {"x":1.0} ]}'),
  );
});

const redacted = { gaps: [{ code: "other" }, { code: "multimodal_history_redacted" }] };
for (
  const [name, result, kept] of [
    ["the observations", { ng_agent_observations: { source: "s", ...redacted } }, false],
    ["the trajectory", { ng_trajectory: redacted }, false],
    ["neither", { ng_trajectory: { gaps: [{ code: "other" }] } }, true],
  ] as const
) {
  Deno.test(`foldCapture() ${kept ? "keeps" : "leaves out"} what was sent when ${name} says that it was redacted`, () => {
    const { capture } = folded(captured([call("a", { request: { input: "secret" } })]), result);
    assert.equal("request" in capture.calls[0]!, kept);
    assert.equal("response_raw" in capture.calls[0]!, kept);
    assert.equal(capture.metrics.tokens_in, 10);
  });
}

Deno.test("foldCapture() tells of observations that it cannot join, and leaves them as they are", () => {
  for (const broken of [7, [], {}, { source: "s", records: [{ kind: "x" }] }, { source: "s", more: 1 }]) {
    const { capture, observations } = folded(captured([call("a")]), { ng_agent_observations: broken });
    assert.equal(observations, undefined);
    assert.deepEqual(capture.gaps, [{ code: "agent_observation_join_failed" }]);
  }
  assert.equal(folded(captured([call("a")]), { ng_agent_observations: null }).capture.gaps, undefined);
});

/** Any JSON value, with the names that records and observations use. */
const names = [
  ...[
    "model_call_id",
    "model_ref",
    "type",
    "name",
    "response",
    "request",
    "usage",
    "output",
    "choices",
    "content",
  ],
  ...[
    "message",
    "tool_calls",
    "function",
    "arguments",
    "summary",
    "kind",
    "records",
    "gaps",
    "source",
    "code",
  ],
  ...["invocation_id", "parent_invocation_id", "model_calls", "response_id", "client_session_id", "id"],
  ...["input_tokens", "output_tokens", "cache_read_input_tokens", "total_tokens", "latency_ms"],
];
const { anything } = fc.letrec((tie) => ({
  anything: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(
      "a",
      "b",
      "responses_api_models",
      "brain",
      "agent_invocation",
      "context_compaction",
      "tool_call",
    ),
    fc.constantFrom(null, true, 0, 1, -1, 2.5, 1e300, ""),
    fc.array(tie("anything"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie("anything"), { maxKeys: 6 }),
  ),
}));
const exchange = fc.record({
  model_call_id: fc.constantFrom("a", "b", "c", "", null),
  model_ref: fc.constantFrom(null, { type: "responses_api_models", name: "brain" }),
  client_session_id: fc.constantFrom("root", "helper", null),
  response: fc.oneof(
    fc.record({
      id: fc.constantFrom("r", "s"),
      usage: fc.oneof(anything, fc.record({ prompt_tokens: fc.nat(9), completion_tokens: fc.nat(9) })),
    }),
    anything,
  ),
}, { requiredKeys: [] });
const reference = fc.oneof(
  fc.record({ model_call_id: fc.constantFrom("a", "b", "z") }),
  fc.record({
    model_ref: fc.constant({ type: "responses_api_models", name: "brain" }),
    response_id: fc.constantFrom("r", "s", "z"),
  }),
);
const observations = fc.record({
  source: fc.constant("s"),
  records: fc.tuple(
    ...["root", "helper"].map((id) =>
      fc.record({
        kind: fc.constant("agent_invocation"),
        invocation_id: fc.constant(id),
        model_calls: fc.array(reference, { maxLength: 3 }),
      })
    ),
  ),
});
const lines = fc.array(fc.oneof(exchange, anything, fc.constant('{"model_call_id": "a", "resp')), {
  maxLength: 6,
});

Deno.test("foldCapture() never throws, and never loses a record: it is a call, or counted in a gap", () => {
  fc.assert(
    fc.property(lines, fc.boolean(), fc.oneof(anything, observations), (lines, incomplete, observed) => {
      const read = captured(lines, incomplete),
        { capture } = folded(read, { ng_agent_observations: observed });
      const damaged = (capture.gaps ?? []).filter(({ code }) =>
        code === "model_call_capture_records_unreadable"
      )
        .reduce((sum, { detail }) => sum + Number((detail as string).slice("count=".length)), 0);
      assert.equal(capture.calls.length + damaged, lines.length);
      assert.equal(
        (capture.gaps ?? []).some(({ code }) => code === "model_call_capture_incomplete"),
        incomplete,
      );
    }),
  );
});

Deno.test("foldCapture() adds up tokens: a sum is that of the calls, and a record without counts adds none", () => {
  fc.assert(fc.property(lines, (lines) => {
    const { calls, metrics } = folded(captured(lines)).capture;
    for (const name of ["tokens_in", "tokens_out", "tokens_reasoning", "tokens_total", "cached_tokens"]) {
      const counts = calls.map((call) => call[name]).filter((count) => count !== null) as number[];
      assert.equal(metrics[name], counts.length === 0 ? null : counts.reduce((sum, count) => sum + count));
    }
    assert.equal(metrics.num_calls, calls.length);
  }));
});

Deno.test("joining gives each call one owner, or a gap names it; each reference resolves, or a gap names it", () => {
  fc.assert(fc.property(fc.array(exchange, { maxLength: 6 }), observations, (lines, observed) => {
    const { capture, observations: joined } = folded(captured(lines), { ng_agent_observations: observed });
    assert.ok(joined);
    const gaps = joined.gaps as { code: string; detail: string | null }[];
    const refs = joined.records.flatMap((record) => record.model_calls as Values[]);
    const named = (index: number) => gaps.some(({ detail }) => detail?.endsWith(`:call_index=${index}`));
    const owned = capture.calls.filter(({ call_index }) => !named(call_index as number));
    for (const { model_call_id, response_id } of owned) {
      assert.ok(refs.some((ref) => ref.model_call_id === model_call_id && ref.response_id === response_id));
    }
    assert.ok(owned.length <= refs.length);
    const unresolved = gaps.some(({ code }) => code.startsWith("model_call_reference_"));
    assert.equal(unresolved, owned.length < refs.length);
  }));
});

Deno.test("joining what was joined changes nothing", () => {
  fc.assert(fc.property(fc.array(exchange, { maxLength: 6 }), observations, (lines, observed) => {
    const once = folded(captured(lines), { ng_agent_observations: observed }).observations;
    const twice = folded(captured(lines), { ng_agent_observations: once }).observations;
    assert.deepEqual(twice?.records, once?.records);
    assert.deepEqual(
      new Set(twice?.gaps.map((gap) => JSON.stringify(gap))),
      new Set(once?.gaps.map((gap) => JSON.stringify(gap))),
    );
  }));
});

Deno.test("folding reads the result's own members and no others", () => {
  const result = tree({ ng_agent_observations: { source: "s" }, reward: 1 }), before = text(result);
  foldCapture(result, captured([call("a")]), "0-0");
  assert.equal(text(result), before);
});
