import assert from "node:assert/strict";
import { nearMiss, responseTo, sumIn } from "../../src/demo/agent.ts";

const user = (content: unknown) => ({ role: "user", content });

for (
  const [name, params, answer] of [
    ["a string", { input: "What is 17 + 25?" }, 42],
    ["a message", { input: [user("What is 17 - 25?")] }, -8],
    ["parts", { input: [user([{ type: "input_text", text: "What is 7 × 6?" }])] }, 42],
    ["an asterisk and negative numbers", { input: "-3*4" }, -12],
    ["the last of several messages", {
      input: [user("1 + 1"), { role: "assistant", content: "2" }, user("2 + 2")],
    }, 4],
    ["no sum", { input: "Who are you?" }, undefined],
    ["no input", {}, undefined],
    ["odd messages", { input: [null, 3, user(4)] }, undefined],
    ["nothing", undefined, undefined],
  ] as const
) {
  Deno.test(`sumIn() finds the sum in ${name}`, () => assert.equal(sumIn(params)?.answer, answer));
}

Deno.test("nearMiss() is never right", () => {
  for (let spare = 0; spare < 1; spare += 0.01) assert.notEqual(nearMiss(42, spare), 42);
});

Deno.test("responseTo() holds the answer's text and a usage that adds up", () => {
  const { output, usage } = responseTo("x", { input: "What is 1 + 1?" }, "1 + 1 = 2") as {
    output: { content: { text: string }[] }[];
    usage: Record<string, number>;
  };
  assert.equal(output[0]?.content[0]?.text, "1 + 1 = 2");
  assert.equal(usage.total_tokens, usage.input_tokens! + usage.output_tokens!);
});
