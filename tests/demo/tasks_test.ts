import assert from "node:assert/strict";
import { sumIn } from "../../src/demo/agent.ts";
import { demoTasks } from "../../src/demo/tasks.ts";

const lines = (count: number) => demoTasks(count).split("\n").slice(0, -1);

Deno.test("demoTasks() begins with these rows", () => {
  const row = (content: string, answer: string, operation: string) =>
    `{"responses_create_params":{"input":[{"role":"user","content":"${content}"}]},"expected_answer":"${answer}",` +
    `"operation":"${operation}","agent_ref":{"type":"responses_api_agents","name":"demo_agent"}}`;
  assert.deepEqual(lines(4), [
    row("What is 11 + 11?", "22", "sum"),
    row("What is 11 - 11?", "0", "difference"),
    row("What is 11 × 11?", "121", "product"),
    row("What is 96 + 55?", "151", "sum"),
  ]);
});

Deno.test("demoTasks() are all different, also beyond the first square of numbers", () => {
  assert.equal(new Set(lines(30_000)).size, 30_000);
});

Deno.test("demoTasks() of more rows begin with those of fewer", () => {
  assert.ok(demoTasks(200).startsWith(demoTasks(50)));
});

Deno.test("demoTasks() have the answer that the agent works out", () => {
  for (const line of lines(300)) {
    const { responses_create_params, expected_answer } = JSON.parse(line);
    assert.equal(String(sumIn(responses_create_params)?.answer), expected_answer);
  }
});

Deno.test("demoTasks() of 0 is empty; a negative count is refused", () => {
  assert.equal(demoTasks(0), "");
  for (const count of [-1, 1.5, NaN]) assert.throws(() => demoTasks(count), RangeError);
});
