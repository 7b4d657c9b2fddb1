import assert from "node:assert/strict";
import { bind } from "../../src/health/references.ts";
import { trajectory as shape } from "../../src/health/read_trajectory.ts";
import { readShape } from "../../src/health/shape.ts";
import { BRAIN, call, type Json, trajectory, turn } from "./_rollouts.ts";

const JUDGE = { ...BRAIN, name: "judge" };
/** Each says its place as the time it began. */
const CALLS = [
  call("a", { response_id: "r" }),
  call("b", { response_id: "s" }),
  call(null, { response_id: "s" }),
  call(null, { response_id: "t", model_ref: JUDGE }),
].map((call, started_at) => ({ ...call, started_at }));

function bound(turns: Json[], owned: Json[] = []) {
  const made = trajectory({
    turns: [turn(1, [], { model_calls: turns })],
    invocations: [{ invocation_id: "root", model_calls: owned }],
    model_calls: CALLS,
  });
  return bind(readShape(new TextEncoder().encode(JSON.stringify(made)), shape));
}

for (
  const [reference, place] of [
    [{ model_call_id: "a" }, 0],
    [{ model_call_id: "a", response_id: "r" }, 0],
    [{ model_call_id: "a", response_id: "s" }, "missing"],
    [{ model_call_id: "a", model_ref: BRAIN }, 0],
    [{ model_call_id: "a", model_ref: JUDGE }, "missing"],
    [{ model_call_id: "x" }, "missing"],
    [{ model_ref: BRAIN, response_id: "r" }, 0],
    [{ model_ref: JUDGE, response_id: "r" }, "missing"],
    [{ model_ref: JUDGE, response_id: "t" }, 3],
    [{ model_ref: BRAIN, response_id: "s" }, "ambiguous"],
  ] as const
) {
  Deno.test(`bind() finds ${JSON.stringify(reference)}: ${place}`, () => {
    const { turns } = bound([reference]);
    const of = turns.missing.length ? "missing" : turns.ambiguous.length ? "ambiguous" : undefined;
    assert.equal(of ?? turns.calls[0]?.started_at, place);
    assert.equal(turns.isComplete, typeof place === "number");
  });
}

Deno.test("bind() counts a call once, in the trajectory's order, and turns' references among the owned ones", () => {
  const { turns, owned } = bound(
    [{ model_call_id: "b" }, { model_ref: JUDGE, response_id: "t" }, { model_call_id: "b" }],
    [{ model_call_id: "a" }, { model_call_id: "b", response_id: "s" }],
  );
  assert.deepEqual([turns.references, owned.references], [2, 4]);
  assert.deepEqual(owned.calls.map(({ started_at }) => started_at), [0, 1, 3]);
  assert.deepEqual(turns.calls.map(({ started_at }) => started_at), [1, 3]);
});

Deno.test("bind() of nothing is not complete", () => {
  assert.equal(bound([]).turns.isComplete, false);
});
