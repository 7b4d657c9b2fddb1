import assert from "node:assert/strict";
import { ROLLOUT_CHECKS, TASK_CHECKS, TRAJECTORY_CHECKS } from "../../src/health/checks.ts";
import type { TaskRepeats } from "../../src/health/check.ts";
import { BRAIN, call, examined, type Json, row, said, trajectory, turn } from "./_rollouts.ts";

const gap = (code: string, more: Json = {}) => ({ gaps: [{ code, ...more }] });
const at = (call_id: string, detail: Json) => ({ locator: { call_id }, detail });
const withCall = (metadata: Json, more: Json = {}) =>
  row({}, { model_calls: [call("call-0", metadata, more)] });
const withTurn = (more: Json) => row({}, { turns: [turn(1, ["call-0"], more)] });
const withTokens = (token_stats: Json) => withCall({}, { token_stats });

Deno.test("the checks have distinct names, and say what they read and find", () => {
  const all = [...ROLLOUT_CHECKS, ...TASK_CHECKS];
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
  assert.ok(ROLLOUT_CHECKS.length <= 16, "a bit each");
  for (const { id, finds } of all) {
    assert.match(id, /^[a-z_]+$/);
    assert.match(finds, /^[a-z].*[^.]$/);
  }
});

Deno.test("examine() finds nothing in a rollout whose turns, calls and counts agree", () => {
  const { findings, unobserved } = examined(row());
  assert.deepEqual([findings, unobserved], [[], 0]);
});

Deno.test("every check of a trajectory is unobserved without one, and if building it failed", () => {
  for (const bad of [{}, { ng_trajectory: null }, row({}, gap("trajectory_projection_failed"))]) {
    for (const { id } of TRAJECTORY_CHECKS) assert.equal(said(id, bad), "unobserved", id);
  }
});

Deno.test("checks of calls are unobserved where not all calls were captured, those of turns are not", () => {
  for (
    const code of [
      "model_calls_unavailable",
      "model_call_capture_incomplete",
      "model_call_capture_records_unreadable",
      "model_call_capture_unreadable",
    ]
  ) {
    for (const { id, reads } of TRAJECTORY_CHECKS) {
      assert.deepEqual(said(id, row({}, gap(code))), reads === "turns" ? [] : "unobserved", `${id} ${code}`);
    }
  }
  for (const { id, reads } of TRAJECTORY_CHECKS) {
    const without = said(id, row({}, gap("turns_unavailable")));
    assert.deepEqual(without, reads === "turns" ? "unobserved" : [], id);
  }
});

/** By check: a title, a line, and what the check says of it. */
const TABLE: Readonly<Record<string, readonly (readonly [string, unknown, unknown])[]>> = {
  record_unreadable: [
    ["a line that is not JSON", "{oops", [{
      locator: { source_file: "out/a.jsonl", line: 7 },
      detail: { reason: "the line is not JSON", error: "JSONDecodeError" },
    }]],
    ["a line that is not an object", "[1,2]", [{
      locator: { source_file: "out/a.jsonl", line: 7 },
      detail: { reason: "the line is JSON, but not an object", error: "ValueError" },
    }]],
    ["a trajectory that is a string", { ng_trajectory: "x" }, [{
      detail: { reason: "ng_trajectory is malformed: not an object", error: "ValidationError" },
    }]],
    ["a trajectory that lacks a member", { ng_trajectory: { task_id: "0" } }, [{
      detail: {
        reason: "ng_trajectory is malformed: rollout_id is missing",
        error: "ValidationError",
      },
    }]],
  ],
  rollout_missing_agent_turns: [
    ["no turns", row({}, { turns: [] }), [{
      detail: { reason: "no turn has text, reasoning, a tool call or a model call" },
    }]],
    ["a turn of which nothing is known but a call", withTurn({ answer: null }), []],
    ["a turn without a call that answers", row({}, { turns: [turn(1, [])] }), []],
    ["a turn without anything", row({}, { turns: [turn(1, [], { answer: " " })] }), [{
      detail: { reason: "no turn has text, reasoning, a tool call or a model call" },
    }]],
  ],
  agent_turn_hollow: [
    ...[
      null,
      "",
      " \n\t",
      [],
      [[], ""],
      {},
      7,
      true,
      { id: "only" },
      { content: [] },
      [{ type: "message", content: [{ type: "output_text", text: "  " }] }],
      { tool_calls: [] },
      { type: "message" },
    ].map((answer) =>
      [`an answer of ${JSON.stringify(answer)}`, withTurn({ answer }), [{
        locator: { turn: 1 },
        detail: { reason: "the turn has neither text nor reasoning nor tool calls" },
      }]] as const
    ),
    ...[
      "hi",
      ["", "hi"],
      [{ refusal: "no" }],
      [{ summary: [{ text: "s" }] }],
      { role: "assistant", content: [{ type: "output_text", text: "x" }] },
      [{ type: "function_call", name: "f" }],
      { content: "", tool_calls: [{ id: "t" }] },
      [[{ type: "tool_use" }]],
      { encrypted_content: "…" },
    ].map((answer) => [`an answer of ${JSON.stringify(answer)}`, withTurn({ answer }), []] as const),
    ["reasoning without an answer", withTurn({ answer: null, reasoning_content: "hm" }), []],
  ],
  rollout_ended_on_failed_model_call: [
    ["an only call that failed", withCall({ status_code: 500 }), [at("call-0", {
      model_ref: "responses_api_models/brain",
      status: 500,
      error_category: null,
      observed_calls: 1,
      successful_calls: 0,
    })]],
    ...([
      ["a failure before a success", 1, 2, false],
      ["a failure after a success", 2, 1, true],
      ["a failure that began first though it stands last", 1, 2, false],
      ["a failure at the same time as a success that stands before it", 1, 1, true],
      ["a failure of which it is not known when it began", null, 1, false],
      ["a failure beside a success of which it is not known when it began", 1, null, false],
    ] as const).map(([title, failed, good, isFound]) =>
      [
        title,
        row({}, {
          model_calls: [
            call("good", {}, { started_at: good }),
            call("bad", { status_code: 503 }, { started_at: failed }),
          ],
        }),
        !isFound ? [] : [at("bad", {
          model_ref: "responses_api_models/brain",
          status: 503,
          error_category: null,
          observed_calls: 2,
          successful_calls: 1,
        })],
      ] as const
    ),
    [
      "a failure after which another model went on, by calls that nothing refers to",
      row({}, {
        model_calls: [
          call("bad", { error_category: "timeout", status_code: null }),
          call("judge", { model_ref: { ...BRAIN, name: "judge" } }, { started_at: 9 }),
        ],
      }),
      [at("bad", {
        model_ref: "responses_api_models/brain",
        status: null,
        error_category: "timeout",
        observed_calls: 1,
        successful_calls: 0,
      })],
    ],
    [
      "a failure of a call that names no model and has no id",
      row({}, {
        model_calls: [
          call("a"),
          call(null, { model_ref: null, response_status: "cancelled", status_code: null }),
        ],
      }),
      [at("1", {
        model_ref: null,
        status: null,
        error_category: null,
        observed_calls: 1,
        successful_calls: 0,
      })],
    ],
    ["no captured calls", row({}, { model_calls: [] }), "unobserved"],
  ],
  model_call_zero_completion_tokens: [
    ["no completion token", withTokens({ prompt_tokens: 1, completion_tokens: 0 }), [
      at("call-0", { completion_tokens: 0 }),
    ]],
    ["no prompt token", withTokens({ prompt_tokens: 0, completion_tokens: 1 }), []],
    ["no count", withTokens({}), []],
    ["a call that nothing refers to", row({}, { turns: [turn(1, [])] }), "unobserved"],
    [
      "a call that only an invocation refers to",
      row({}, {
        turns: [],
        invocations: [{ invocation_id: "root", model_calls: [{ model_call_id: "call-0" }] }],
        model_calls: [call("call-0", {}, { token_stats: { completion_tokens: 0 } })],
      }),
      [at("call-0", { completion_tokens: 0 })],
    ],
  ],
  model_call_missing_token_counts: [
    ["no counts", withTokens({}), [at("call-0", { missing: ["prompt_tokens", "completion_tokens"] })]],
    ["no count of the prompt", withTokens({ completion_tokens: 0 }), [
      at("call-0", { missing: ["prompt_tokens"] }),
    ]],
    ["a null count", withTokens({ prompt_tokens: 1, completion_tokens: null }), [
      at("call-0", { missing: ["completion_tokens"] }),
    ]],
  ],
  trajectory_capture_mismatch: [
    [
      "a reference to no call, twice",
      row({}, { turns: [turn(1, ["call-0", "call-7"]), turn(2, ["call-7"])] }),
      [
        at("call-7", { kind: "missing_captured_call" }),
      ],
    ],
    [
      "a reference that contradicts its call",
      withTurn({ model_calls: [{ model_call_id: "call-0", response_id: "r" }] }),
      [
        at("call-0", { kind: "missing_captured_call" }),
      ],
    ],
    [
      "a reference that fits two calls",
      row({}, {
        turns: [turn(1, [], { model_calls: [{ model_ref: BRAIN, response_id: "r" }] })],
        model_calls: [call("a", { response_id: "r" }), call("b", { response_id: "r" })],
      }),
      [at("r", { kind: "duplicated_captured_call", count: 2 })],
    ],
    [
      "what the join reported",
      row({}, gap("model_call_reference_conflict", { detail: "x:call-0", invocation_id: "root" })),
      [
        at("call-0", {
          kind: "conflicting_call_ownership",
          observation_gap: "model_call_reference_conflict",
          invocation_id: "root",
        }),
      ],
    ],
    ["what the join reported of nothing in particular", row({}, gap("model_call_reference_unmatched")), [
      at("unknown", {
        kind: "missing_captured_call",
        observation_gap: "model_call_reference_unmatched",
        invocation_id: null,
      }),
    ]],
    [
      "what the join reported of a reference that was found as well",
      row({}, {
        turns: [turn(1, ["call-7"])],
        ...gap("model_call_reference_unmatched", { detail: "model_calls:call-7" }),
      }),
      [at("call-7", { kind: "missing_captured_call" })],
    ],
    ["a gap without any reference", row({}, { turns: [], ...gap("model_call_reference_conflict") }), [
      at("unknown", {
        kind: "conflicting_call_ownership",
        observation_gap: "model_call_reference_conflict",
        invocation_id: null,
      }),
    ]],
    ["no reference", row({}, { turns: [turn(1, [])] }), "unobserved"],
  ],
  model_call_failed: [
    ...([
      [{ status_code: 399 }, false],
      [{ status_code: 400 }, true],
      [{ status_code: null, error_category: "timeout" }, true],
      [{ error_category: "" }, false],
      [{ response_status: "failed" }, true],
      [{ response_status: "error" }, true],
      [{ response_status: "cancelled" }, true],
      [{ response_status: "completed" }, false],
    ] as [Json, boolean][]).map(([metadata, isFailed]) => {
      const { status_code = 200, error_category = null } = metadata;
      return [
        `a call of ${JSON.stringify(metadata)}`,
        withCall(metadata),
        isFailed ? [at("call-0", { status: status_code, error_category, terminal: true })] : [],
      ] as const;
    }),
    [
      "a failure before another call",
      row({}, {
        turns: [turn(1, ["a", "b"])],
        model_calls: [call("a", { status_code: 500 }), call("b")],
      }),
      [at("a", { status: 500, error_category: null, terminal: false })],
    ],
    [
      "a last failure where a call is missing",
      row({}, {
        turns: [turn(1, ["a", "x"])],
        model_calls: [call("a", { status_code: 500 })],
      }),
      [at("a", { status: 500, error_category: null, terminal: false })],
    ],
  ],
  rollout_token_count_mismatch: [
    ["other counts", row({ response: { usage: { prompt_tokens: 10, completion_tokens: 6 } } }), [{
      detail: { transcript_prompt: 10, transcript_completion: 6, capture_prompt: 10, capture_completion: 5 },
    }]],
    [
      "the same counts by other names",
      row({ response: { usage: { prompt_tokens: 10, completion_tokens: 5 } } }),
      [],
    ],
    [
      "a null count before one by its other name",
      row({
        response: { usage: { input_tokens: null, prompt_tokens: 10, output_tokens: 5 } },
      }),
      "unobserved",
    ],
    [
      "a count that is not a whole number",
      row({ response: { usage: { input_tokens: 10.5, output_tokens: 5 } } }),
      "unobserved",
    ],
    [
      "a count that is below 0",
      row({ response: { usage: { input_tokens: -1, output_tokens: 5 } } }),
      "unobserved",
    ],
    ["no counts in the result", row({ response: "text" }), "unobserved"],
    ["no counts of a call", withTokens({ prompt_tokens: 1 }), "unobserved"],
    ["a reference to no call", row({}, { turns: [turn(1, ["call-0", "x"])] }), "unobserved"],
    [
      "turns of which not all calls are known",
      row({}, gap("turn_model_call_scope_incomplete")),
      "unobserved",
    ],
    [
      "a call that only an invocation refers to",
      row({}, {
        turns: [],
        invocations: [{ invocation_id: "root", model_calls: [{ model_call_id: "call-0" }] }],
      }),
      "unobserved",
    ],
  ],
  model_call_runaway_generation: [
    ...["length", "max_output_tokens", "max_tokens"].map((finish_reason) =>
      [`${finish_reason} without text`, withCall({ finish_reason }, { response: { choices: [] } }), [
        at("call-0", { finish_reason }),
      ]] as const
    ),
    ["a limit without a response", withCall({ finish_reason: "length" }, { response: null }), "unobserved"],
    ["an end without text", withCall({ finish_reason: "stop" }, { response: {} }), []],
    ...[
      { output_text: "x" },
      { content: [{ text: "x" }] },
      { output: [{ content: "x" }] },
      { choices: [{ text: "x" }] },
      { choices: [7, { message: "x" }, { message: { content: "x" } }] },
    ].map((response) =>
      [
        `a limit after ${JSON.stringify(response)}`,
        withCall({ finish_reason: "length" }, { response }),
        [],
      ] as const
    ),
    ...["text", { choices: "x" }, { choices: [{ message: { reasoning: "x" } }] }].map((response) =>
      [`a limit after ${JSON.stringify(response)}`, withCall({ finish_reason: "length" }, { response }), [
        at("call-0", { finish_reason: "length" }),
      ]] as const
    ),
  ],
};

for (const [id, lines] of Object.entries(TABLE)) {
  for (const [title, line, expected] of lines) {
    Deno.test(`${id}, ${title}`, () => assert.deepEqual(said(id, line), expected));
  }
}

Deno.test("examine() of an unreadable line lacks everything else, of an unreadable trajectory what reads it", () => {
  const names = (unobserved: number) =>
    ROLLOUT_CHECKS.filter((_, n) => unobserved & (1 << n)).map(({ id }) => id);
  const others = ROLLOUT_CHECKS.map(({ id }) => id).filter((id) => id !== "record_unreadable");
  assert.deepEqual(names(examined("x").unobserved), others);
  assert.deepEqual(
    names(examined({ ng_trajectory: 1 }).unobserved),
    TRAJECTORY_CHECKS.map(({ id }) => id),
  );
});

Deno.test("examine() leaves out ignored checks: they neither find anything nor lack anything", () => {
  const all = [...ROLLOUT_CHECKS].map(({ id }) => id);
  for (const line of ["x", {}, { ng_trajectory: 1 }, withCall({ status_code: 500 })]) {
    const { findings, unobserved } = examined(line, all);
    assert.deepEqual([findings, unobserved], [[], 0]);
  }
  const without = examined(withCall({ status_code: 500 }), ["model_call_failed"]).findings;
  assert.deepEqual(without.map(({ check }) => check), ["rollout_ended_on_failed_model_call"]);
});

const REPEATS: TaskRepeats = {
  repeats: 2,
  verdicts: { healthy: 0, unhealthy: 2, unobserved: 0 },
  callsObserved: true,
  anySuccess: false,
};

for (
  const [verdicts, flags] of [
    [{ healthy: 0, unhealthy: 2, unobserved: 0 }, true],
    [{ healthy: 1, unhealthy: 5, unobserved: 0 }, false],
    [{ healthy: 2, unhealthy: 0, unobserved: 0 }, false],
    [{ healthy: 0, unhealthy: 2, unobserved: 7 }, true],
    [{ healthy: 0, unhealthy: 1, unobserved: 7 }, undefined],
    [{ healthy: 1, unhealthy: 0, unobserved: 0 }, undefined],
  ] as const
) {
  Deno.test(`task_consistently_unhealthy of ${JSON.stringify(verdicts)} says ${flags}`, () => {
    assert.equal(TASK_CHECKS[0]!.flags({ ...REPEATS, verdicts }), flags);
  });
}

for (
  const [callsObserved, anySuccess, flags] of [
    [true, false, true],
    [true, true, false],
    [false, true, undefined],
    [false, false, undefined],
  ] as const
) {
  Deno.test(`task_no_successful_model_calls, observed ${callsObserved}, success ${anySuccess}, says ${flags}`, () => {
    assert.equal(TASK_CHECKS[1]!.flags({ ...REPEATS, callsObserved, anySuccess }), flags);
  });
}

Deno.test("examine() counts failed calls by status, replays, and tokens over all captured calls", () => {
  const calls = [
    call("a", { status_code: 500 }),
    call(null, { status_code: null, error_category: "x", response_id: "r" }),
    call(null, { response_id: "r" }),
    call(null, { model_ref: null, response_id: "r" }),
    call(null, {}, { token_stats: {} }),
  ];
  const { counts, callsObserved, anySuccess } = examined(
    row({}, { turns: [turn(1, ["a"])], model_calls: calls }),
  );
  assert.deepEqual(counts, {
    calls: 5,
    failed: [500, null],
    endedOnError: false,
    replayed: 1,
    tokens: { prompt: 10, completion: 5, capture_prompt: 40, capture_completion: 20 },
  });
  assert.deepEqual([callsObserved, anySuccess], [true, false]);
});

for (
  const [title, more] of [
    ["an unknown member", { more: 1 }],
    ["another version", { schema_version: "2.0" }],
    ["a task id that is a number", { task_id: 0 }],
    ["lists that are null", { gaps: null }],
    ["a turn of another rollout", { turns: [turn(1, [], { rollout_id: "1-0" })] }],
    ["a turn number that is there twice", { turns: [turn(1, []), turn(1, [])] }],
    ["a turn number of 0", { turns: [turn(0, [])] }],
    ["a call id that is there twice", { model_calls: [call("a"), call("a")] }],
    ["an invocation that is there twice", { invocations: [{ invocation_id: "a" }, { invocation_id: "a" }] }],
    ["a reference to nothing", { turns: [turn(1, [], { model_calls: [{ response_id: "r" }] })] }],
    ["a model server of another type", { model_calls: [call("a", { model_ref: { type: "x", name: "y" } })] }],
    ["a count below 0", { model_calls: [call("a", {}, { token_stats: { prompt_tokens: -1 } })] }],
    ["a tool call that ends before it begins", {
      tool_calls: [{ invocation_id: "a", tool_call_id: "t", started_at: 2, completed_at: 1 }],
    }],
    ["a conversation of strings", { invocations: [{ invocation_id: "a", conversation: ["x"] }] }],
    ["a gap without a code", { gaps: [{ detail: "x" }] }],
  ] as [string, Json][]
) {
  Deno.test(`readTrajectory() refuses ${title}`, () => {
    const found = said("record_unreadable", { ng_trajectory: trajectory(more) });
    assert.ok(found !== "unobserved" && found.length === 1);
  });
}

for (
  const [title, more] of [
    ["members that are missing", { invocations: undefined, gaps: undefined, schema_version: undefined }],
    ["calls without ids", { model_calls: [call(null), call(""), call("")] }],
    ["numbers as strings and the other way round", {
      turns: [turn(1, [], { turn_no: "1", timestamp: "1.5", step_count: 0.0, resolved: "yes" })],
    }],
    ["a model server with more members", { model_calls: [call("a", { model_ref: { ...BRAIN, more: 1 } })] }],
    ["the same turn number in two invocations", {
      turns: [turn(1, []), turn(1, [], { invocation_id: "other" })],
    }],
    ["conversations and tool calls", {
      invocations: [{
        kind: "agent_invocation",
        invocation_id: "a",
        status: "failed",
        conversation: [{ role: "user" }],
      }],
      tool_calls: [{ invocation_id: "a", tool_call_id: "t", started_at: 1, completed_at: 1, output: [1] }],
    }],
  ] as [string, Json][]
) {
  Deno.test(`readTrajectory() takes ${title}`, () => {
    assert.deepEqual(said("record_unreadable", { ng_trajectory: trajectory(more) }), []);
  });
}
