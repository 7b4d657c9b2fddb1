import assert from "node:assert/strict";
import { join, toJson } from "../../../src/json/edit.ts";
import { callOf } from "../../../src/trajectory/capture/call_record.ts";
import { RawObject } from "../../../src/trajectory/raw_object.ts";
import { piecesOf } from "../../../src/trajectory/write_tree.ts";
import { captured, folded, plain, tree, type Values } from "./_captures.ts";

/** The fields of the record of an exchange, and what they are. */
function assertRecord(exchange: unknown, fields: Values): void {
  const record = plain(callOf(tree(exchange), 3).record) as Values;
  for (const [name, value] of Object.entries(fields)) assert.deepEqual(record[name], value, name);
}

const usages: Record<string, [usage: unknown, tokens: Values]> = {
  "Responses, with details": [
    {
      input_tokens: 12,
      output_tokens: 8,
      total_tokens: 20,
      input_tokens_details: { cached_tokens: 4 },
      output_tokens_details: { reasoning_tokens: 6 },
    },
    { in: 12, out: 8, total: 20, cached: 4, reasoning: 6, hit: true },
  ],
  "chat completions, with details": [
    {
      prompt_tokens: 12,
      completion_tokens: 8,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
    { in: 12, out: 8, total: 20, cached: 0, reasoning: 0, hit: false },
  ],
  "Anthropic messages: cached tokens are counted beside the input": [
    { input_tokens: 3, output_tokens: 9, cache_read_input_tokens: 5, cache_creation_input_tokens: 2 },
    { in: 10, out: 9, total: 19, cached: 5, created: 2, hit: true },
  ],
  "Anthropic messages without an input count": [
    { output_tokens: 9, cache_creation_input_tokens: 2 },
    { in: 2, out: 9, total: 11, created: 2 },
  ],
  "two zeros of the cache make no prompt": [
    { output_tokens: 9, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    { out: 9, cached: 0, created: 0, hit: false },
  ],
  "a total that is said wins over the sum": [
    { prompt_tokens: 1, completion_tokens: 2, total_tokens: 9 },
    { in: 1, out: 2, total: 9 },
  ],
  "one count alone has no total": [{ prompt_tokens: 1 }, { in: 1 }],
  "counts beside the details": [
    { prompt_tokens: 1, reasoning_output_tokens: 7, cached_input_tokens: 3 },
    { in: 1, reasoning: 7, cached: 3, hit: true },
  ],
  "details of another name": [
    { prompt_tokens: 1, input_tokens_details: { cached_input_tokens: 3 } },
    { in: 1, cached: 3, hit: true },
  ],
  "anything but whole numbers from 0 up is no count": [
    { prompt_tokens: -1, completion_tokens: 2.5, total_tokens: "3", prompt_tokens_details: [] },
    {},
  ],
  "the second name counts where the first has no count": [
    { input_tokens: true, prompt_tokens: 2, output_tokens: null, completion_tokens: 3 },
    { in: 2, out: 3, total: 5 },
  ],
  "no usage": [null, {}],
  "a usage that is a list": [[1], {}],
};

for (const [name, [usage, tokens]] of Object.entries(usages)) {
  Deno.test(`callOf() counts the tokens of a usage: ${name}`, () => {
    const { hit = null, ...counts } = tokens;
    const at = (name: string) => counts[name] === undefined ? null : `#${counts[name]}`;
    assertRecord({ response: { usage } }, {
      tokens_in: at("in"),
      tokens_out: at("out"),
      tokens_total: at("total"),
      tokens_reasoning: at("reasoning"),
      cached_tokens: at("cached"),
      cache_creation_tokens: at("created"),
      cache_hit: hit,
    });
  });
}

const replies: Record<string, [response: unknown, toolCalls: unknown, reasoning: string | null]> = {
  "Responses": [
    {
      output: [
        { type: "reasoning", summary: [{ text: "a" }, { text: "" }, { text: 1 }, "x"] },
        { type: "function_call", call_id: "c", name: "look", arguments: '{"a": 1}' },
        { type: "function_call", id: "i", arguments: { b: 2 } },
        { type: "reasoning", summary: [{ text: "b" }] },
        { type: "message" },
        "x",
      ],
    },
    [{ call_id: "c", name: "look", arguments: { a: "#1" } }, {
      call_id: "i",
      name: null,
      arguments: { b: "#2" },
    }],
    "a\nb",
  ],
  "chat completions": [
    {
      choices: [
        {
          message: {
            reasoning: "new",
            tool_calls: [
              { id: "c", function: { name: "look", arguments: "[1]" } },
              { id: "d", function: 1 },
              7,
            ],
          },
        },
        { message: { reasoning_content: "old", reasoning: "new" } },
        { message: "x" },
        7,
      ],
    },
    [{ call_id: "c", name: "look", arguments: ["#1"] }, { call_id: "d", name: null, arguments: {} }],
    "new\nold",
  ],
  "Anthropic messages": [
    {
      content: [
        { type: "thinking", thinking: "a" },
        { type: "redacted_thinking", thinking: "b" },
        { type: "thinking", thinking: 1 },
        { type: "tool_use", id: "u", name: "look", input: { a: 1 } },
        { type: "tool_use", id: "v", input: null },
        { type: "text", text: "t" },
      ],
    },
    [{ call_id: "u", name: "look", arguments: { a: "#1" } }, { call_id: "v", name: null, arguments: {} }],
    "a\nb",
  ],
  "arguments that are not JSON are kept as they are": [
    { output: [{ type: "function_call", call_id: "c", name: "n", arguments: '{"a": 1} trailing' }] },
    [{ call_id: "c", name: "n", arguments: { _raw: '{"a": 1} trailing' } }],
    null,
  ],
  "arguments nested deeper than Python reads are kept as they are": [
    {
      output: [{
        type: "function_call",
        call_id: "c",
        name: "n",
        arguments: "[".repeat(5000) + "]".repeat(5000),
      }],
    },
    [{ call_id: "c", name: "n", arguments: { _raw: "[".repeat(5000) + "]".repeat(5000) } }],
    null,
  ],
  "arguments of another kind": [
    { output: [{ type: "function_call", call_id: "c", name: "n", arguments: 5 }] },
    [{ call_id: "c", name: "n", arguments: {} }],
    null,
  ],
  "a list of Responses wins over the others": [
    { output: [], choices: [{ message: { reasoning: "x" } }] },
    [],
    null,
  ],
  "an output that is not a list is none": [
    { output: {}, content: [{ type: "thinking", thinking: "x" }] },
    [],
    "x",
  ],
  "nothing": [{}, [], null],
};

for (const [name, [response, toolCalls, reasoning]] of Object.entries(replies)) {
  Deno.test(`callOf() finds tool calls and reasoning: ${name}`, () => {
    assertRecord({ response }, { tool_calls: toolCalls, reasoning_content: reasoning });
  });
}

Deno.test("callOf() takes the finish reason that comes first: stop_reason, the first choice's, incomplete_details'", () => {
  const all = { stop_reason: "s", choices: [{ finish_reason: "f" }], incomplete_details: { reason: "r" } };
  assertRecord({ response: all }, { finish_reason: "s" });
  assertRecord({ response: { ...all, stop_reason: null } }, { finish_reason: "f" });
  assertRecord({ response: { ...all, stop_reason: 1, choices: [] } }, { finish_reason: "r" });
  assertRecord({ response: { choices: ["x", { finish_reason: "f" }] } }, { finish_reason: null });
});

Deno.test("callOf() takes the model of the response, else of the request", () => {
  assertRecord({ request: { model: "a" }, response: { model: "b" } }, { model: "b" });
  assertRecord({ request: { model: "a" }, response: { model: "" } }, { model: "a" });
  assertRecord({ request: { model: "a" }, response: { model: 7 } }, { model: null });
  assertRecord({}, { model: null, request: null, response: null });
});

Deno.test("callOf() keeps the text of a stream beside the response that was put together out of it", () => {
  const raw = 'data: {"id":"x"}\n\ndata: [DONE]\n\n';
  assertRecord({ response: { id: "x", status: "completed" }, response_raw: raw, request_raw: 5 }, {
    response_id: "x",
    response_status: "completed",
    response_raw: raw,
    request_raw: null,
  });
  assertRecord({ response: null, response_raw: raw, error_category: "stream_truncated" }, {
    response: null,
    response_raw: raw,
    error_category: "stream_truncated",
    tokens_in: null,
  });
});

Deno.test("callOf() writes numbers of the kinds that Gym's records have", () => {
  assertRecord({
    started_at: 10,
    completed_at: "11.5",
    latency_ms: 2,
    status_code: 200.0,
    upstream_status_code: "503",
  }, {
    started_at: "#10.0",
    completed_at: "#11.5",
    latency_total_ms: "#2.0",
    status_code: "#200",
    upstream_status_code: "#503",
    call_index: "#3",
  });
  assertRecord({ upstream_attempted: 1, client_session_id: 7 }, {
    upstream_attempted: true,
    client_session_id: null,
  });
});

const misfits: Record<string, unknown> = {
  "an id that is a number": { model_call_id: 7 },
  "a dialect that is a list": { dialect: [] },
  "a status with a fraction": { status_code: 200.5 },
  "a status that is a word": { status_code: "ok" },
  "a source that Gym does not know": { response_source: "elsewhere" },
  "a latency that is a word": { latency_ms: "long" },
  "a model server without a name": { model_ref: { type: "responses_api_models" } },
  "a reference to another kind of server": { model_ref: { type: "resources_servers", name: "x" } },
  "tool calls that are a number": { response: { choices: [{ message: { tool_calls: 5 } }] } },
  "a truth that is neither": { upstream_attempted: 2 },
};

for (const [name, exchange] of Object.entries(misfits)) {
  Deno.test(`a record with ${name} is damaged: a gap counts it, and the others are kept`, () => {
    const { capture } = folded(captured([{ model_call_id: "a" }, exchange, { model_call_id: "b" }]));
    assert.deepEqual(capture.calls.map(({ model_call_id, call_index }) => [model_call_id, call_index]), [
      ["a", 0],
      ["b", 2],
    ]);
    assert.deepEqual(capture.gaps, [{ code: "model_call_capture_records_unreadable", detail: "count=1" }]);
  });
}

Deno.test("strings of more than 16 MB keep their bytes: reasoning that is joined, arguments, raw answers", () => {
  const long = `é"\n${"x".repeat(1 << 24)}`;
  const exchange = {
    response: {
      output: [
        { type: "reasoning", summary: [{ text: "a\n" }, { text: long }, { text: "ü" }] },
        { type: "function_call", call_id: "c", name: "n", arguments: JSON.stringify({ a: long }) },
        { type: "function_call", call_id: "c", name: "n", arguments: `{${long}` },
      ],
    },
    response_raw: long,
  };
  const { record } = callOf(new RawObject(toJson(exchange)), 0);
  const made = JSON.parse(new TextDecoder().decode(join(piecesOf(record))));
  assert.ok(made.reasoning_content === `a\n\n${long}\nü`);
  assert.ok(made.response_raw === long);
  assert.ok(made.tool_calls[0].arguments.a === long);
  assert.ok(made.tool_calls[1].arguments._raw === `{${long}`);
});
