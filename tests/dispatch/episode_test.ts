import assert from "node:assert/strict";
import { episodeRequest, unpackEpisode } from "../../src/dispatch/episode.ts";
import { readObject } from "../../src/json/object.ts";

const encoder = new TextEncoder(), decoder = new TextDecoder();
const object = (json: string) => readObject(encoder.encode(json));

for (
  const [what, row, attempt, want] of [
    [
      "of a first attempt",
      `{"task_id": {"taskset": "t", "task_id": 1.0}, "task_input": { "n": 12345678901234567890 }, "x": 1}`,
      0,
      `{"episode_id":{"rollout_id":"3-1","attempt":0},"task":{"task_id":{"taskset": "t", "task_id": 1.0},"task_input":{ "n": 12345678901234567890 }}}`,
    ],
    [
      "of a later attempt, with null for an input",
      `{"task_input": null, "task_id": {}}`,
      2,
      `{"episode_id":{"rollout_id":"3-1","attempt":2},"task":{"task_id":{},"task_input":null}}`,
    ],
  ] as const
) {
  Deno.test(`episodeRequest() ${what} holds the row's task byte for byte`, () => {
    assert.equal(decoder.decode(episodeRequest(object(row), "3-1", attempt)), want);
  });
}

const ID = `"episode_id":{"rollout_id":"3-1"},"task_id":{"taskset": "t"}`;
const EPISODE = { taskId: encoder.encode(`{"taskset":"t"}`), url: "http://e:1/run", status: 200 };

for (
  const [answer, declared, want] of [
    [`{${ID},"result":{"reward": 1.0}}`, null, `{"reward": 1.0,"_ng_task_id":{"taskset": "t"}}`],
    [`{${ID},"failure":null,"result":{}}`, null, `{"_ng_task_id":{"taskset": "t"}}`],
    [
      `{${ID},"failure":{"failure_reason":"sandbox gone","terminal":true,"stage":"grade","partial_response":{"a": 1.0}}}`,
      "environment_server_failed",
      `{"_ng_task_id":{"taskset": "t"},"_ng_failure_class":"environment_server_failed","_ng_failure_terminal":true,` +
      `"_ng_failure_message":"sandbox gone","_ng_failure_stage":"grade","_ng_failure_partial_response":{"a": 1.0}}`,
    ],
    [
      `{${ID},"failure":{"stage":null,"partial_response":null},"result":{"reward":1}}`,
      "environment_server_failed",
      `{"_ng_task_id":{"taskset": "t"},"_ng_failure_class":"environment_server_failed","_ng_failure_terminal":false,` +
      `"_ng_failure_message":null}`,
    ],
  ] as const
) {
  Deno.test(`unpackEpisode() of ${answer}`, () => {
    const outcome = unpackEpisode(object(answer), EPISODE);
    assert.ok(outcome.kind === "result");
    assert.equal(decoder.decode(outcome.result.text()), want);
    assert.deepEqual([outcome.declared, outcome.persist], [declared, true]);
  });
}

for (
  const [terminal, want] of [
    ["true", true],
    ["false", false],
    ["null", false],
    ["1", true],
    ["0", false],
    ["0.0", false],
    [`""`, false],
    [`"false"`, true],
  ] as const
) {
  Deno.test(`unpackEpisode() takes terminal ${terminal} for ${want}, as Python would`, () => {
    const outcome = unpackEpisode(object(`{${ID},"failure":{"terminal":${terminal}}}`), EPISODE);
    assert.ok(outcome.kind === "result");
    assert.equal(outcome.result.value("_ng_failure_terminal"), want);
  });
}

for (
  const [answer, word] of [
    [`{${ID},"failure":"gone"}`, "its failure is not an object"],
    [`{${ID},"failure":[1],"result":{}}`, "its failure is not an object"],
    [`{${ID},"failure":null}`, "its failure is not an object"],
    [`{${ID},"result":[1]}`, "its result is not an object"],
    [`{${ID},"result":null}`, "its result is not an object"],
    [
      `{${ID},"result":{"a":1,"_ng_x":1,"ng_perf":2,"ng_trajectory":3,"ng_model_call_capture":4}}`,
      "_ng_x, ng_perf, ng_trajectory, ng_model_call_capture",
    ],
    [`{${ID},"result":{"\\u005fng_task_index":1}}`, "_ng_task_index"],
  ] as const
) {
  Deno.test(`unpackEpisode() of ${answer} ends the run: ${word}`, () => {
    const outcome = unpackEpisode(object(answer), EPISODE);
    assert.ok(outcome.kind === "fatal");
    assert.ok(outcome.message.includes(word), outcome.message);
  });
}

// The same task is told in other words: another order, a number for its text, keys that Gym does not have.
for (
  const [asked, answered, isSame] of [
    [`{"taskset":"t","task_id":"7"}`, `{"task_id": "7", "taskset": "t"}`, true],
    [`{"taskset":"t","task_id":7}`, `{"taskset":"t","task_id":"7"}`, true],
    [`{"taskset":"t","task_id":1.0}`, `{"taskset":"t","task_id":1}`, true],
    [`{"taskset":"t","task_id":"7","x":1}`, `{"taskset":"t","task_id":"7"}`, true],
    [`{"taskset":"t"}`, `{"taskset":"\u0074"}`, true],
    [`{"taskset":"t","task_id":["a"]}`, `{"taskset":"t","task_id":["a"]}`, true],
    [`{"taskset":"t","task_id":"7"}`, `{"taskset":"t","task_id":"8"}`, false],
    [`{"taskset":"t","task_id":"7"}`, `{"taskset":"u","task_id":"7"}`, false],
    [`{"taskset":"t","task_id":"7"}`, `{"taskset":"t"}`, false],
    [`{"taskset":"t","task_id":"7"}`, `{}`, false],
  ] as const
) {
  for (const rest of [`"result":{"reward":1}`, `"failure":{"failure_reason":"x"}`]) {
    Deno.test(`unpackEpisode() of ${asked} answered with ${answered}, ${rest} is ${isSame ? "taken" : "a failure"}`, () => {
      const outcome = unpackEpisode(object(`{"episode_id":{},"task_id":${answered},${rest}}`), {
        ...EPISODE,
        taskId: encoder.encode(asked),
      });
      if (isSame) return assert.equal(outcome.kind, "result");
      assert.ok(outcome.kind === "failure");
      const { message, ...failure } = outcome.failure;
      assert.deepEqual(failure, {
        failureClass: "agent_run_error",
        kind: "other_task",
        status: 200,
        body: null,
        delivery: "delivered",
      });
      assert.equal(message, `The answer of http://e:1/run is about task ${answered}, not ${asked}`);
    });
  }
}

// Anything else is a result like any other, which may declare its failure, or ask not to be kept.
for (
  const [answer, declared, persist] of [
    [`{"reward":1}`, null, true],
    [`{"result":{"reward":1},"failure":{}}`, null, true],
    [`{"episode_id":"x","task_id":{},"result":{}}`, null, true],
    [`{"episode_id":{},"task_id":null,"result":{}}`, null, true],
    [`{${ID}}`, null, true],
    [`{"_ng_failure_class":"timeout_exceeded"}`, "timeout_exceeded", true],
    [`{${ID},"_ng_failure_class":"timeout_exceeded"}`, "timeout_exceeded", true],
    [`{"_ng_no_persist":true}`, null, false],
  ] as const
) {
  Deno.test(`unpackEpisode() leaves ${answer} as it is`, () => {
    const outcome = unpackEpisode(object(answer), EPISODE);
    assert.ok(outcome.kind === "result");
    assert.equal(decoder.decode(outcome.result.text()), answer);
    assert.deepEqual([outcome.declared, outcome.persist], [declared, persist]);
  });
}
