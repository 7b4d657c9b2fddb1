import assert from "node:assert/strict";
import { FailureBook, nameExamples } from "../../src/resume/failure_book.ts";
import { readLines } from "../../src/store/read_lines.ts";
import { MemoryFiles } from "../fakes/memory_files.ts";
import { linesOf } from "./_run.ts";

function bookOf(text: string): FailureBook {
  const book = new FailureBook();
  for (const line of readLines(new MemoryFiles({ "/x": text }).read("/x"))) book.push(line);
  return book;
}

const failure = (task: number, more: Record<string, unknown>) =>
  `${JSON.stringify({ ...more, _ng_task_index: task, _ng_rollout_index: 0 })}\n`;

Deno.test("FailureBook counts by class, with the last message, the servers, and the first rollouts with their own ids", () => {
  const book = bookOf(
    failure(3, {
      _ng_failure_class: "lost",
      _ng_failure_message: "first",
      _ng_failure_response_body: "Traceback:\nKeyError",
      agent_ref: { name: "math" },
    }) +
      failure(3, {
        _ng_failure_class: "lost",
        _ng_failure_message: "then",
        _ng_failure_response_body: null,
        agent_ref: { name: "math" },
      }) +
      failure(5, { _ng_failure_class: "lost", _ng_environment_server: "sandbox", problem_id: "aime-5" }) +
      failure(1, { agent_ref: { name: "math" } }),
  );
  assert.equal(book.failures, 4);
  assert.deepEqual(book.classes, [
    {
      name: "lost",
      failures: 3,
      message: "then",
      body: "Traceback: KeyError",
      servers: new Set(["math", "sandbox"]),
      moreServers: false,
      examples: [{ task: 3, rollout: 0, id: null }, { task: 5, rollout: 0, id: "aime-5" }],
    },
    {
      name: "unknown",
      failures: 1,
      message: null,
      body: null,
      servers: new Set(["math"]),
      moreServers: false,
      examples: [{ task: 1, rollout: 0, id: null }],
    },
  ]);
});

Deno.test("FailureBook keeps little of whatever servers have declared, and takes any value for data", () => {
  const deep = `${"[".repeat(500)}${"]".repeat(500)}`;
  const book = bookOf(
    `{"_ng_failure_class":${deep},"_ng_failure_message":{"toString":1},"_ng_task_index":0,"_ng_rollout_index":0}\n` +
      failure(1, {
        _ng_failure_class: "x".repeat(5000),
        _ng_failure_message: "y".repeat(1e6),
        _ng_failure_response_body: "b".repeat(1e6),
      }) +
      failure(2, { _ng_failure_class: "__proto__", agent_ref: 7, id: "z".repeat(1000) }),
  );
  assert.equal(book.failures, 3);
  for (const { name, message, body, examples } of book.classes) {
    assert.ok(
      name.length <= 201 && (message ?? "").length <= 301 && (body ?? "").length <= 301 &&
        (examples[0]!.id ?? "").length <= 100,
    );
  }
  assert.ok(book.names.includes("__proto__"));
});

Deno.test("FailureBook tells 4096 classes apart and only counts the failures of further ones", () => {
  const text = Array.from({ length: 4100 }, (_, n) => failure(n, { _ng_failure_class: `c${n}` })).join("");
  const book = bookOf(text + failure(0, { _ng_failure_class: "c0" }));
  assert.deepEqual([book.failures, book.names.length, book.others], [4101, 4096, 4]);
  assert.equal(book.classes[0]!.name, "c0");
});

Deno.test("FailureBook counts lines that are not JSON, but no blank ones and none that is being written", () => {
  assert.equal(bookOf(`1-2\n\n{"a":nul}\n${failure(1, {})}{"_ng_fail`).bad, 2);
});

Deno.test("nameExamples() gives each example the id that its materialized row has", () => {
  const { examples } = bookOf(failure(1, {}) + failure(2, {}) + failure(3, {})).classes[0]!;
  nameExamples(
    examples,
    linesOf(failure(2, { task_id: { taskset: "aime", task_id: 17 } }) + failure(1, { id: 7 }) + "oops\n"),
  );
  assert.deepEqual(examples.map(({ id }) => id), ["7", "aime/17", null]);
});
