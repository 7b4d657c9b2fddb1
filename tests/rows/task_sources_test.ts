import assert from "node:assert/strict";
import { RowFault } from "../../src/rows/problems.ts";
import { Sources } from "../../src/rows/task_sources.ts";
import { agent, environment, messageOf, resources, SERVERS, topology } from "./_rows.ts";

const pinned = (...agents: (string | undefined)[]) => ({
  datasets: agents.map((agent, i) => ({ name: `set_${i}`, ...(agent !== undefined && { agent }) })),
});
const resolve = (source: string, servers: Record<string, unknown>) =>
  new Sources(topology({ ...SERVERS, ...servers })).agentOf(source);

for (
  const [what, source, servers, want] of [
    ["an agent", "solver", {}, "solver"],
    ["an agent that pins itself", "me", { me: agent("sums", "a", pinned("me", undefined)) }, "me"],
    ["a resources server with one agent", "sums", {}, "solver"],
    ["a pin among several agents", "sums", {
      sums: resources(pinned("other", undefined, "other")),
      other: agent("sums"),
    }, "other"],
    ["a pin that is a reference", "sums", {
      sums: resources(pinned("${who}")),
      other: agent("sums"),
      who: "other",
    }, "other"],
  ] as [string, string, Record<string, unknown>, string][]
) {
  Deno.test(`Sources.agentOf() finds the agent of ${what}`, () => {
    assert.equal(resolve(source, servers), want);
  });
}

for (
  const [what, source, servers, words] of [
    ["an unknown name", "riddels", {}, [`"riddels"`, "not in the configuration", `"riddles"`]],
    ["a setting", "default_host", { default_host: "localhost" }, ["is not a server"]],
    ["an environment server", "solver_env", {}, ["environment_servers"]],
    ["a model server", "model", { model: { responses_api_models: { openai: {} } } }, [
      "responses_api_models",
    ]],
    ["a resources server without an agent", "lonely", { lonely: resources() }, ["used by no agent"]],
    ["a resources server with several", "sums", { other: agent("sums") }, [
      "several agents",
      "solver, other",
    ]],
    ["pins that disagree", "sums", { sums: resources(pinned("solver", "other")), other: agent("sums") }, [
      "pin different agents: solver, other",
    ]],
    ["a pin on an agent of other tasks", "sums", { sums: resources(pinned("scribe")) }, [
      "pins scribe",
      "those that do: solver",
    ]],
    ["a pin on nobody", "lonely", { lonely: resources(pinned("nobody")) }, ["pins nobody", "no agent does"]],
    ["an agent that pins another", "me", { me: agent("sums", "a", pinned("solver")) }, [
      "pins another one, solver",
    ]],
    ["an environment server of that name", "stage", { stage: environment("solver") }, [
      "environment_servers",
    ]],
  ] as [string, string, Record<string, unknown>, string[]][]
) {
  Deno.test(`Sources.agentOf() refuses ${what}`, () => {
    assert.throws(() => resolve(source, servers), RowFault);
    const message = messageOf(() => resolve(source, servers));
    for (const word of words) assert.ok(message.includes(word), message);
  });
}
