import assert from "node:assert/strict";
import { checkRolloutId, Destinations } from "../../src/rows/destinations.ts";
import { RowFault } from "../../src/rows/problems.ts";
import { agent, environment, messageOf, resources, row, SERVERS, topology } from "./_rows.ts";

type Servers = Record<string, unknown>;
const destinations = (servers: Servers = {}, waived = false) =>
  new Destinations(topology({ ...SERVERS, ...servers }), waived);

function refused(run: () => unknown, ...words: string[]): void {
  assert.throws(run, RowFault);
  const message = messageOf(run);
  for (const word of words) assert.ok(message.includes(word), message);
}

Deno.test("Destinations.ofAgent() gives one route a server, in order of first use", () => {
  const stage = environment("actor", { critic: { type: "responses_api_agents", name: "critic" } });
  const to = destinations({ stage, actor: agent(), critic: agent() });
  assert.deepEqual(["scribe", "actor", "critic", "scribe"].map((name) => to.ofAgent(name, undefined)), [
    0,
    1,
    1,
    0,
  ]);
  assert.deepEqual(to.routes.map((route) => route.server), ["scribe_env", "stage"]);
});

Deno.test("Destinations.ofAgent() refuses what is not an agent, and says what it is", () => {
  refused(() => destinations().ofAgent("solvr", undefined), `"solvr"`, `did you mean "solver"`);
  refused(() => destinations().ofAgent("sums", undefined), `"sums"`, "resources_servers");
});

Deno.test("Destinations.ofAgent() blames agent_name, not the rows, for an agent that only it names", () => {
  const to = new Destinations(topology(SERVERS), false, "solvr");
  assert.throws(() => to.ofAgent("solvr", undefined), {
    name: "UsageFault",
    message:
      /^agent_name \(--agent, -a\): There is no agent "solvr" \(did you mean "solver"\?\)\. .* --server solvr=URL\.$/,
  });
});

Deno.test("Destinations.ofAgent() refuses an agent behind no environment server, or several", () => {
  refused(
    () => destinations({ alone: agent() }).ofAgent("alone", undefined),
    "alone",
    "no environment server",
  );
  refused(
    () => destinations({ second: environment("solver") }).ofAgent("solver", undefined),
    "solver_env",
    "second",
  );
});

Deno.test("Destinations.ofAgent() needs no environment server where there are none", () => {
  const { solver, sums } = SERVERS;
  const to = new Destinations(topology({ solver, sums }), false);
  assert.equal(to.routes[to.ofAgent("solver", "sums")]!.server, "solver");
});

const limited = (...allowed: string[]) => resources({ allowed_agents: allowed });

for (
  const [what, servers, agentName, source, words] of [
    ["the task source allows another", { riddles: limited("note_agent") }, "solver", "riddles", [
      "solver",
      "simple_agent",
      "riddles (their task_source)",
      "note_agent",
    ]],
    [
      "the agent's own resources server allows another",
      { sums: limited("note_agent", "x") },
      "solver",
      undefined,
      [
        "sums (which it is bound to)",
        "note_agent, x",
      ],
    ],
    [
      "a single name is allowed",
      { riddles: resources({ allowed_agents: "note_agent" }) },
      "solver",
      "riddles",
      [
        "note_agent",
      ],
    ],
    ["no setting", {}, "solver", "riddles", undefined],
    ["an empty list", { riddles: limited() }, "solver", "riddles", undefined],
    ["an empty name", { riddles: resources({ allowed_agents: "" }) }, "solver", "riddles", undefined],
    [
      "the agent is listed",
      { riddles: limited("note_agent", "simple_agent") },
      "solver",
      "riddles",
      undefined,
    ],
    [
      "a reference is listed",
      { riddles: limited("${impl}"), impl: "simple_agent" },
      "solver",
      "riddles",
      undefined,
    ],
    ["the source is no resources server", {}, "solver", "anything", undefined],
  ] as [string, Servers, string, string | undefined, string[] | undefined][]
) {
  Deno.test(`Destinations.ofAgent() pairs where ${what}`, () => {
    const run = () => destinations(servers).ofAgent(agentName, source);
    if (words) refused(run, "does not allow", ...words);
    else run();
    destinations(servers, true).ofAgent(agentName, source);
  });
}

for (
  const [setting, waives] of [[true, true], [false, false], ["true", true], ["0", false], ["", false], [
    null,
    false,
  ]]
) {
  Deno.test(`Destinations pairs ${waives ? "anything" : "strictly"} with allow_unsupported_pairing ${setting}`, () => {
    const to = destinations({ riddles: limited("note_agent"), allow_unsupported_pairing: setting });
    if (waives) to.ofAgent("solver", "riddles");
    else refused(() => to.ofAgent("solver", "riddles"));
  });
}

const bound = { solver_env: environment("solver", { resources_server: { name: "sums" } }) };

Deno.test("Destinations.ofServer() takes rows of the server's agents and tasks", () => {
  const to = destinations(bound);
  for (const names of [{}, { agent: "solver" }, { source: "sums" }, { agent: "solver", source: "sums" }]) {
    assert.equal(to.ofServer("solver_env", { agent: undefined, source: undefined, ...names }), 0);
  }
  const any = destinations({ free: { environment_servers: { x: {} } } });
  assert.equal(any.ofServer("free", { agent: "whoever", source: "whatever" }), 0);
  to.ofServer("scribe_env", { agent: undefined, source: "anything, as the server is bound to none" });
  assert.deepEqual(to.routes.map((route) => route.server), ["solver_env", "scribe_env"]);
});

for (
  const [what, servers, name, names, words] of [
    ["no such server", {}, "solver_emv", {}, [`"solver_emv"`, `"solver_env"`]],
    ["a server of another kind", {}, "sums", {}, [`no environment server "sums"`]],
    ["another agent", bound, "solver_env", { agent: "scribe" }, [
      `"scribe" is not an agent of solver_env`,
      "solver",
    ]],
    ["another task source", bound, "solver_env", { source: "riddles" }, ["solver_env", "sums", `"riddles"`]],
    ["an agent of the server that is none", { solver_env: environment("sums") }, "solver_env", {}, [
      "the agent of solver_env",
      "resources_servers",
    ]],
    [
      "a server's agent that the server's resources server does not allow",
      {
        solver_env: environment("solver", { resources_server: { name: "riddles" } }),
        riddles: limited("note_agent"),
      },
      "solver_env",
      {},
      ["riddles (the resources server of solver_env)", "note_agent"],
    ],
    [
      "a server's agent that its resources server does not allow",
      { ...bound, sums: limited("note_agent") },
      "solver_env",
      {},
      ["does not allow", "note_agent"],
    ],
  ] as [string, Servers, string, { agent?: string; source?: string }, string[]][]
) {
  Deno.test(`Destinations.ofServer() refuses ${what}`, () => {
    refused(
      () => destinations(servers).ofServer(name, { agent: undefined, source: undefined, ...names }),
      ...words,
    );
  });
}

Deno.test("Destinations.agentOf() is the server's agent_server, or its only agent", () => {
  const critic = { type: "responses_api_agents", name: "critic" };
  const to = destinations({
    stage: { environment_servers: { x: { critic } } },
    duo: { environment_servers: { x: { critic, other: { ...critic, name: "other" } } } },
  });
  assert.equal(to.agentOf("solver_env"), "solver");
  assert.equal(to.agentOf("stage"), "critic");
  assert.equal(to.agentOf("duo"), undefined);
  assert.equal(to.agentOf("nowhere"), undefined);
});

for (const id of [`"a"`, `"0"`, `"run.1_b-c"`, `null`]) {
  Deno.test(`checkRolloutId() takes ${id}`, () => checkRolloutId(row(`{"_ng_rollout_id": ${id}}`)));
}
for (const id of [`""`, `".a"`, `"-a"`, `"_a"`, `"a/b"`, `"a b"`, `"ä"`, `"a\\n"`, `7`, `["a"]`]) {
  Deno.test(`checkRolloutId() refuses ${id}`, () => {
    refused(() => checkRolloutId(row(`{"_ng_rollout_id": ${id}}`)), "_ng_rollout_id", `it is ${id}`);
  });
}
