import assert from "node:assert/strict";
import { RowFault } from "../../src/rows/problems.ts";
import { namesOf, Router, serverRoute } from "../../src/rows/route.ts";
import { messageOf, row, written } from "./_rows.ts";

type Config = Partial<ConstructorParameters<typeof Router>[0]>;
const router = (set: Config) => new Router({ agent_name: null, agent_map: null, fan_out: null, ...set });
const named = (agent?: string, source?: string) => ({
  ...(agent !== undefined && { agent_ref: { name: agent, type: "t" } }),
  ...(source !== undefined && { task_source: source }),
});

interface Want {
  key?: string | undefined;
  /** What becomes of the row's agent_ref: kept, or replaced by this name. */
  ref: "kept" | string;
  targets: (string | undefined)[];
}

for (
  const [what, config, agent, source, want] of [
    ["an agent", {}, "a", undefined, { key: "a", ref: "kept", targets: ["a"] }],
    ["an agent and a source", {}, "a", "s", { key: "a", ref: "kept", targets: ["a"] }],
    ["a source", {}, undefined, "s", { key: "s", ref: "kept", targets: [undefined] }],
    ["a map entry for the agent", { agent_map: { a: "b" } }, "a", "s", {
      key: "a",
      ref: "b",
      targets: ["b"],
    }],
    ["a map entry for the agent itself", { agent_map: { a: "a" } }, "a", undefined, {
      key: "a",
      ref: "a",
      targets: ["a"],
    }],
    ["a map entry for the source", { agent_map: { s: "b" } }, "a", "s", {
      key: "a",
      ref: "b",
      targets: ["b"],
    }],
    ["entries for both", { agent_map: { s: "c", a: "b" } }, "a", "s", { key: "a", ref: "b", targets: ["b"] }],
    ["an entry for another", { agent_map: { x: "b" } }, "a", "s", { key: "a", ref: "kept", targets: ["a"] }],
    ["_default", { agent_map: { x: "b", _default: "d" } }, "a", undefined, {
      key: "a",
      ref: "d",
      targets: ["d"],
    }],
    ["_default for a row without names", { agent_map: { _default: "d" } }, undefined, undefined, {
      key: undefined,
      ref: "d",
      targets: ["d"],
    }],
    ["agent_name", { agent_name: "d" }, "a", "s", { key: "a", ref: "d", targets: ["d"] }],
    [
      "agent_name and the same _default",
      { agent_name: "d", agent_map: { _default: "d", s: "b" } },
      "a",
      "s",
      {
        key: "a",
        ref: "b",
        targets: ["b"],
      },
    ],
    ["fan_out by agent", { fan_out: { a: ["a", "b"] } }, "a", "s", {
      key: "a",
      ref: "kept",
      targets: ["a", "b"],
    }],
    ["fan_out by source", { fan_out: { s: ["b"] } }, undefined, "s", {
      key: "s",
      ref: "kept",
      targets: ["b"],
    }],
    ["fan_out by the source of a row with an agent", { fan_out: { s: ["b"] } }, "a", "s", {
      key: "a",
      ref: "kept",
      targets: ["a"],
    }],
    [
      "fan_out by the name from before agent_map",
      { fan_out: { a: ["x", "y"], b: ["z"] }, agent_map: { a: "b" } },
      "a",
      undefined,
      { key: "a", ref: "b", targets: ["x", "y"] },
    ],
    ["names that objects have anyway", { agent_map: {}, fan_out: {} }, "constructor", undefined, {
      key: "constructor",
      ref: "kept",
      targets: ["constructor"],
    }],
  ] as [string, Config, string | undefined, string | undefined, Want][]
) {
  Deno.test(`Router.route() with ${what}`, () => {
    const json = JSON.stringify(named(agent, source));
    const r = row(json), routed = router(config).route(r, namesOf(r));
    assert.deepEqual({ key: routed.key, targets: routed.targets }, { key: want.key, targets: want.targets });
    const ref = want.ref === "kept" ? named(agent).agent_ref : { name: want.ref };
    assert.deepEqual(JSON.parse(written(r)).agent_ref, ref);
  });
}

for (
  const [json, word] of [
    [`{}`, "neither an agent"],
    [`{"agent_ref": null, "task_source": null}`, "neither an agent"],
    [`{"agent_ref": {"type": "x"}}`, "neither an agent"],
    [`{"agent_ref": {"name": null}}`, "neither an agent"],
    [`{"agent_ref": "solver"}`, "agent_ref is not an object"],
    [`{"agent_ref": {"name": 7}}`, "agent_ref.name is 7"],
    [`{"task_source": ["x"]}`, `task_source is ["x"]`],
  ] as const
) {
  Deno.test(`Router.route() refuses ${json}`, () => {
    const route = () => {
      const r = row(json);
      return router({}).route(r, namesOf(r));
    };
    assert.throws(route, RowFault);
    assert.ok(messageOf(route).includes(word));
  });
}

Deno.test("Router.warnings() lists the agents that were replaced, once", () => {
  const routes = router({ agent_map: { a: "b", c: "c", _default: "d" } });
  for (const agent of ["a", "a", "c", "x", undefined]) {
    const r = row(JSON.stringify(named(agent)));
    routes.route(r, namesOf(r));
  }
  const [warning, ...more] = routes.warnings();
  assert.deepEqual(more, []);
  assert.match(warning!, /agent_map.*\n {2}a → b \(2 rows\)\n {2}x → d \(1 row\)$/s);
  assert.deepEqual(router({}).warnings(), []);
});

for (
  const [config, words] of [
    [{ agent_name: "a", agent_map: { _default: "b" } }, ["agent_name", `"a"`, "agent_map._default", `"b"`]],
    [{ fan_out: { x: [] } }, ["fan_out.x", "empty"]],
    [{ fan_out: { x: ["a", "b", "a"] } }, ["fan_out.x", " a ", "more than once"]],
  ] as [Config, string[]][]
) {
  Deno.test(`Router.problems has one with ${JSON.stringify(config)}`, () => {
    const { problems } = router(config);
    assert.equal(problems.length, 1);
    for (const word of words) assert.ok(problems[0]!.includes(word), problems[0]);
  });
}

for (
  const [taskset, source, want] of [["t", "s", "t"], [undefined, "s", "s"], [
    undefined,
    undefined,
    "env",
  ]] as const
) {
  Deno.test(`serverRoute() routes by ${want} with taskset ${taskset} and source ${source}`, () => {
    const routed = serverRoute("env", taskset, { agent: "a", source });
    assert.deepEqual(routed, { key: want, agent: "a", targets: [undefined] });
  });
}
