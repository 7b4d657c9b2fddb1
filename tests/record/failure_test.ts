import assert from "node:assert/strict";
import fc from "fast-check";
import { join } from "../../src/json/edit.ts";
import { readObject } from "../../src/json/object.ts";
import { type Failure, failureRow } from "../../src/record/failure.ts";
import { stampsOf } from "../../src/record/stamps.ts";

const encoder = new TextEncoder(), decoder = new TextDecoder("utf-8", { fatal: true });

const FAILURE: Failure = {
  failureClass: "agent_run_error",
  kind: "http_status",
  message: "http://solver:1/run answered 500",
  status: 500,
  body: "oops",
  delivery: "delivered",
};

const write = (failure: Failure, stamps: ReadonlyMap<string, Uint8Array>) =>
  decoder.decode(join(failureRow(failure, stamps)));

Deno.test("failureRow() has Gym's keys, then how far the request came, then the stamps", () => {
  const row = readObject(
    encoder.encode(`{"_ng_task_index":4,"_ng_rollout_index":1,"agent_ref":{"name": "a","n":1.0}}`),
  );
  const stamps = stampsOf(row, { server: "e", url: "http://e:1", resultType: "legacy_agent" }, 2);
  assert.equal(
    write(FAILURE, stamps),
    `{"_ng_failure_class":"agent_run_error","_ng_failure_type":"ClientResponseError",` +
      `"_ng_failure_message":"http://solver:1/run answered 500","_ng_failure_http_status":500,` +
      `"_ng_failure_response_body":"oops","_ng_failure_delivery":"delivered",` +
      `"_ng_task_index":4,"_ng_rollout_index":1,"agent_ref":{"name": "a","n":1.0},"_ng_attempt_index":2,` +
      `"_ng_environment_server":"e","_ng_result_type":"legacy_agent"}`,
  );
});

Deno.test("failureRow() says null where there was no status and no body, and needs no stamps", () => {
  const failure: Failure = {
    ...FAILURE,
    failureClass: "agent_request_failed",
    kind: "connection_failed",
    status: null,
    body: null,
    delivery: "not_sent",
  };
  const row = JSON.parse(write(failure, new Map()));
  assert.deepEqual([row._ng_failure_http_status, row._ng_failure_response_body], [null, null]);
  assert.equal(row._ng_failure_delivery, "not_sent");
  assert.deepEqual(Object.keys(row).filter((key) => !key.startsWith("_ng_failure_")), []);
});

// What the real Gym 0.7.0 wrote when a server did the same; the last four never become a row of its sidecar.
for (
  const [kind, type] of [
    ["http_status", "ClientResponseError"],
    ["body_broken_off", "ClientPayloadError"],
    ["not_json", "JSONDecodeError"],
    ["timeout", "TimeoutError"],
    ["too_deep", "JSONDecodeError"],
    ["long_name", "JSONDecodeError"],
    ["other_task", "other_task"],
    ["redirect", "redirect"],
    ["not_an_object", "not_an_object"],
    ["connection_failed", "connection_failed"],
    ["connection_broken", "connection_broken"],
  ] as const
) {
  Deno.test(`failureRow() of kind ${kind} has the type ${type}, as Gym or else as rollcall calls it, and a kind where Gym has no row`, () => {
    const row = JSON.parse(write({ ...FAILURE, kind }, new Map()));
    assert.deepEqual([row._ng_failure_type, row._ng_failure_kind], [type, type === kind ? kind : undefined]);
  });
}

Deno.test("failureRow() is one line of strict JSON, whatever message, body and stamps hold", () => {
  const any = fc.string({ unit: "binary" });
  fc.assert(
    fc.property(any, fc.option(any), fc.dictionary(any, fc.jsonValue()), (message, body, members) => {
      const stamps = new Map(
        Object.entries(members).filter(([name]) => !name.startsWith("_ng_failure_"))
          .map(([name, value]) => [name, encoder.encode(JSON.stringify(value))]),
      );
      const text = write({ ...FAILURE, message, body }, stamps);
      assert.ok(!/[\r\n]/.test(text));
      const row = readObject(encoder.encode(text));
      assert.equal(row.value("_ng_failure_message"), message);
      assert.equal(row.value("_ng_failure_response_body"), body);
      for (const [name, json] of stamps) assert.deepEqual(row.raw(name), json);
      assert.equal(row.names().length, 6 + stamps.size);
    }),
  );
});
