/** "My CI log is full of escape codes", and "my pager could show colours". */
import assert from "node:assert/strict";
import { Gym, rollcall, Scratch } from "../_rollcall.ts";

Deno.test("a user who forces colours gets them without a terminal, and NO_COLOR wins", async () => {
  await using gym = new Gym();
  await using scratch = new Scratch();
  scratch.tasks(2);
  const said = async (env: Record<string, string>) => {
    const { code, err } = await rollcall(["collect", "-i", "tasks.jsonl", "-o", "r.jsonl", ...gym.flag], {
      cwd: scratch.path,
      env,
    });
    assert.equal(code, 0, err);
    return err;
  };
  assert.ok((await said({ FORCE_COLOR: "1" })).includes("\x1b["));
  assert.ok(!(await said({ FORCE_COLOR: "1", NO_COLOR: "1" })).includes("\x1b"));
});
