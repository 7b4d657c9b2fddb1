import assert from "node:assert/strict";
import { toJson } from "../../src/json/edit.ts";
import { readTree } from "../../src/rows/tree.ts";
import { conversationItem } from "../../src/trajectory/conversation.ts";
import { Misfit } from "../../src/trajectory/lax.ts";
import { piecesOf } from "../../src/trajectory/write_tree.ts";
import { join } from "../../src/json/edit.ts";

const decoder = new TextDecoder();
const written = (item: unknown) => decoder.decode(join(piecesOf(conversationItem(readTree(toJson(item))))));

// Right: what the models of Gym 0.7.0 write for these.
for (
  const [what, given, expected] of [
    [
      "a message",
      { role: "user", content: "hi" },
      '{"content":"hi","role":"user","type":"message","phase":null}',
    ],
    [
      "parts, without what Gym does not know",
      { role: "user", content: [{ type: "input_text", text: "x", extra: 1 }], x: 2 },
      '{"content":[{"text":"x","type":"input_text"}],"role":"user","type":"message","phase":null}',
    ],
    [
      "a message with a status",
      {
        role: "user",
        content: [{ type: "input_image", image_url: "u", detail: "auto" }],
        status: "completed",
      },
      '{"content":[{"detail":"auto","type":"input_image","image_url":"u"}],"role":"user","status":"completed","type":"message"}',
    ],
    [
      "what a model said",
      {
        id: "m",
        role: "assistant",
        content: [{ type: "output_text", text: "x", annotations: [] }],
        type: "message",
      },
      '{"id":"m","content":[{"annotations":[],"text":"x","type":"output_text","logprobs":null}],"role":"assistant","status":"completed","type":"message","phase":null}',
    ],
    [
      "a call",
      { type: "function_call", arguments: "{}", call_id: "c", name: "n", zz: 1 },
      '{"arguments":"{}","call_id":"c","name":"n","type":"function_call","id":null,"status":null,"namespace":null}',
    ],
    [
      "its output",
      { type: "function_call_output", call_id: "c", output: "n" },
      '{"call_id":"c","output":"n","type":"function_call_output","id":null,"status":null}',
    ],
    [
      "reasoning",
      { type: "reasoning", id: "r", summary: [{ type: "summary_text", text: "s", k: 1 }] },
      '{"id":"r","summary":[{"text":"s","type":"summary_text","k":1}],"type":"reasoning","encrypted_content":null,"content":null}',
    ],
    [
      "a hosted tool's item, with what else it has",
      { type: "custom_tool_call", call_id: "c", input: "i", name: "n", q: [1] },
      '{"call_id":"c","input":"i","name":"n","type":"custom_tool_call","id":null,"namespace":null,"q":[1]}',
    ],
    [
      "what is like nothing",
      { foo: 1 },
      '{"id":null,"server_label":null,"tools":[],"type":"mcp_list_tools","error":null,"foo":1}',
    ],
    [
      "a role that no message has",
      { role: "tool", content: "hi" },
      '{"id":null,"server_label":null,"tools":[],"type":"mcp_list_tools","error":null,"role":"tool","content":"hi"}',
    ],
    [
      "a sampled message, its tokens first",
      {
        role: "user",
        content: "x",
        prompt_token_ids: [1],
        generation_token_ids: [2],
        generation_log_probs: [1],
      },
      '{"prompt_token_ids":[1],"generation_token_ids":[2],"generation_log_probs":[1.0],"routed_experts":null,"content":"x","role":"user","type":"message","phase":null}',
    ],
  ] as const
) {
  Deno.test(`an item of a conversation is written as Gym writes it: ${what}`, () => {
    assert.equal(written(given), expected);
  });
}

for (
  const [what, given, kind] of [
    [
      "a part of chat completions",
      { role: "user", content: [{ type: "text", text: "x" }] },
      "ValidationError",
    ],
    [
      "an image without a detail",
      { role: "user", content: [{ type: "input_image", image_url: "u" }] },
      "ValidationError",
    ],
    ["an unknown type", { type: "unheard_of" }, "ValidationError"],
    ["an unknown phase", { role: "user", content: "x", phase: "zz" }, "ValidationError"],
    [
      "an output that is an object",
      { type: "function_call_output", call_id: "c", output: {} },
      "ValidationError",
    ],
    ["a role that is a list", { role: [], content: "x" }, "TypeError"],
    ["no object", 7, "ValidationError"],
  ] as const
) {
  Deno.test(`an item of a conversation is refused, as Gym does: ${what}`, () => {
    assert.throws(() => written(given), (error: unknown) => error instanceof Misfit && error.kind === kind);
  });
}
