import assert from "node:assert/strict";
import type { Route } from "../../src/config/topology.ts";
import { join } from "../../src/json/edit.ts";
import { readObject } from "../../src/json/object.ts";
import { stamped, stampsOf } from "../../src/record/stamps.ts";

const encoder = new TextEncoder(), decoder = new TextDecoder();

const AGENT: Route = { server: "solver", url: "http://solver:1" };
const ENVIRONMENT: Route = { server: "solver_env", url: "http://env:1", resultType: "legacy_agent" };

/** A result as it is written when it answers a row. */
function write(result: string, row: string, { route = AGENT, attempt = 0 } = {}): string {
  const stamps = stampsOf(readObject(encoder.encode(row)), route, attempt);
  return decoder.decode(join(stamped(readObject(encoder.encode(result)), stamps)));
}

for (
  const [what, result, row, want] of [
    [
      "appends what the result lacks",
      `{"reward":1.0}`,
      `{"_ng_task_index":3}`,
      `{"reward":1.0,"_ng_task_index":3}`,
    ],
    [
      "puts the row's value in the place of the server's",
      `{"_ng_task_index":9,"reward":1}`,
      `{"_ng_task_index":3}`,
      `{"_ng_task_index":3,"reward":1}`,
    ],
    [
      "leaves the server's where the row has none",
      `{"_ng_rollout_id":"x","agent_ref":null}`,
      `{}`,
      `{"_ng_rollout_id":"x","agent_ref":null}`,
    ],
    [
      "takes the row's null for a value",
      `{"task_source":"s"}`,
      `{"task_source":null}`,
      `{"task_source":null}`,
    ],
    [
      "removes later duplicates of a stamped key",
      `{"agent_ref":1,"r":2,"agent_ref":3}`,
      `{"agent_ref":{"name":"a"}}`,
      `{"agent_ref":{"name":"a"},"r":2}`,
    ],
    [
      "sees through escapes in the server's keys",
      `{"agent\\u005fref":1}`,
      `{"agent_ref":2}`,
      `{"agent\\u005fref":2}`,
    ],
    ["takes the last of the row's duplicates", `{}`, `{"agent_ref":1,"agent_ref":2}`, `{"agent_ref":2}`],
    [
      "keeps the row's bytes",
      `{}`,
      `{"agent_ref": { "name" : "é\\u00e9", "n": 1.0, "big":12345678901234567890 }, "_ng_task_index":1e0}`,
      `{"_ng_task_index":1e0,"agent_ref":{ "name" : "é\\u00e9", "n": 1.0, "big":12345678901234567890 }}`,
    ],
    [
      "keeps the result's bytes",
      `{ "reward": 1.0,"x":1e-07, "y":"\\/\\ud83d\u2028" }`,
      `{"_ng_task_index":0}`,
      `{ "reward": 1.0,"x":1e-07, "y":"\\/\\ud83d\u2028","_ng_task_index":0 }`,
    ],
    [
      "passes no other key of the row on",
      `{"a":1}`,
      `{"a":2,"b":3,"_ng_other":4,"_ng_environment_server":"e"}`,
      `{"a":1}`,
    ],
    [
      "appends in one order, whatever the row's",
      `{}`,
      `{"_ng_rollout_id":7,"_ng_attempt_index":6,"skills_ref":5,"task_source":4,"agent_ref":3,"_ng_rollout_index":2,"_ng_task_index":1}`,
      `{"_ng_task_index":1,"_ng_rollout_index":2,"agent_ref":3,"task_source":4,"skills_ref":5,"_ng_attempt_index":6,"_ng_rollout_id":7}`,
    ],
  ] as const
) {
  Deno.test(`stamped() ${what}`, () => assert.equal(write(result, row), want));
}

for (
  const [row, attempt, want] of [
    [`{}`, 0, `{}`],
    [`{"_ng_attempt_index":2}`, 0, `{"_ng_attempt_index":2}`],
    [`{}`, 1, `{"_ng_attempt_index":1}`],
    [`{"_ng_attempt_index":2}`, 3, `{"_ng_attempt_index":3}`],
    [`{"_ng_attempt_index":null}`, 12, `{"_ng_attempt_index":12}`],
  ] as const
) {
  Deno.test(`stampsOf() of ${row} after ${attempt} failures says ${want}`, () => {
    assert.equal(write(`{}`, row, { attempt }), want);
  });
}

Deno.test("stampsOf() names the environment server that ran the row, and its kind, over whatever row and server say", () => {
  assert.equal(
    write(`{"_ng_result_type":"mine","reward":1}`, `{"_ng_environment_server":"other","_ng_task_index":0}`, {
      route: ENVIRONMENT,
    }),
    `{"_ng_result_type":"legacy_agent","reward":1,"_ng_task_index":0,"_ng_environment_server":"solver_env"}`,
  );
});

Deno.test("stampsOf() of a row that an agent ran itself leaves the server's claims about environments", () => {
  assert.equal(write(`{"_ng_environment_server":"e"}`, `{}`), `{"_ng_environment_server":"e"}`);
});

Deno.test("stampsOf() copies: the row's buffer may be used again", () => {
  const row = encoder.encode(`{"agent_ref":{"name":"a"}}`);
  const stamps = stampsOf(readObject(row), ENVIRONMENT, 0);
  row.fill(0x20);
  assert.equal(decoder.decode(stamps.get("agent_ref")), `{"name":"a"}`);
});

Deno.test("stampsOf() of several rows of one route does not mix them up", () => {
  const first = stampsOf(readObject(encoder.encode(`{"_ng_task_index":1}`)), ENVIRONMENT, 0);
  const second = stampsOf(readObject(encoder.encode(`{"task_source":"s"}`)), ENVIRONMENT, 1);
  const third = stampsOf(readObject(encoder.encode(`{}`)), { ...ENVIRONMENT, server: "another" }, 0);
  const said = (stamps: typeof first) => [...stamps].map(([name, json]) => `${name}=${decoder.decode(json)}`);
  const kind = [`_ng_environment_server="solver_env"`, `_ng_result_type="legacy_agent"`];
  assert.deepEqual(said(first), ["_ng_task_index=1", ...kind]);
  assert.deepEqual(said(second), [`task_source="s"`, "_ng_attempt_index=1", ...kind]);
  assert.deepEqual(said(third), [`_ng_environment_server="another"`, kind[1]]);
});
