import assert from "node:assert/strict";
import { Topology } from "../../src/config/topology.ts";
import { UsageFault } from "../../src/kit/fault.ts";
import { InputsIndex, routingBy } from "../../src/resume/read_inputs.ts";
import { SERVERS, topology } from "../rows/_rows.ts";
import { linesOf } from "./_run.ts";

/** The index of these lines, routed by the servers of the tests of rows. */
function indexOf(text: string, servers: Topology = topology(SERVERS)) {
  const { route, routes } = routingBy(servers, false);
  const inputs = new InputsIndex("a_materialized_inputs.jsonl", route);
  for (const line of linesOf(text)) inputs.push(line);
  inputs.finish();
  const { columns, size } = inputs.index;
  const rows = Array.from({ length: size }, (_, row) => ({
    text: text.slice(columns.offset[row]!, columns.offset[row]! + columns.length[row]!),
    identity: `${columns.task[row]}-${columns.rollout[row]}`,
    server: routes[columns.route[row]!]!.server,
  }));
  return { rows, twins: inputs.twins, routes };
}

const row = (task: number, rollout: number, more: string) =>
  `{${more},"_ng_task_index":${task},"_ng_rollout_index":${rollout}}`;
const SOLVER = '"agent_ref":{"name":"solver"}';

Deno.test("InputsIndex knows where each row is, who it is and where it goes", () => {
  const lines = [
    row(0, 0, `"text":"ascii only",${SOLVER}`),
    row(0, 1, SOLVER),
    row(7, 0, '"agent_ref":{"type":"x","name":"scribe"}'),
    row(8, 0, `"_ng_environment_server":"scribe_env","task_id":{"taskset":"t"},"task_input":1`),
    row(9, 0, '"task_source":"sums"'),
    row(10, 0, `${SOLVER},"_ng_environment_server":null`),
  ];
  const { rows, twins } = indexOf(`${lines.join("\n")}\n\n`);
  assert.deepEqual(rows.map(({ text }) => text), lines);
  assert.deepEqual(rows.map(({ identity }) => identity), ["0-0", "0-1", "7-0", "8-0", "9-0", "10-0"]);
  assert.deepEqual(
    rows.map(({ server }) => server),
    ["solver_env", "solver_env", "scribe_env", "scribe_env", "solver_env", "solver_env"],
  );
  assert.equal(twins, 0);
});

Deno.test("InputsIndex takes the first of rows with one identity", () => {
  const { rows, twins } = indexOf(
    [row(0, 0, SOLVER), row(0, 0, `"second":1,${SOLVER}`), row(1, 0, SOLVER)].join("\n"),
  );
  assert.deepEqual(rows.map(({ identity }) => identity), ["0-0", "1-0"]);
  assert.equal(twins, 1);
});

Deno.test("InputsIndex routes to servers named by hand", () => {
  const servers = new Topology({}, { solver: "http://solver:1" }, () => undefined);
  const { rows, routes } = indexOf(row(0, 0, SOLVER), servers);
  assert.equal(rows[0]!.server, "solver");
  assert.equal(routes[0]!.url, "http://solver:1");
});

for (
  const [what, text, pattern] of [
    ["a line that is not JSON", `${row(0, 0, SOLVER)}\n{"half`, /inputs\.jsonl:2: it is cut off/],
    ["a row without an identity", `{${SOLVER}}`, /inputs\.jsonl:1: it has no _ng_task_index/],
    ["an identity that is none", row(1.5, 0, SOLVER), /inputs\.jsonl:1: it has no _ng_task_index/],
    ["a rollout below 0", row(1, -1, SOLVER), /inputs\.jsonl:1: it has no _ng_task_index/],
    ["an agent that is not there", row(1, 0, '"agent_ref":{"name":"solvr"}'), /no agent "solvr".*"solver"/],
    ["a server that is not there", row(1, 0, '"_ng_environment_server":"gone"'), /environment server "gone"/],
    ["a row that names nobody", row(1, 0, '"x":1'), /neither an environment server nor an agent/],
    ["a member that is not JSON", row(1, 0, '"agent_ref":{"name":truly}'), /inputs\.jsonl:1: /],
  ] as const
) {
  Deno.test(`InputsIndex refuses ${what}, naming the line`, () => {
    assert.throws(() => indexOf(text), (error) => error instanceof UsageFault && pattern.test(error.message));
  });
}
