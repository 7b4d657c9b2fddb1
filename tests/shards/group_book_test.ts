import assert from "node:assert/strict";
import { readObject } from "../../src/json/object.ts";
import { GroupBook, NOBODY } from "../../src/shards/group_book.ts";
import type { Scorers } from "../../src/plan/scorers.ts";
import type { Row } from "../metrics/_shards.ts";
import { scorers } from "../metrics/_shards.ts";

function grouped(known: Scorers | null, rows: readonly Row[]) {
  const book = new GroupBook(known);
  const numbers = rows.map((row) => book.numberOf(readObject(new TextEncoder().encode(JSON.stringify(row)))));
  const { groups, groupIndexes } = book.close();
  return numbers.map((number) => number === NOBODY ? undefined : groups[groupIndexes[number - 1]!]!);
}

const ref = (name: unknown) => ({ agent_ref: { name } });
const stamp = (name: unknown) => ({ _ng_environment_server: name });

Deno.test("GroupBook uses the stamp, otherwise the agent's server", () => {
  const known = scorers("s_env", "t_env");
  const groups = grouped(known, [
    { ...stamp("s_env"), ...ref("t") },
    ref("s"),
    ref("t"),
    { ...stamp(null), ...ref("t") },
  ]);
  assert.deepEqual(groups.map((group) => group?.server), ["s_env", "s_env", "t_env", "t_env"]);
  assert.equal(groups[0], groups[1]);
  assert.deepEqual(groups[0], { server: "s_env", isEnvironment: true, route: known.routes[0] });
});

Deno.test("GroupBook leaves out what names neither a server nor an agent", () => {
  for (const row of [{}, { agent_ref: null }, ref(null), ref(""), { agent_ref: "s" }, stamp(3)]) {
    assert.deepEqual(grouped(scorers("s_env"), [row]), [undefined]);
  }
});

Deno.test("GroupBook knows what cannot be asked, and why", () => {
  const known: Scorers = {
    ...scorers("s_env"),
    byAgent: { s: 0, t: "several environment servers front it: one, two" },
  };
  const groups = grouped(known, [stamp("gone_env"), ref("t"), ref("nobody"), ref("s")]);
  assert.match(groups[0]!.problem!, /^environment server "gone_env": .*not in the configuration.*s_env/);
  assert.match(groups[1]!.problem!, /^agent "t": several environment servers front it/);
  assert.match(groups[2]!.problem!, /^agent "nobody": it is not in the configuration/);
  assert.equal(groups[3]!.problem, undefined);
});

Deno.test("GroupBook is not fooled by names that every object has", () => {
  const [group] = grouped(scorers("s_env"), [stamp("constructor")]);
  assert.match(group!.problem!, /"constructor"/);
});

Deno.test("GroupBook does not take an agent that is called directly for an environment server", () => {
  const route = { server: "solver", url: "http://solver:1", agent: "solver" };
  const known: Scorers = { routes: [route], byServer: { solver: 0 }, byAgent: { solver: 0 } };
  assert.deepEqual(grouped(known, [ref("solver")]), [{ server: "solver", isEnvironment: false, route }]);
  for (const told of ["solver", "elsewhere"]) {
    assert.deepEqual(
      grouped(known, [{ ...ref("solver"), ...stamp(told) }]),
      [{ server: "solver", isEnvironment: false, route }],
      "rollcall stamps no server on its results, so this stamp is the server's own",
    );
  }
  const [group] = grouped(known, [ref("solver"), stamp("solver")]);
  assert.equal(group!.isEnvironment, true, "a stamp says that it is one");
});

Deno.test("GroupBook learns without a configuration which server an agent has", () => {
  const groups = grouped(null, [
    ref("s"),
    { ...stamp("s_env"), ...ref("s") },
    { ...stamp("one"), ...ref("t") },
    { ...stamp("two"), ...ref("t") },
    ref("t"),
    ref("u"),
  ]);
  assert.deepEqual(groups.map((group) => group!.server), ["s_env", "s_env", "one", "two", "t", "u"]);
  assert.deepEqual(groups.map((group) => group!.isEnvironment), [true, true, true, true, false, false]);
});
