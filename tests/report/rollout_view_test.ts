import assert from "node:assert/strict";
import fc from "fast-check";
import { rolloutText } from "../../src/report/rollout_text.ts";
import { rolloutView } from "../../src/report/rollout_view.ts";

const said = (line: unknown, input?: unknown) =>
  rolloutView(line, input).conversation.map(({ who, text }) => [who, text]);

for (
  const [what, line, input, expected] of [
    [
      "input and output of Responses",
      {
        responses_create_params: { instructions: "be brief", input: "hi" },
        response: {
          output: [
            { type: "reasoning", summary: [{ text: "hm" }] },
            { type: "function_call", name: "f", arguments: '{"a":1}' },
            { type: "function_call_output", output: "7" },
            { type: "message", role: "assistant", content: [{ type: "output_text", text: "seven" }] },
          ],
        },
      },
      undefined,
      [["system", "be brief"], ["user", "hi"], ["reasoning", "hm"], ["tool call", 'f({"a":1})'], [
        "tool output",
        "7",
      ], [
        "assistant",
        "seven",
      ]],
    ],
    [
      "messages of chat completions",
      {
        response: {
          choices: [{
            message: { role: "assistant", content: "x", tool_calls: [{ function: { name: "g" } }] },
          }],
        },
      },
      { responses_create_params: { input: [{ role: "user", content: "q" }] } },
      [["user", "q"], ["assistant", "x"], ["tool call", "g()"]],
    ],
    [
      "the conversation that an agent recorded, before everything else",
      {
        ng_trajectory: {
          invocations: [{ conversation: [{ role: "user", content: "r" }] }],
          turns: [{ question: "t" }],
        },
      },
      undefined,
      [["user", "r"]],
    ],
    [
      "turns: the last question has all before it",
      {
        ng_trajectory: {
          turns: [{ question: "a" }, { question: [{ role: "user", content: "b" }], answer: "c" }],
        },
      },
      undefined,
      [["user", "b"], ["assistant", "c"]],
    ],
    ["nothing", {}, undefined, []],
  ] as const
) {
  Deno.test(`rolloutView() finds the conversation in ${what}`, () => {
    assert.deepEqual(said(line, input), expected);
  });
}

Deno.test("a rollout of any shape is shown, in harmless text of bounded length", () => {
  fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (response, trajectory, input) => {
    const line = { _ng_task_index: 1, response, ng_trajectory: trajectory, ng_model_call_capture: response };
    const text = rolloutText(rolloutView(line, input), null, { columns: 80, colour: false, full: false });
    // deno-lint-ignore no-control-regex -- controls are what is looked for
    assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  }));
  const long = rolloutText(
    rolloutView({ response: { output: "x".repeat(1e6) + "\u001b[2J" } }, undefined),
    { verdict: "healthy", findings: [] },
    { columns: 80, colour: false, full: false },
  );
  assert.ok(long.length < 10_000);
});

for (const columns of [200, 80, 60, 40]) {
  Deno.test(`head and model calls fit into ${columns} columns, whatever the agent and the models are called`, () => {
    const view = rolloutView({
      _ng_task_index: 0,
      _ng_rollout_index: 0,
      agent_ref: { name: "an_agent_with_a_long_name" },
      reward: 1,
      response: { usage: { input_tokens: 200, output_tokens: 14 } },
      ng_trajectory: {
        model_calls: [{
          model_call_id: "55887100ac4f418ca26c604724165e11",
          duration_ms: 18,
          response_metadata: { status_code: 200, model: "stand-in" },
          token_stats: { prompt_tokens: 100, completion_tokens: 7 },
        }],
      },
    }, undefined);
    const lines = rolloutText(view, null, { columns, colour: false, full: false }).split("\n");
    assert.deepEqual(lines.filter((line) => line.length > columns), []);
    const text = lines.join(" ");
    for (const told of ["an_agent_with_a_long_name", "200 tokens in, 14 out", "18 ms", "100 in", "7 out"]) {
      assert.ok(text.includes(told), told);
    }
  });
}
