import assert from "node:assert/strict";
import type { RowsConfig } from "../../src/config/config.ts";
import { Environments, isTaskRow, tasksetOf } from "../../src/rows/environment.ts";
import { RowFault } from "../../src/rows/problems.ts";
import { config, messageOf, row, topology, written } from "./_rows.ts";

const TASK = `{"task_id":{"taskset":"maze","task_id":"m"},"task_input":{}}`;

for (
  const [json, want] of [
    [TASK, "maze"],
    [`{"task_id":{"taskset":"maze"},"task_input":null}`, "maze"],
    [`{"task_id":{"taskset":"maze"}}`, undefined],
    [`{"task_id":{"taskset":""},"task_input":1}`, undefined],
    [`{"task_id":{"taskset":7},"task_input":1}`, undefined],
    [`{"task_id":{"task_id":"m"},"task_input":1}`, undefined],
    [`{"task_id":"m","task_input":1}`, undefined],
    [`{"task_id":null,"task_input":1}`, undefined],
    [`{"task_input":1}`, undefined],
  ] as const
) {
  Deno.test(`tasksetOf() of ${json} is ${want}`, () => {
    assert.equal(tasksetOf(row(json)), want);
    assert.equal(isTaskRow(row(json).object), want !== undefined);
  });
}

/** What a row becomes, and the server it goes to. */
function stamp(
  json: string,
  set: Partial<RowsConfig>,
  head: Record<string, unknown> = {},
): [string, string?] {
  const environments = new Environments(config(set), topology(head));
  assert.deepEqual(environments.problems, []);
  const r = row(json), server = environments.stamp(r, tasksetOf(r));
  return server === undefined ? [written(r)] : [written(r), server];
}

const ROUTES = { environment_server_routes: { maze: "maze_env" } };
const stamped = (json: string, server: string) =>
  json.replace(/\}$/, `,"_ng_environment_server":"${server}"}`);
const OWN = `{"a":1,"_ng_environment_server":"own_env"}`;
const LEGACY = { environment_routing_mode: "legacy", environment_server_name: "one_env" } as const;

for (
  const [what, json, set, want] of [
    ["agent leaves a flat row", `{"a":1}`, ROUTES, [`{"a":1}`]],
    ["agent stamps a task row", TASK, ROUTES, [stamped(TASK, "maze_env"), "maze_env"]],
    ["agent keeps a row's own stamp", OWN, {}, [OWN, "own_env"]],
    ["legacy stamps a flat row", `{"a":1}`, LEGACY, [stamped(`{"a":1}`, "one_env"), "one_env"]],
    ["legacy stamps a task row by its taskset", TASK, { ...LEGACY, ...ROUTES }, [
      stamped(TASK, "maze_env"),
      "maze_env",
    ]],
    ["legacy keeps a row's own stamp", OWN, LEGACY, [OWN, "own_env"]],
    ["legacy fills in a null stamp", `{"_ng_environment_server":null}`, LEGACY, [
      `{"_ng_environment_server":"one_env"}`,
      "one_env",
    ]],
    ["taskset stamps a task row", TASK, { environment_routing_mode: "taskset", ...ROUTES }, [
      stamped(TASK, "maze_env"),
      "maze_env",
    ]],
  ] as [string, string, Partial<RowsConfig>, string[]][]
) {
  Deno.test(`Environments.stamp() in mode ${what}`, () => assert.deepEqual(stamp(json, set), want));
}

Deno.test("Environments takes routes of the servers' configuration, references resolved; the run's own win", () => {
  const head = { place: "island_env", environment_server_routes: { island: "${place}", maze: "old_env" } };
  const island = TASK.replace("maze", "island");
  assert.equal(stamp(island, ROUTES, head)[1], "island_env");
  assert.equal(stamp(TASK, ROUTES, head)[1], "maze_env");
});

for (
  const [what, json, set, words] of [
    ["a taskset without a route", TASK.replace("maze", "mase"), ROUTES, /"mase" \(did you mean "maze"\?\)/],
    ["a taskset when there are no routes", TASK, {}, /"maze"; there are no routes/],
    ["a flat row in mode taskset", OWN, { environment_routing_mode: "taskset", ...ROUTES }, /taskset takes/],
    ["a stamp that is not a name", `{"_ng_environment_server":7}`, {}, /it is 7/],
    ["a stamp that is empty", `{"_ng_environment_server":""}`, {}, /it is ""/],
  ] as [string, string, Partial<RowsConfig>, RegExp][]
) {
  Deno.test(`Environments.stamp() refuses ${what}`, () => {
    assert.throws(() => stamp(json, set), RowFault);
    assert.match(messageOf(() => stamp(json, set)), words);
  });
}

for (
  const [mode, word] of [["legacy", "environment_server_name"], [
    "taskset",
    "environment_server_routes",
  ]] as const
) {
  Deno.test(`Environments.problems has one in mode ${mode} without ${word}`, () => {
    const { problems } = new Environments(config({ environment_routing_mode: mode }), topology({}));
    assert.equal(problems.length, 1);
    assert.ok(problems[0]!.includes(word));
  });
}
