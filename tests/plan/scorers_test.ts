import assert from "node:assert/strict";
import { scorersOf } from "../../src/plan/scorers.ts";
import { agent, environment, resources, SERVERS, topology } from "../rows/_rows.ts";

Deno.test("scorersOf() asks the environment servers, each for its own rollouts and for its agent's", () => {
  const { routes, byServer, byAgent } = scorersOf(topology(SERVERS));
  assert.deepEqual(routes.map(({ server }) => server), ["solver_env", "scribe_env"]);
  assert.deepEqual(byServer, { solver_env: 0, scribe_env: 1 });
  assert.deepEqual(byAgent, { solver: 0, scribe: 1 });
});

Deno.test("scorersOf() asks the agents themselves where there are no environment servers", () => {
  const { routes, byServer, byAgent } = scorersOf(topology({ sums: resources(), solver: agent("sums") }));
  assert.deepEqual(routes.map(({ server }) => server), ["solver"]);
  assert.deepEqual([byServer, byAgent], [{ solver: 0 }, { solver: 0 }]);
});

Deno.test("scorersOf() says why an agent has no server to score it, and continues with the others", () => {
  const { routes, byAgent } = scorersOf(topology({
    ...SERVERS,
    scribe_env2: environment("scribe"),
    idle: agent("sums"),
  }));
  assert.deepEqual(routes.map(({ server }) => server).sort(), ["scribe_env", "scribe_env2", "solver_env"]);
  assert.equal(routes[byAgent["solver"] as number]!.server, "solver_env");
  assert.match(String(byAgent["scribe"]), /scribe_env.*scribe_env2/s);
  assert.match(String(byAgent["idle"]), /idle/);
});

Deno.test("scorersOf() among the routes of a run asks no other server, and says so", () => {
  const all = topology(SERVERS), route = all.routeTo("scribe_env");
  const { routes, byServer, byAgent } = scorersOf(all, [route]);
  assert.deepEqual(routes, [route]);
  assert.equal(byServer["scribe_env"], 0);
  assert.equal(byAgent["scribe"], 0);
  for (const why of [byServer["solver_env"], byAgent["solver"]]) {
    assert.match(String(why), /go to other servers/);
  }
});
