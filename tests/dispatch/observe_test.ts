import assert from "node:assert/strict";
import { observe } from "../../src/dispatch/observe.ts";
import { readObject } from "../../src/json/object.ts";
import { toJson } from "../../src/json/edit.ts";
import { captureReader } from "../../src/trajectory/capture/read_capture.ts";
import { ManualClock, settled } from "../fakes/manual_clock.ts";
import { MemoryCaptures } from "../fakes/memory_captures.ts";

const observing = (...ids: readonly string[]) =>
  readObject(toJson({
    reward: 1,
    ng_agent_observations: {
      source: "s",
      records: [{
        kind: "agent_invocation",
        invocation_id: "root",
        model_calls: ids.map((id) => ({ model_call_id: id })),
      }],
    },
  }));
const SUBJECT = {
  rolloutId: () => "0-0",
  row: toJson({ _ng_task_index: 0, task_id: 7 }),
  episodeTask: undefined,
  stamps: new Map([["_ng_task_index", toJson(0)]]),
  seconds: 0.25,
};
const line = (id: string) => `${JSON.stringify({ model_call_id: id })}\n`;

/** Observes a result, as far as it gets without time passing. */
function begin(files: MemoryCaptures, result = observing("a", "b")) {
  const clock = new ManualClock(), abort = new AbortController();
  const captures = captureReader({ folder: "/c", files, clock, maxBytes: null });
  const members = observe({ kind: "result", result, declared: null, persist: true }, SUBJECT, {
    captures,
    clock,
    signal: abort.signal,
  }).then((observed) => observed!.members);
  return { clock, abort, members };
}

/** The ids of the calls, and the codes of the observations' gaps. */
async function told(members: Promise<ReadonlyMap<string, Uint8Array>>) {
  const given = await members;
  const parsed = (name: string) => JSON.parse(new TextDecoder().decode(given.get(name)));
  return [
    parsed("ng_model_call_capture").calls.map((call: { model_call_id: string }) => call.model_call_id),
    parsed("ng_agent_observations").gaps.map((gap: { code: string }) => gap.code),
  ];
}

Deno.test("a call that the answer names and the file lacks is looked for once more, 200 ms later", async () => {
  const files = new MemoryCaptures({ "0-0.capture.jsonl": line("a") }), { clock, members } = begin(files);
  await settled();
  clock.advance(199);
  await settled();
  files.put("0-0.capture.jsonl", line("a") + line("b"));
  clock.advance(1);
  assert.deepEqual(await told(members), [["a", "b"], []]);
});

Deno.test("a call that is still missing after that is a gap", async () => {
  const files = new MemoryCaptures({ "0-0.capture.jsonl": line("a") }), { clock, members } = begin(files);
  await settled();
  clock.advance(200);
  assert.deepEqual(await told(members), [["a"], ["model_call_reference_unmatched"]]);
});

Deno.test("nothing is waited for when every named call is there, nor once the run is abandoned", async () => {
  const files = new MemoryCaptures({ "0-0.capture.jsonl": line("a") + line("b") });
  assert.deepEqual(await told(begin(files).members), [["a", "b"], []]);
  const { abort, members } = begin(files, observing("z"));
  await settled();
  abort.abort();
  assert.deepEqual((await told(members))[0], ["a", "b"]);
});

for (
  const [declared, persist, expected] of [
    [null, true, true],
    ["agent_timeout", true, true],
    ["agent_request_failed", true, false],
    ["agent_run_error", true, false],
    ["environment_server_failed", true, false],
    [null, false, false],
  ] as const
) {
  Deno.test(`a result that declares ${declared}, ${persist ? "" : "not "}to be kept, ${expected ? "gets" : "does not get"} its calls`, async () => {
    const files = new MemoryCaptures({ "0-0.capture.jsonl": line("a") }), clock = new ManualClock();
    const captures = captureReader({ folder: "/c", files, clock, maxBytes: null });
    const outcome = { kind: "result", result: readObject(toJson({ reward: 1 })), declared, persist } as const;
    const observed = await observe(outcome, SUBJECT, {
      captures,
      clock,
      signal: new AbortController().signal,
    });
    assert.equal(observed?.members.has("ng_model_call_capture") ?? false, expected);
  });
}

Deno.test("a trajectory is of the task's own id as Python writes it, else of its number, and of the rollout's name", async () => {
  const result = readObject(toJson({ reward: 1, ng_trajectory: {} }));
  for (
    const [row, episodeTask, expected] of [
      [{ task_id: 7.0 }, undefined, "7"],
      [{ task_id: null, problem_id: true }, undefined, "True"],
      [{ instance_id: ["a"] }, undefined, "['a']"],
      [{}, undefined, "12"],
      [{ episode_id: 1 }, { taskset: "s", task_id: "t" }, "{'taskset': 's', 'task_id': 't'}"],
    ] as const
  ) {
    const subject = {
      ...SUBJECT,
      row: toJson(row),
      episodeTask: episodeTask && toJson(episodeTask),
      stamps: new Map([["_ng_task_index", toJson(12)]]),
    };
    const observed = await observe({ kind: "result", result, declared: null, persist: true }, subject, {
      captures: undefined,
      clock: new ManualClock(),
      signal: new AbortController().signal,
    });
    const made = JSON.parse(new TextDecoder().decode(observed!.members.get("ng_trajectory")));
    assert.deepEqual([made.task_id, made.rollout_id], [expected, "0-0"]);
    assert.equal(observed!.members.has("ng_perf"), false, "observability is off");
  }
});

Deno.test("a result that tells nothing of calls is left alone with observability off", async () => {
  const clock = new ManualClock(), signal = new AbortController().signal;
  const result = readObject(toJson({ reward: 1, ng_perf: 1, trajectory: {} }));
  const outcome = { kind: "result", result, declared: null, persist: true } as const;
  assert.equal(await observe(outcome, SUBJECT, { captures: undefined, clock, signal }), undefined);
});

Deno.test("a task's own id that is nested deeper than anything is read is its text", async () => {
  const deep = "[".repeat(5000) + "]".repeat(5000);
  const row = new TextEncoder().encode(`{"_ng_task_index":0,"task_id":${deep}}`);
  const made = await observe({ kind: "result", result: observing(), declared: null, persist: true }, {
    ...SUBJECT,
    row,
  }, { captures: undefined, clock: new ManualClock(), signal: new AbortController().signal });
  const trajectory = JSON.parse(new TextDecoder().decode(made!.members.get("ng_trajectory")));
  assert.equal(trajectory.task_id, deep);
});
