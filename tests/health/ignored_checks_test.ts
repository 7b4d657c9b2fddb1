import assert from "node:assert/strict";
import { ignoredChecks } from "../../src/health/ignored_checks.ts";
import { UsageFault } from "../../src/kit/fault.ts";

Deno.test("ignoredChecks() takes each id once, without spaces, in order", () => {
  assert.deepEqual(ignoredChecks([" model_call_failed", "", "agent_turn_hollow", "model_call_failed"], "x"), [
    "agent_turn_hollow",
    "model_call_failed",
  ]);
  assert.deepEqual(ignoredChecks([], "x"), []);
});

Deno.test("ignoredChecks() names all ids that do not exist, the nearest ones, and those there are", () => {
  assert.throws(
    () => ignoredChecks(["no_such_check", "agent_turn_holow", "model_call_failed"], "--ignore-checks"),
    (error) => {
      assert.ok(error instanceof UsageFault);
      assert.match(error.message, /--ignore-checks/);
      assert.match(error.message, /no_such_check/);
      assert.match(error.message, /agent_turn_holow \(did you mean "agent_turn_hollow"\?\)/);
      assert.match(error.message, /The checks are check_execution_error, .*task_no_successful_model_calls\./);
      return true;
    },
  );
});
