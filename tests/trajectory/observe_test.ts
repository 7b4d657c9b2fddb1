import assert from "node:assert/strict";
import fc from "fast-check";
import { edit, join, toJson } from "../../src/json/edit.ts";
import { DEEPEST_RESULT, depthOf } from "../../src/json/depth.ts";
import { type JsonObject, readObject } from "../../src/json/object.ts";
import { foldCapture } from "../../src/trajectory/capture/fold.ts";
import { RawObject } from "../../src/trajectory/raw_object.ts";
import { observed, tellsOfCalls } from "../../src/trajectory/observe.ts";

const KNOWN = { identity: { task_id: "7", rollout_id: "0-0" }, latencyMs: 250 };
const encoder = new TextEncoder(), decoder = new TextDecoder();

/** The result as it is written. */
function written(result: JsonObject): JsonObject {
  if (!tellsOfCalls(result)) return result;
  const { result: left, members } = observed(result, KNOWN);
  return readObject(join(edit(left, { set: members })));
}

// deno-lint-ignore no-explicit-any
const observe = (result: unknown): any =>
  JSON.parse(decoder.decode(written(readObject(toJson(result))).text()));

const codes = (gaps: readonly { code: string }[]) => gaps.map(({ code }) => code);

Deno.test("a result that tells of no calls keeps every byte", () => {
  const text = '{ "reward" : 1.0e0, "ng_perf": 7,\t"x": 1, "x": 2 }';
  assert.equal(decoder.decode(written(readObject(encoder.encode(text))).text()), text);
});

Deno.test("everything but the keys that are added or replaced keeps its bytes", () => {
  const text =
    '{"reward":1.00,"ng_model_call_capture":{"calls":[{"request":{"input":"q"}}],"x": 1e2},"n":1E5,"n":2}';
  const made = written(readObject(encoder.encode(text)));
  const given = decoder.decode(made.text());
  assert.ok(
    given.startsWith(
      '{"reward":1.00,"ng_model_call_capture":{"calls":[{}],"x":1e2},"n":1E5,"n":2,"ng_trajectory":',
    ),
  );
});

Deno.test("calls are merged into the producer's by their id: what is known stays, what is new is added", () => {
  const { ng_trajectory, ng_model_call_capture } = observe({
    ng_trajectory: {
      task_id: "7",
      rollout_id: "0-0",
      model_calls: [{ model_call_id: "a", started_at: 5, token_stats: { prompt_tokens: 3 } }],
    },
    ng_model_call_capture: {
      calls: [
        {
          model_call_id: "a",
          started_at: null,
          tokens_in: null,
          tokens_out: 2,
          response: { status: "completed" },
        },
        { model_call_id: "b", latency_total_ms: 3 },
      ],
    },
  });
  const [a, b] = ng_trajectory.model_calls;
  assert.deepEqual([a.started_at, a.token_stats.prompt_tokens, a.token_stats.completion_tokens], [5, 3, 2]);
  assert.equal(a.response_metadata.response_status, "completed");
  assert.deepEqual([b.model_call_id, b.duration_ms], ["b", 3]);
  assert.deepEqual(ng_model_call_capture.calls[0].response, undefined);
});

for (
  const [name, result, place, kind] of [
    ["in the capture", { ng_model_call_capture: { calls: 7 } }, "ng_model_call_capture", "TypeError"],
    [
      "in the observations, without a capture",
      {
        ng_model_call_capture: null,
        ng_agent_observations: { source: "s", gaps: [] },
        ng_trajectory: {
          task_id: "7",
          rollout_id: "0-0",
          invocations: [{ invocation_id: "a" }, { invocation_id: "b" }],
        },
      },
      null,
      null,
    ],
    [
      "in the capture, when two calls have one id",
      { ng_model_call_capture: { calls: [{ model_call_id: "a" }, { model_call_id: "a" }] } },
      "ng_model_call_capture",
      "ValidationError",
    ],
    [
      "in a bare trajectory, when the capture's gaps are no list",
      { ng_model_call_capture: { calls: 7, gaps: 1 }, ng_trajectory: { x: 1 } },
      "ng_trajectory",
      "TypeError",
    ],
  ] as const
) {
  Deno.test(`a trajectory that cannot be built is a gap ${name}, and payloads stay`, () => {
    const made = observe(result);
    const gap = { code: "trajectory_projection_failed", detail: kind };
    for (const key of ["ng_model_call_capture", "ng_agent_observations", "ng_trajectory"]) {
      const gaps = (made[key]?.gaps ?? []) as { code: string; detail: string }[];
      const failed = Array.isArray(gaps) ? gaps.filter?.(({ code }) => code === gap.code) : [];
      assert.equal(failed.length, key === place ? 1 : 0, key);
      if (key === place) assert.equal(failed[0]!.detail, kind);
    }
    if (place !== null && place !== "ng_trajectory") assert.equal("ng_trajectory" in made, false);
  });
}

Deno.test("values that are nested 5,000 deep, huge or odd are data: a trajectory is built, or a gap says why not", () => {
  const deep = "[".repeat(5000) + "]".repeat(5000);
  const deepObject = '{"a":'.repeat(900) + "1" + "}".repeat(900);
  for (
    const value of [deepObject, '"\\ud800"', "1e400", "-0", '"' + "x".repeat(1 << 20) + '"', "[[]]", "{}"]
  ) {
    for (const key of ["ng_trajectory", "ng_agent_observations", "ng_model_call_capture"]) {
      for (const wrap of [(v: string) => v, (v: string) => `{"calls":[${v}],"gaps":${v},"turns":${v}}`]) {
        const made = written(readObject(encoder.encode(`{"${key}":${wrap(value)}}`)));
        assert.ok(
          made.has("ng_trajectory") || made.has("ng_model_call_capture") || made.has("ng_agent_observations"),
        );
      }
    }
  }
  assert.throws(
    () => readObject(encoder.encode(`{"ng_trajectory":${deep}}`), 1024),
    "refused before it comes here",
  );
});

const NESTED: readonly (readonly [what: string, result: (deep: string) => string])[] = [
  ["a captured call", (deep) => `{"ng_model_call_capture":{"calls":[${deep}]}}`],
  ["its gaps", (deep) => `{"ng_model_call_capture":{"calls":7,"gaps":${deep}}}`],
  ["what stands beside calls", (deep) => `{"ng_model_call_capture":{"calls":[{"request":{}}],"x":${deep}}}`],
  [
    "what stands beside calls that fit nothing",
    (deep) => `{"ng_model_call_capture":{"calls":7,"x":${deep}}}`,
  ],
  ["a request", (deep) => `{"ng_model_call_capture":{"calls":[{"request":{"input":${deep}}}]}}`],
  ["an observation", (deep) => `{"ng_agent_observations":{"source":"s","records":[${deep}]}}`],
  ["a trajectory", (deep) => `{"ng_trajectory":{"turns":${deep}}}`],
];

/** The text, with so many lists in one another that the whole is as deep as a result may be. */
function deepest(text: (deep: string) => string): Uint8Array {
  const levels = DEEPEST_RESULT - depthOf(encoder.encode(text("0")));
  return encoder.encode(text("[".repeat(levels) + "]".repeat(levels)));
}

for (const [what, text] of NESTED) {
  Deno.test(`a result nested as deep as one may be is data: ${what}`, () => {
    const result = readObject(deepest(text), DEEPEST_RESULT);
    const captured = observed(result, {
      ...KNOWN,
      folded: foldCapture(new RawObject(result), { kind: "absent" }, "0-0"),
    });
    for (const { members } of [observed(result, KNOWN), captured]) {
      assert.ok([...members.keys()].some((name) => name.startsWith("ng_")));
      for (const json of members.values()) JSON.parse(decoder.decode(json));
    }
  });
}

// Whatever there is, in the shapes that matter.
const id = fc.constantFrom("a", "b", "c", "", null);
const count = fc.constantFrom(0, 1, 7, null, -1, 2.5, "3");
const payload = fc.constantFrom<unknown>(
  null,
  "raw",
  { input: "q" },
  { input: [{ role: "user", content: "x" }], messages: [] },
  { output: [{ type: "function_call" }, { type: "reasoning" }], status: "completed" },
  { choices: [{ message: { content: "c", reasoning: "r", tool_calls: [1] } }] },
  { choices: [{ message: "odd" }] },
);
const some = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(fields, { requiredKeys: [] });
const call = some({
  model_call_id: id,
  response_id: id,
  model_ref: fc.constantFrom(null, { type: "responses_api_models", name: "m" }),
  started_at: count,
  tokens_in: count,
  tokens_out: count,
  tokens_total: count,
  request: payload,
  response: payload,
});
const ref = some({ model_call_id: id, response_id: id });
const invocation = fc.record({
  kind: fc.constant("agent_invocation"),
  invocation_id: fc.constantFrom("root", "sub"),
  model_calls: fc.array(ref, { maxLength: 2 }),
  conversation: fc.array(
    fc.constantFrom<unknown>({ role: "user", content: "x" }, { type: "unheard_of" }, 1),
    {
      maxLength: 1,
    },
  ),
});
const result = some<Record<string, unknown>>({
  ng_model_call_capture: fc.oneof(
    fc.record({ calls: fc.array(fc.oneof(call, fc.constantFrom(1, null, "x")), { maxLength: 3 }) }),
    fc.jsonValue(),
  ),
  ng_agent_observations: fc.oneof(
    fc.record({ source: fc.constant("s"), records: fc.array(invocation, { maxLength: 2 }) }),
    fc.jsonValue(),
  ),
  ng_trajectory: fc.oneof(fc.jsonValue(), fc.constant({ task_id: "7", rollout_id: "9" })),
  resolved: fc.constantFrom(true, null, 1),
});

Deno.test("for any captures and observations: building never throws, and no captured call is lost without a gap", () => {
  fc.assert(
    fc.property(result, (given) => {
      const made = observe(given);
      if (!tellsOfCalls(readObject(toJson(given)))) {
        return assert.deepEqual(made, JSON.parse(JSON.stringify(given)));
      }
      const calls = (given.ng_model_call_capture as { calls?: unknown[] } | null)?.calls;
      const captured = Array.isArray(calls)
        ? calls.filter((one) => typeof one === "object" && one !== null)
        : [];
      const trajectory = made.ng_trajectory;
      if (!trajectory) {
        const gaps = made.ng_model_call_capture?.gaps ?? made.ng_agent_observations?.gaps;
        return assert.ok(codes(gaps).includes("trajectory_projection_failed"));
      }
      if (codes(trajectory.gaps).includes("trajectory_projection_failed")) return;
      assert.ok(trajectory.model_calls.length >= captured.length, "a captured call is lost");
      if (trajectory.model_calls.length === 0) {
        assert.ok(codes(trajectory.gaps).includes("model_calls_unavailable"));
      }
      for (const [k, one] of captured.entries()) {
        const { tokens_in, tokens_out } = one as { tokens_in: unknown; tokens_out: unknown };
        const known = (value: unknown) => Number.isInteger(value) && value as number >= 0 ? value : null;
        const { prompt_tokens, completion_tokens } =
          trajectory.model_calls.at(k - captured.length).token_stats;
        assert.deepEqual([prompt_tokens, completion_tokens], [known(tokens_in), known(tokens_out)]);
      }
    }),
    { numRuns: 500 },
  );
});

Deno.test("for any captures and observations: tokens of the performance record are those of owned calls, each once", () => {
  fc.assert(
    fc.property(
      fc.array(invocation, { maxLength: 2 }),
      fc.array(call, { maxLength: 4 }),
      (records, calls) => {
        const made = observe({
          ng_agent_observations: { source: "s", records },
          ng_model_call_capture: { calls },
        });
        if (!made.ng_perf) return;
        const { prompt_tokens = 0, num_turns, token_observability_coverage: coverage } = made.ng_perf;
        const all = made.ng_trajectory.model_calls as { token_stats: { prompt_tokens: number | null } }[];
        const sum = all.reduce((total, { token_stats }) => total + (token_stats.prompt_tokens ?? 0), 0);
        assert.ok(prompt_tokens <= sum, "a call was counted twice");
        assert.ok(num_turns >= made.ng_trajectory.invocations.length);
        assert.ok(coverage >= 0 && coverage <= 1);
        assert.equal(made.ng_perf.total_latency_ms, 250);
      },
    ),
    { numRuns: 300 },
  );
});

const LONG = "x".repeat((1 << 24) + 1);
const LONG_STRINGS: readonly (readonly [what: string, result: unknown, where: (made: unknown) => unknown])[] =
  [
    [
      "what a model reasoned, in two parts",
      {
        ng_model_call_capture: {
          calls: [{
            response: {
              output: [{ type: "reasoning", summary: [{ text: "a" }, { text: LONG }, { text: "\n" }] }],
            },
          }],
        },
      },
      // deno-lint-ignore no-explicit-any
      (made: any) => made.ng_trajectory.model_calls[0].response.output[0].summary[1].text,
    ],
    [
      "what was asked",
      { ng_model_call_capture: { calls: [{ request: { input: LONG } }] } },
      // deno-lint-ignore no-explicit-any
      (made: any) => made.ng_trajectory.model_calls[0].request.input,
    ],
    [
      "a message of a conversation",
      {
        ng_agent_observations: {
          source: "s",
          records: [{
            kind: "agent_invocation",
            invocation_id: "i",
            conversation: [{ role: "user", content: LONG }],
          }],
        },
      },
      // deno-lint-ignore no-explicit-any
      (made: any) => made.ng_trajectory.invocations[0].conversation[0].content,
    ],
    [
      "a tool's output",
      {
        ng_trajectory: {
          task_id: "7",
          rollout_id: "0-0",
          tool_calls: [{ invocation_id: "i", tool_call_id: "t", output: [[LONG]] }],
        },
      },
      // deno-lint-ignore no-explicit-any
      (made: any) => made.ng_trajectory.tool_calls[0].output[0][0],
    ],
  ];

for (const [what, result, where] of LONG_STRINGS) {
  Deno.test(`a string of more than 16 MB keeps its bytes: ${what}`, () => {
    assert.ok(where(observe(result)) === LONG);
  });
}

Deno.test("an id of more than 16 MB fits no record: the capture stays, and a gap says so", () => {
  const { ng_model_call_capture } = observe({
    ng_model_call_capture: { calls: [{ model_call_id: LONG, tokens_in: 1 }] },
  });
  assert.ok(ng_model_call_capture.calls[0].model_call_id === LONG);
  assert.deepEqual(codes(ng_model_call_capture.gaps), ["trajectory_projection_failed"]);
});
