import assert from "node:assert/strict";
import { isObserved, observedMembers } from "../../src/dispatch/observe_captures.ts";
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
const line = (id: string) => `${JSON.stringify({ model_call_id: id })}\n`;

/** Observes a result, as far as it gets without time passing. */
function begin(files: MemoryCaptures, result = observing("a", "b")) {
  const clock = new ManualClock(), abort = new AbortController();
  const captures = captureReader({ folder: "/c", files, clock, maxBytes: null });
  const members = observedMembers(result, "0-0", { captures, clock, signal: abort.signal });
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
  Deno.test(`a result that declares ${declared}, ${persist ? "" : "not "}to be kept, ${expected ? "gets" : "does not get"} its calls`, () => {
    assert.equal(isObserved({ kind: "result", result: observing(), declared, persist }), expected);
  });
}
