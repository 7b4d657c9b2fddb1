import assert from "node:assert/strict";
import { baseUrl, Topology } from "../../src/config/topology.ts";
import { UsageFault } from "../../src/kit/fault.ts";

type Block = Record<string, unknown>;
const env = (name: string) => ({ X: "10.0.0.9" })[name];

const agent = (more: Block = {}) => ({
  responses_api_agents: { simple_agent: { host: "h", port: 1, ...more } },
});
const environment = (more: Block = {}) => ({
  environment_servers: { simple: { host: "e", port: 2, ...more } },
});
const front = (name: unknown) => ({ agent_server: { type: "responses_api_agents", name } });

function topology(config: Block, given: Record<string, string> = {}): Topology {
  return new Topology(config, given, env);
}

function faultOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof UsageFault, String(error));
    return error.message;
  }
  throw new Error("nothing was thrown");
}

Deno.test("Topology reads the servers in their order and passes everything else over", () => {
  const servers = topology({
    policy_model_name: "m",
    e: environment(),
    head_server: { host: "h", port: 1 },
    a: agent(),
    m: { responses_api_models: { openai: { host: "h", port: 3 } } },
    r: { resources_servers: { math: {} } },
    broken: { responses_api_agents: { x: "no block" } },
    empty: { responses_api_agents: {} },
    list: ["a"],
    none: null,
  });
  assert.deepEqual([...servers.instances.keys()], ["e", "a", "m", "r"]);
  assert.deepEqual(servers.names("responses_api_agents"), ["a"]);
  assert.equal(servers.instances.get("m")!.implementation, "openai");
});

const routes: [string, Topology, string, unknown][] = [
  [
    "the one environment server that fronts the agent",
    topology({ a: agent(), e: environment(front("a")) }),
    "a",
    { server: "e", url: "http://e:2", resultType: "simple", agent: "a" },
  ],
  [
    "the agent itself where there are no environment servers, as before Gym 0.7",
    topology({ a: agent() }),
    "a",
    { server: "a", url: "http://h:1", agent: "a" },
  ],
  [
    "an agent that was named on the command line only",
    topology({ a: agent(), e: environment(front("a")) }, { b: "https://b:5/base/" }),
    "b",
    { server: "b", url: "https://b:5/base", agent: "b" },
  ],
  [
    "the environment server, though the agent's own address was given",
    topology({ a: agent(), e: environment(front("a")) }, { a: "http://elsewhere:9" }),
    "a",
    { server: "e", url: "http://e:2", resultType: "simple", agent: "a" },
  ],
  [
    "the environment server's address as it was given",
    topology({ a: agent(), e: environment(front("a")) }, { e: "http://elsewhere:9" }),
    "a",
    { server: "e", url: "http://elsewhere:9", resultType: "simple", agent: "a" },
  ],
  [
    "the server that refers to the agent in any other field",
    topology({ a: agent(), e: environment({ mine: { type: "responses_api_agents", name: "a" } }) }),
    "a",
    { server: "e", url: "http://e:2", resultType: "simple", agent: "a" },
  ],
  [
    "the server whose reference's name is a reference",
    topology({ n: "a", a: agent(), e: environment(front("${n}")) }),
    "a",
    { server: "e", url: "http://e:2", resultType: "simple", agent: "a" },
  ],
  [
    "the server whose agent_server is a reference",
    topology({
      ref: { type: "responses_api_agents", name: "a" },
      a: agent(),
      e: environment({ agent_server: "${ref}" }),
    }),
    "a",
    { server: "e", url: "http://e:2", resultType: "simple", agent: "a" },
  ],
  [
    "the server, whatever else in it cannot be resolved",
    topology({
      a: agent({ key: "${oc.env:SECRET}" }),
      e: environment({ ...front("a"), key: "${oc.env:SECRET}", other: "${nothing}", odd: "${oc.decode:x}" }),
    }),
    "a",
    { server: "e", url: "http://e:2", resultType: "simple", agent: "a" },
  ],
];
for (const [what, servers, name, route] of routes) {
  Deno.test(`routeOf() is ${what}`, () => assert.deepEqual(servers.routeOf(name), route));
}

Deno.test("routeOf() refuses an agent that no environment server fronts, or several", () => {
  const none = topology({ a: agent(), e: environment(front("b")), f: environment() });
  assert.equal(
    faultOf(() => none.routeOf("a")),
    'Cannot route rows of agent "a": no environment server fronts it; there are: e, f. ' +
      "Exactly one must (its agent_server names the agent).",
  );
  const several = topology({ a: agent(), e: environment(front("a")), f: environment(front("a")) });
  assert.match(faultOf(() => several.routeOf("a")), /several environment servers front it: e, f\./);
});

Deno.test("routeOf() refuses what is not an agent, with the nearest name and all others", () => {
  const servers = topology({ math_agent: agent(), e: environment(front("math_agent")) });
  assert.equal(
    faultOf(() => servers.routeOf("maths_agent")),
    'There is no agent "maths_agent" (did you mean "math_agent"?). The agents are: math_agent.',
  );
  assert.match(faultOf(() => servers.routeOf("e")), /"e" is not an agent but one of the environment_servers/);
  assert.match(faultOf(() => topology({}).routeOf("a")), /The agents are: none\./);
});

Deno.test("routeOf() needs an agent_server that can be resolved", () => {
  const servers = topology({ a: agent(), e: environment({ agent_server: "${nothing}" }) });
  assert.match(faultOf(() => servers.routeOf("a")), /Cannot resolve e\..*agent_server: there is no nothing/);
});

Deno.test("routeTo() is an environment server's own route, or that of a server named by hand", () => {
  const servers = topology({ a: agent(), e: environment(front("a")) }, { z: "h:9" });
  assert.deepEqual(servers.routeTo("e"), {
    server: "e",
    url: "http://e:2",
    resultType: "simple",
    agent: "a",
  });
  assert.deepEqual(servers.routeTo("z"), { server: "z", url: "http://h:9" });
  assert.match(
    faultOf(() => servers.routeTo("a")),
    /There is no environment server "a".*The configuration has: e\./,
  );
  const two = topology({
    e: environment({
      one: { type: "responses_api_agents", name: "a" },
      two: { type: "responses_api_agents", name: "b" },
    }),
  });
  assert.equal("agent" in two.routeTo("e"), false);
});

for (
  const [block, url] of [
    [{}, "http://h:1"],
    [{ host: "::1", port: 5 }, "http://[::1]:5"],
    [{ host: "[::1]", port: 5 }, "http://[::1]:5"],
    [{ host: "fe80::1", port: "5" }, "http://[fe80::1]:5"],
    [{ host: null }, "http://default:1"],
    [{ host: undefined }, "http://default:1"],
    [{ host: "${default_host}" }, "http://default:1"],
    [{ host: "${oc.env:X}" }, "http://10.0.0.9:1"],
    [{ host: "${oc.env:NO,gpu-${number}}" }, "http://gpu-7:1"],
    [{ host: "${oc.env:NO,null}" }, "http://default:1"],
    [{ port: "${ports.a}" }, "http://h:8001"],
    [{ port: "${oc.env:NO,8002}" }, "http://h:8002"],
    [{ port: 80 }, "http://h"],
  ] as const
) {
  Deno.test(`urlOf() a server with ${JSON.stringify(block)} is ${url}`, () => {
    const servers = topology({
      default_host: "${fallback}",
      fallback: "default",
      number: 7,
      ports: { a: 8001 },
      a: agent(block),
    });
    assert.equal(servers.urlOf("a"), url);
  });
}

for (
  const [block, message] of [
    [
      { port: null },
      /The server "a" has no host and port in the configuration\. Is it running\?.*--server a=http/,
    ],
    [{ host: null }, /has no host and port/],
    [{ host: 5 }, /has no host and port/],
    [{ port: "abc" }, /The address of server "a" must be http:\/\/HOST:PORT, got "http:\/\/h:abc"/],
    [{ port: 70_000 }, /got "http:\/\/h:70000"/],
    [{ host: "http://h" }, /The address of server "a" must be/],
    [
      { host: "${oc.env:NO}" },
      /Cannot resolve a\.responses_api_agents\.simple_agent\.host: .* NO is not set\./,
    ],
    [{ host: "${a.responses_api_agents.simple_agent.host}" }, /form a circle/],
  ] as const
) {
  Deno.test(`urlOf() refuses a server with ${JSON.stringify(block)}`, () => {
    assert.match(faultOf(() => topology({ a: agent(block) }).urlOf("a")), message);
  });
}

for (
  const [text, url] of [
    ["h:8000", "http://h:8000"],
    ["localhost", "http://localhost"],
    ["HTTP://H:8000/", "http://h:8000"],
    ["https://h/base/path//", "https://h/base/path"],
    ["http://[::1]:8000", "http://[::1]:8000"],
    ["h:8000/base", "http://h:8000/base"],
  ]
) {
  Deno.test(`baseUrl() ${text} is ${url}`, () => assert.equal(baseUrl("a", text!), url));
}

for (
  const text of [
    "",
    " ",
    "ftp://h",
    "http://",
    "http://h:99999",
    "http://h?x=hush",
    "http://h#hush",
    "http://a b",
  ]
    .concat(["http://user:hush@h", "http://:hush@h:1", "http://hush@h", "http://user:p/hush@h"])
) {
  Deno.test(`baseUrl() refuses ${JSON.stringify(text)} and repeats no secret`, () => {
    const message = faultOf(() => baseUrl("a", text));
    assert.match(message, /^The address of server "a" must be http:\/\/HOST:PORT, got ".*"\.$/);
    assert.doesNotMatch(message, /hush/);
  });
}

Deno.test("setting() and reference() resolve what they are asked for, and nothing else", () => {
  const servers = topology({
    flag: "${oc.env:X}",
    bad: "${oc.env:NO}",
    a: agent({ resources_server: { type: "resources_servers", name: "${flag}" }, model: "text" }),
  });
  const instance = servers.instances.get("a")!;
  assert.equal(servers.setting("flag"), "10.0.0.9");
  assert.equal(servers.setting("nothing"), undefined);
  assert.equal(servers.setting("toString"), undefined);
  assert.equal(servers.reference(instance, "resources_server"), "10.0.0.9");
  assert.equal(servers.reference(instance, "model"), undefined);
  assert.match(faultOf(() => servers.setting("bad")), /Cannot resolve bad/);
});
